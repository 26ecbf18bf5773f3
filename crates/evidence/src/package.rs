//! An evidence package: requested messages, and all that is needed to verify them.
//!
//! In: a folder. Out: the verified facts, and every fault. For the writer of a package: the names of its
//! files, the contents of its manifest, and the page that verifies everything in a browser.
//! Described in `docs/format/package.md`. Holds: one message; the hashes of one segment.

mod check;
mod manifest;
mod reading;

pub use check::{FieldReport, PackageAudit, PackageError, PackageReport, PackageStamp};
pub use manifest::{Question, View, completeness};
pub use reading::{ReceivedBytes, describe};

/// Names of the formats, as a manifest states them.
pub mod format {
    /// One logspace.
    pub const ONE: &str = "duramen evidence package 2";
    /// Format of one logspace, in versions that did not record how the fields of a message follow from its bytes.
    pub const ONE_V1: &str = "duramen evidence package 1";
    /// Several logspaces, each a package in a folder of its own.
    pub const SEVERAL: &str = "duramen evidence packages 1";
}

/// Names of the files in a package.
pub mod name {
    /// The manifest, JSON.
    pub const MANIFEST: &str = "manifest.json";
    /// The signature over the manifest's bytes.
    pub const SIGNATURE: &str = "manifest.sig";
    /// The messages as they were read, one JSON object a line.
    pub const MESSAGES: &str = "messages.ndjson";
    /// The messages as received, one per line.
    pub const RAW: &str = "messages.raw";
    /// Which messages belong to which record, and their proofs, one JSON object per line.
    pub const PROOFS: &str = "proofs.ndjson";
    /// The chain of evidence.
    pub const CHAIN: &str = "chain";
    /// The page that verifies the package in a browser.
    pub const PAGE: &str = "verify.html";
}

/// The page that verifies a package in a browser, offline.
pub const VERIFY_PAGE: &str = include_str!("package/verify.html");

//! Evidence packages: messages that somebody asked for, and all that is needed to believe them.
//!
//! In: the directory of a logspace, a question. Out: a folder with the messages as received and parsed, proofs that
//! they are those that were sealed, the chain, keys, time-stamps, a statement of what is complete and what is not, a
//! signed manifest, and a page that verifies it all in a browser. Or: such a folder verified, with nothing but it.
//! Described in `docs/format/package.md`. Holds: one message; the hashes of one segment.
//! Limits: only what is sealed; what is not is said.

mod check;
mod manifest;
mod reading;
mod several;
mod write;

pub use check::{FieldReport, PackageAudit, PackageError, PackageReport, PackageStamp};
pub use manifest::{Question, View};
pub use several::export_package;
pub use write::{ExportError, Exported, Part, Wanted, document_json};

/// What a manifest says it is of.
pub(crate) mod format {
    pub(crate) const ONE: &str = "duramen evidence package 2";
    /// Of versions that did not say how the fields of a message follow from its bytes.
    pub(crate) const ONE_V1: &str = "duramen evidence package 1";
    pub(crate) const SEVERAL: &str = "duramen evidence packages 1";
}

/// Names of the files in a package.
pub(crate) mod name {
    pub(crate) const MANIFEST: &str = "manifest.json";
    pub(crate) const SIGNATURE: &str = "manifest.sig";
    pub(crate) const MESSAGES: &str = "messages.ndjson";
    pub(crate) const RAW: &str = "messages.raw";
    pub(crate) const PROOFS: &str = "proofs.ndjson";
    pub(crate) const CHAIN: &str = "chain";
    pub(crate) const PAGE: &str = "verify.html";
}

/// The page that verifies a package in a browser, offline.
pub(crate) const VERIFY_PAGE: &str = include_str!("package/verify.html");

#[cfg(test)]
mod tests;

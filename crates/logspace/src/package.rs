//! Makes evidence packages: the requested messages, and all that is needed to verify them.
//!
//! In: the directory of a logspace, a query. Out: a folder with the messages as received and parsed, proofs that
//! they are those that were sealed, the chain, keys, time-stamps, a statement of what is complete and what is not,
//! a signed manifest, and a page that verifies everything in a browser. [`evidence::package`] verifies such a
//! folder.
//! Described in `docs/format/package.md`. Holds: one message; the hashes of one segment.
//! Limits: only sealed messages; what is left out is stated.

mod several;
mod write;

pub use several::export_package;
pub use write::{ExportError, Exported, MessageSelector, PackagePart, document_json};

#[cfg(test)]
mod tests;

//! The files of a logspace beside its journal and its segments.
//!
//! In: what is to be kept across starts. Out: the same. Described in `docs/format/logspace.md`.
//! Limits: what a crash left is recognized, and made again or told.

pub(crate) mod archive;
pub(crate) mod catalog;
pub(crate) mod chain_file;
pub(crate) mod clock;
pub(crate) mod journal_cipher;
pub(crate) mod layout;
pub(crate) mod numbers;

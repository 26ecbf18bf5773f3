//! The files of a logspace beside its journal and its segments.
//!
//! In: state that must survive restarts. Out: the same. Described in `docs/format/logspace.md`.
//! Limits: what a crash left behind is recognized, and rebuilt or reported.

pub(crate) mod archive;
pub(crate) mod catalog;
pub(crate) mod chain_file;
pub(crate) mod clock;
pub(crate) mod journal_cipher;
pub(crate) mod layout;
pub(crate) mod numbers;
pub(crate) mod taken;

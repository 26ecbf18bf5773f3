//! Parsers of the language, turned into steps of the pipeline; one file per family.
//!
//! Begin with `calls`: the list of all parsers, and what the families share: input, prefix, state across reloads.

pub(crate) mod calls;
pub(crate) mod events;
pub(crate) mod filter_file;
pub(crate) mod grok;
pub(crate) mod groups;
pub(crate) mod patterns;
pub(crate) mod probe;
pub(crate) mod structured;
pub(crate) mod syslog;
pub(crate) mod tables;
pub(crate) mod xml;

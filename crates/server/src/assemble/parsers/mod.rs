//! Parsers, one file a family: in: calls; out: steps of the pipeline.
//!
//! `calls` has the call of a parser, the list of all, and what the families share: input, prefix, state over reloads.

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

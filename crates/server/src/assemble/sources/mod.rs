//! Sources of the language, turned into those of `intake`.
//!
//! Begin with `drivers`, the list of all. `source_options` and `text` read the options that every source has; the other
//! files have one kind of driver each.

pub(crate) mod brokers;
pub(crate) mod drivers;
pub(crate) mod gelf;
pub(crate) mod generator;
pub(crate) mod http;
pub(crate) mod journal;
pub(crate) mod listeners;
pub(crate) mod sltp;
pub(crate) mod source_options;
pub(crate) mod stores;
pub(crate) mod text;

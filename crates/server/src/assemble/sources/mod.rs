//! Sources of the language, turned into those of `intake`.
//!
//! `drivers` has the list of all; the other files have one kind of driver each, or options that all of them have.

pub(crate) mod drivers;
pub(crate) mod gelf;
pub(crate) mod generator;
pub(crate) mod http;
pub(crate) mod journal;
pub(crate) mod listeners;
pub(crate) mod source_options;
pub(crate) mod text;

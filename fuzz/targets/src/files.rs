//! Targets that read our own files.

pub(crate) mod evidence;
pub(crate) mod journal;
pub(crate) mod segment;
pub(crate) mod tail;

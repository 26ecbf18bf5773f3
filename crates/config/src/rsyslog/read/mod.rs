//! rsyslog's three languages to a tree: selectors, `$` directives, RainerScript.
//!
//! In: a file, and the files that it includes. Out: [`Statement`]s in reading order; what cannot be read is one of
//! them, with the reason.
//! Limits: those of our own language: depth of includes and of nesting, size of files.

mod cursor;
mod expression;
mod legacy;
mod line;
mod object;
mod reader;
mod whole;

pub(super) use whole::{quoted, read};

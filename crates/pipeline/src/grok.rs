//! Grok: extracts values by named regular expressions, `%{IP:client}`.
//!
//! In: patterns, once; texts, often. Out: the values of the first pattern that matches. A name may be written
//! `[source][ip]`, which is the value `source.ip`, and may have a type: `%{INT:bytes:int}`. Values that are empty or
//! not part of the match are not set; a name that occurs several times becomes a list.
//! Holds: the compiled patterns. `^` and `$` are those of lines and `.` is any byte, as in Logstash.
//! Limits: [`DEPTH_MAX`] levels of patterns in patterns, [`EXPANDED_BYTES_MAX`] bytes of a pattern with all patterns
//! that it names; a match that needs more than [`STEPS_MAX`] steps fails.

mod compiled;
mod error;
mod expand;
mod kind;
mod library;
mod reader;

pub use compiled::{Grok, STEPS_MAX};
pub use error::{DEPTH_MAX, EXPANDED_BYTES_MAX, GrokError};
pub use library::{GrokLibrary, GrokSet, LibraryError};
pub use reader::{GrokReader, Unmatched};

#[cfg(test)]
mod tests;

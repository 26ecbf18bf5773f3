//! `duramen convert rsyslog`: a configuration of rsyslog as one of ours.
//!
//! In: the path of an rsyslog.conf and the surroundings it may look at. Out: the text of a configuration, and for every
//! statement what became of it.
//! Holds: nothing between calls. What is not supported is left out and told, and a rule never takes more messages
//! than it did.
//! Limits: those of the reader; includes and nesting are bounded.

mod calls;
mod convert;
mod expression;
mod file;
mod name;
mod read;
mod refusal;
mod report;
mod statement;
mod syntax;
mod template;

#[cfg(test)]
mod tests;

pub use convert::{ConvertError, convert};
pub use file::ReadError;
pub use report::{Conversion, Finding, Judge, Outcome};
pub use syntax::FileLine;

//! `duramen convert rsyslog`: a configuration of rsyslog as one of ours.
//!
//! In: the path of an rsyslog.conf and its surroundings. Out: the text of a configuration, and for every
//! statement its outcome.
//! Holds: nothing between calls. Unsupported parts are left out and reported, and a rule never handles more messages
//! than before.
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

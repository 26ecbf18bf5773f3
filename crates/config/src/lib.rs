//! syslog-ng's configuration language: from text to tokens, to a tree with positions, to diagnostics.
//!
//! In: the path of a configuration file and its [`Surroundings`]. Out: a [`Tree`], and every
//! error and warning of the whole configuration with its position.
//! Holds: nothing between calls. Knows the language; runs nothing.
//! Limits: see [`limits`]; a configuration beyond one of them is refused with a clear error.

pub mod limits;

mod text;

mod surroundings;

mod diagnostic;

mod words;

pub mod tree;

pub mod options;

mod scl;

mod lexer;

mod parse;

mod check;

mod render;

pub mod rsyslog;

mod skip;

#[cfg(test)]
mod tests;

pub use check::{advise, check};
pub use diagnostic::{Diagnostic, Report, Severity};
pub use lexer::place_inside;
pub use parse::{ExpressionError, parse, parse_filter, preprocess};
pub use skip::{LeftOut, Skipping};
pub use surroundings::{Disk, Memory, Surroundings};
pub use text::{Location, Origin, Span, TextId, Texts};
pub use tree::Tree;
pub use words::service_port;

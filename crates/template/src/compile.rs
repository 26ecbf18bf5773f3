//! Reads the text of templates.
//!
//! In: text with macros and functions. Out: its tree, or the fault and its position. Holds nothing.
//! Limits: [`TEMPLATE_BYTES_MAX`] bytes, [`DEPTH_MAX`] levels of functions.

mod arguments;
mod call;
mod call_compiler;
mod error;
mod nearest;
mod options;
mod pairs;
mod parse;
mod preset;

pub use error::TemplateError;
pub use parse::{BACK_MAX, DEPTH_MAX, TEMPLATE_BYTES_MAX};

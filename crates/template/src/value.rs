//! Forms of values: quoted lists, types, JSON strings, escapes.
//!
//! In: bytes of a value. Out: the same in the requested form, or their meaning. Holds nothing.
//! Limits: each module names its own.

mod escape;
mod hint;
mod json;

pub use escape::Escape;
pub use hint::{HINT_NAMES, TypeHint};
pub(crate) use hint::{integer, truth};
pub(crate) use json::append_string;
pub use message::{list_append, list_elements};

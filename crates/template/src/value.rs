//! Forms of values: quoted lists, types, JSON strings, escapes.
//!
//! In: bytes of a value. Out: the same in the requested form, or their meaning. Holds nothing.
//! Limits: each module names its own.

mod escape;
mod hint;
mod json;
mod list;

pub use escape::Escape;
pub use hint::{HINT_NAMES, TypeHint};
pub(crate) use hint::{integer, truth};
pub(crate) use json::append_string;
pub use list::{append_after as list_append, elements as list_elements};

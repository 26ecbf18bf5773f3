//! Words of the language: how they are spelt, which there are, and which was meant.
//!
//! In: words. Out: keywords, numbers of facilities and severities, the nearest known word.

mod codes;
mod nearest;
mod selector;
mod services;
mod spelling;

pub(crate) use codes::{FACILITIES, SEVERITIES, TYPES, facility, is_type, severity};
pub(crate) use nearest::nearest;
pub(crate) use selector::selector;
pub use services::service_port;
pub(crate) use spelling::{age, keyword, truth};

#[cfg(test)]
mod tests;

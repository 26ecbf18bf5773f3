//! Words of the language: their spelling, the lists of them, and the nearest one to a misspelt word.
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

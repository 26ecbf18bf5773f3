//! Templates of rsyslog.
//!
//! In: `template(...)` objects and `$template` directives. Out: templates of ours, and the properties that tests and
//! expressions name.

mod convert;
mod json;
mod piece;
mod printed;
pub(super) mod property;
pub(super) mod templates;

//! A specification that was checked, or the reason why it is refused.

use serde_json::Value;
use std::fmt;

/// A specification that was checked.
pub(crate) struct Checked {
    /// The specification, in its one form.
    pub(crate) spec: Value,
    /// One line that tells objects apart in a list.
    pub(crate) summary: String,
}

/// A specification that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// The member at fault, such as `time.from`; empty for the whole.
    pub member: String,
    /// The fault.
    pub what: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.member.as_str() {
            "" => write!(f, "spec: {}", self.what),
            member => write!(f, "spec.{member}: {}", self.what),
        }
    }
}

impl std::error::Error for SpecError {}

impl SpecError {
    pub(super) fn new(member: &str, what: impl Into<String>) -> SpecError {
        SpecError { member: member.to_owned(), what: what.into() }
    }
}

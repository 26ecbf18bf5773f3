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

/// Checks that a specification is refused for a member.
#[cfg(test)]
#[track_caller]
pub(super) fn check_fault(
    check: fn(&Value) -> Result<Checked, SpecError>,
    spec: Value,
    member: &str,
    what: &str,
) {
    let error = check(&spec).err().unwrap_or_else(|| panic!("{spec} is taken"));
    assert_eq!(error.member, member, "{error}");
    assert!(error.to_string().contains(what), "{error}");
}

//! The kinds of objects: one row each, with the check of its specification.
//!
//! In: the name of a kind, a specification. Out: the specification in its one form, or the reason why it is none.
//! Holds nothing. To add a kind: write its row in [`KINDS`] and a module that checks its specification.

mod checked;
pub(crate) mod dashboard;
pub(crate) mod rule;
pub(crate) mod search;

pub(crate) use checked::Checked;
pub use checked::SpecError;

use crate::limits::{OBJECTS_PER_OWNER_MAX, RULES_MAX, RULES_PER_OWNER_MAX};
use serde_json::Value;
use std::{fmt, str::FromStr};

/// A kind of objects.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The version of specifications that are written today.
    pub spec_version: u32,
    /// Most objects of the kind that one owner has, without deleted ones.
    pub owner_max: u64,
    /// Most objects of the kind, without deleted ones.
    pub total_max: u64,
    check: fn(&Value) -> Result<Checked, SpecError>,
    form_error: fn(&[u8]) -> Option<(usize, usize)>,
}

/// All kinds.
const KINDS: &[Kind] = &[
    Kind {
        name: "search",
        spec_version: 1,
        owner_max: OBJECTS_PER_OWNER_MAX,
        total_max: u64::MAX,
        check: search::check,
        form_error: search::form_error,
    },
    Kind {
        name: "dashboard",
        spec_version: 1,
        owner_max: OBJECTS_PER_OWNER_MAX,
        total_max: u64::MAX,
        check: dashboard::check,
        form_error: dashboard::form_error,
    },
    Kind {
        name: Kind::RULE,
        spec_version: 1,
        owner_max: RULES_PER_OWNER_MAX,
        total_max: RULES_MAX,
        check: rule::check,
        form_error: rule::form_error,
    },
];

/// A name of no kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownKind {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        write!(f, "there are no objects of kind {:?}; known: {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownKind {}

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Kind, UnknownKind> {
        let kind = KINDS.iter().find(|kind| kind.name == name);
        kind.copied().ok_or_else(|| UnknownKind { name: name.to_owned() })
    }
}

impl Kind {
    /// The name of the kind of rules.
    pub const RULE: &str = "rule";

    /// Checks a specification.
    pub(crate) fn check(&self, spec: &Value) -> Result<Checked, SpecError> {
        (self.check)(spec)
    }

    /// The line and the column, from 1, at which a text that begins with a specification has not the form of the kind.
    pub(crate) fn form_error(&self, text: &[u8]) -> Option<(usize, usize)> {
        (self.form_error)(text)
    }
}

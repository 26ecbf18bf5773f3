//! A filter expression: tests, and how they are joined.
//!
//! In: the filters of a configuration. Out: the tree that [`super::evaluate`] walks through. Holds: patterns,
//! networks and sets, compiled.
//! Limits: [`DEPTH_MAX`] levels of nesting.

use super::{
    compare::Comparison,
    netmask::{Netmask, Netmask6},
    rate::RateLimit,
};
use message::{Facility, FieldName, Severity};
use std::{collections::HashSet, sync::Arc};
use template::{Template, pattern::Pattern};

/// Deepest nesting of an expression.
pub const DEPTH_MAX: usize = 256;

/// A filter expression as it is written in a configuration.
#[derive(Clone, Debug)]
pub enum Expr {
    /// All hold.
    And(Vec<Expr>),
    /// One holds.
    Or(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// One test of a message.
    Test(Test),
}

impl Expr {
    /// Makes the expression of `filter { }` without content, which holds for every message.
    pub fn always() -> Expr {
        Expr::And(Vec::new())
    }
}

/// One test of a message.
#[derive(Clone, Debug)]
pub enum Test {
    /// `facility(...)`.
    Facility(FacilitySet),
    /// `severity(...)`, `level(...)`, `priority(...)`.
    Severity(SeveritySet),
    /// `program()`, `host()`, `message()`, `match()`.
    Pattern {
        /// The text that is searched.
        subject: Subject,
        /// The pattern that must match.
        pattern: Arc<Pattern>,
    },
    /// `source(name)`: the message was received by the source of this name.
    Source(String),
    /// `tags(...)`: the message has one of them.
    Tags(Vec<String>),
    /// `netmask()`.
    Netmask(Netmask),
    /// `netmask6()`.
    Netmask6(Netmask6),
    /// `in-list(file, value())`: the value is a line of the file. The caller reads the file.
    InList {
        /// The value.
        field: FieldName,
        /// The lines.
        lines: Arc<HashSet<Vec<u8>>>,
    },
    /// `filter(name)`.
    Named {
        /// The name, for statistics and messages.
        name: String,
        /// The filter.
        filter: Arc<Filter>,
    },
    /// `==`, `eq`, `===` and their kin.
    Compare(Arc<Comparison>),
    /// `rate-limit()`.
    RateLimit(Arc<RateLimit>),
}

/// The text that a pattern is matched against.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A field: `match(... value("NAME"))`.
    Field(FieldName),
    /// Rendered text: `match(... template("..."))`.
    Template(Arc<Template>),
    /// Tag and text together: `match()` that names nothing.
    HeaderAndMessage,
}

/// A set of facilities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FacilitySet(u128);

impl FacilitySet {
    /// Adds one.
    pub fn add(&mut self, facility: Facility) {
        self.0 |= 1u128.checked_shl(u32::from(facility.0)).unwrap_or(0);
    }

    /// Adds a range, given in either order.
    pub fn add_range(&mut self, first: Facility, last: Facility) {
        (first.0.min(last.0)..=first.0.max(last.0)).for_each(|code| self.add(Facility(code)));
    }

    /// Returns true when a facility is in the set.
    #[inline]
    pub fn has(self, facility: Facility) -> bool {
        facility.0 < 128 && self.0 >> facility.0 & 1 == 1
    }
}

/// A set of severities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SeveritySet(u8);

impl SeveritySet {
    /// Adds one.
    pub fn add(&mut self, severity: Severity) {
        self.0 |= 1 << (severity.0 & 7);
    }

    /// Adds a range, given in either order.
    pub fn add_range(&mut self, first: Severity, last: Severity) {
        (first.0.min(last.0)..=first.0.max(last.0)).for_each(|code| self.add(Severity(code)));
    }

    /// Returns true when a severity is in the set.
    #[inline]
    pub fn has(self, severity: Severity) -> bool {
        self.0 >> (severity.0 & 7) & 1 == 1
    }
}

/// A compiled filter.
#[derive(Debug)]
pub struct Filter {
    pub(super) expr: Expr,
    /// True when some pattern stores its matches: then the order of the configuration is kept.
    pub(super) stores: bool,
}

//! A rule, checked: what it looks for, how messages are grouped, and when it fires.
//!
//! In: values that `read` has checked. Out: the same, with the version that names exactly this rule.
//! Limits: [`BY_MAX`], [`WINDOW_US_MAX`], [`COUNT_MAX`], [`KEYS_MAX`].

mod condition;
mod threshold;
mod version;

pub use threshold::Threshold;
pub use version::RuleVersion;
pub(crate) use version::first_half;

use message::Severity;
use query::{Name, Query};
use std::sync::Arc;

/// Most fields that messages are grouped by.
pub(crate) const BY_MAX: usize = 5;
/// Longest window, in microseconds: 400 days, so that a year fits.
pub const WINDOW_US_MAX: i64 = 400 * 86_400 * 1_000_000;
/// Shortest window, in microseconds.
pub(crate) const WINDOW_US_MIN: i64 = 1_000_000;
/// Largest number of messages or values that a sliding window counts up to: each costs eight bytes and more a key.
pub(crate) const COUNT_MAX: u64 = 100_000;
/// Most keys that one rule expects from its start.
pub const KEYS_MAX: usize = 10_000;
/// Part of the count below which a sliding window is resolved, unless the rule says otherwise.
pub(crate) const HYSTERESIS_PERMILLE: u16 = 800;
/// Time after which a silent key is forgotten, unless the rule says otherwise: 30 days.
pub(crate) const FORGET_US: i64 = 30 * 86_400 * 1_000_000;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its identifier, unique among all rules.
    pub id: Arc<str>,
    /// A name for people; the identifier when none is given.
    pub title: String,
    /// The meaning of an alert, and what to do about it.
    pub description: String,
    /// Severity of its alerts.
    pub severity: Severity,
    /// The logspaces whose messages it watches; empty: all. It is no part of the version: in each logspace the rule has
    /// windows of its own.
    pub logspaces: Vec<String>,
    /// The messages that it is about; of a sequence, its first part.
    pub query: Query,
    /// The fields by which messages are grouped, at most five.
    pub by: Vec<Name>,
    /// Value of a field that a message does not have; none: such a message belongs to no group.
    pub missing: Option<Vec<u8>>,
    /// The condition.
    pub kind: Kind,
    /// Time in microseconds for which the condition must hold before the rule fires.
    pub hold_us: i64,
    /// Digest of all that decides what it does.
    pub version: RuleVersion,
}

/// The kinds of rules. Times are in microseconds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A message matches.
    Match {
        /// Time without a match after which an instance is resolved; none: each match occurs by itself.
        quiet_us: Option<i64>,
    },
    /// Messages within a window.
    Count {
        /// The number that fires.
        threshold: Threshold,
        /// The window.
        window: Window,
    },
    /// Distinct values of a field within a window.
    Distinct {
        /// The field.
        field: Name,
        /// The number that fires.
        threshold: Threshold,
        /// The window.
        window: Window,
    },
    /// A figure of a field's numbers within a window.
    Value {
        /// The figure.
        aggregate: Aggregate,
        /// The field.
        field: Name,
        /// The figures that fire.
        threshold: Threshold,
        /// The figures that resolve; none: all that do not fire.
        resolve: Option<Threshold>,
        /// The window.
        window: Window,
    },
    /// No message for a time.
    Absence {
        /// The time.
        within_us: i64,
        /// Number of messages after which a key is expected.
        learn: u32,
        /// Keys that are expected from the start, encoded.
        keys: Vec<Box<[u8]>>,
        /// Time after which a silent key is no longer expected.
        forget_us: i64,
    },
    /// A value that was not seen for a time.
    NewValue {
        /// The field.
        field: Name,
        /// Time from the start during which values are learnt.
        learn_us: i64,
        /// Time for which a value is remembered.
        remember_us: i64,
    },
    /// A first message, and a second one within a time.
    Sequence {
        /// The second message.
        then: Query,
        /// The fields of the second message that hold the key.
        then_by: Vec<Name>,
        /// The time.
        within_us: i64,
    },
    /// A first message, and no second one within a time.
    NotFollowed {
        /// The second message.
        then: Query,
        /// The fields of the second message that hold the key.
        then_by: Vec<Name>,
        /// The time.
        within_us: i64,
        /// Time after which an unanswered message is forgotten.
        forget_us: i64,
    },
}

/// Part of the time over which messages are counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Window {
    /// The last microseconds before each moment.
    Sliding {
        /// Its length in microseconds.
        us: i64,
        /// Thousandths of the threshold below which an instance is resolved, 1 to 1,000.
        hysteresis_permille: u16,
    },
    /// Windows side by side, the first of which begins in 1970; evaluated when they end.
    Tumbling {
        /// Their length in microseconds.
        us: i64,
    },
}

impl Window {
    /// Its name in the files of rules.
    pub fn name(self) -> &'static str {
        match self {
            Window::Sliding { .. } => "sliding",
            Window::Tumbling { .. } => "tumbling",
        }
    }

    /// Its length in microseconds.
    pub fn us(self) -> i64 {
        match self {
            Window::Sliding { us, .. } | Window::Tumbling { us } => us,
        }
    }
}

/// A figure of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregate {
    /// Their sum.
    Sum,
    /// Their mean.
    Avg,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Aggregate {
    /// Its name in the files of rules.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Sum => "sum",
            Aggregate::Avg => "avg",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
        }
    }
}

impl Kind {
    /// Its name in the files of rules.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Match { .. } => "match",
            Kind::Count { .. } => "count",
            Kind::Distinct { .. } => "distinct",
            Kind::Value { aggregate, .. } => aggregate.name(),
            Kind::Absence { .. } => "absence",
            Kind::NewValue { .. } => "new-value",
            Kind::Sequence { .. } => "sequence",
            Kind::NotFollowed { .. } => "not-followed",
        }
    }

    /// Time in microseconds after which no message that was not tracked matters any more.
    pub(crate) fn memory_us(&self) -> i64 {
        match self {
            Kind::Match { quiet_us } => quiet_us.unwrap_or(0),
            Kind::Count { window, .. } | Kind::Distinct { window, .. } | Kind::Value { window, .. } => {
                window.us()
            }
            Kind::NewValue { remember_us, .. } => *remember_us,
            Kind::Absence { within_us, .. }
            | Kind::Sequence { within_us, .. }
            | Kind::NotFollowed { within_us, .. } => *within_us,
        }
    }

    /// The window of kinds that have one.
    pub fn window(&self) -> Option<Window> {
        match self {
            Kind::Count { window, .. } | Kind::Distinct { window, .. } | Kind::Value { window, .. } => {
                Some(*window)
            }
            _ => None,
        }
    }

    /// The second query of kinds that have one.
    pub fn then(&self) -> Option<&Query> {
        match self {
            Kind::Sequence { then, .. } | Kind::NotFollowed { then, .. } => Some(then),
            _ => None,
        }
    }
}

impl Rule {
    /// Returns true when it watches a logspace.
    pub fn watches(&self, logspace: &str) -> bool {
        self.logspaces.is_empty() || self.logspaces.iter().any(|name| name == logspace)
    }

    /// Returns the names of the values of its keys, in order.
    pub fn key_names(&self) -> impl Iterator<Item = &str> {
        let field = match &self.kind {
            Kind::NewValue { field, .. } => Some(field),
            _ => None,
        };
        self.by.iter().chain(field).map(Name::shown)
    }
}

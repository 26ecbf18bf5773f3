//! Errors in files of rules, in words, with their places.
//!
//! In: what is wrong. Out: a sentence with a remedy. Holds: line and column, from 1.

mod notification;

pub use notification::NotificationFault;

use crate::rule::{COUNT_MAX, KEYS_MAX};
use query::QueryError;
use std::fmt;

/// An error in a file of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleError {
    /// Line, from 1.
    pub line: usize,
    /// Column, in characters from 1.
    pub column: usize,
    /// The error.
    pub fault: RuleFault,
}

impl RuleError {
    pub(super) fn at_start(fault: RuleFault) -> RuleError {
        RuleError { line: 1, column: 1, fault }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.fault)
    }
}

impl std::error::Error for RuleError {}

/// The kinds of errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleFault {
    /// The text is no YAML.
    Yaml {
        /// The cause.
        reason: String,
    },
    /// The text is too long.
    TooLong,
    /// The text is nested too deeply or has too many parts.
    TooLarge,
    /// There are too many rules.
    TooMany,
    /// Anchors, aliases and tags are not used.
    Anchor,
    /// A file has one document.
    SecondDocument,
    /// A key is there twice.
    SameKey {
        /// The key.
        key: String,
    },
    /// The list of rules is missing.
    NoRules,
    /// A rule is no map.
    NotAMap,
    /// A key is unknown.
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that would be known.
        known: String,
    },
    /// A key is missing.
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A value is no text.
    NotAText,
    /// A value is no list of texts.
    NotTexts,
    /// A value is no number.
    NotANumber,
    /// A value is no whole number within bounds.
    NotACount {
        /// The smallest.
        from: u64,
        /// The largest.
        to: u64,
    },
    /// A value is no length of time within bounds.
    NotADuration,
    /// A value is no list of two ascending numbers.
    NotBetween,
    /// An identifier has other characters than those allowed.
    BadId,
    /// An identifier is there twice.
    SameId {
        /// The identifier.
        id: String,
    },
    /// A severity is unknown.
    BadSeverity {
        /// The name.
        name: String,
    },
    /// A word is unknown.
    UnknownWord {
        /// The word.
        word: String,
        /// The words that are known.
        known: &'static str,
    },
    /// A kind of rule that is not there yet.
    PlannedKind {
        /// The kind.
        kind: String,
    },
    /// The sender's clock is not there yet.
    EventClock,
    /// A query cannot be read.
    Query(QueryError),
    /// A query has pipes.
    Pipes,
    /// A query depends on the time at which it is read.
    Relative,
    /// There are too many fields.
    TooManyFields {
        /// The most.
        most: usize,
    },
    /// A name is no field that messages can be grouped by.
    NotAField,
    /// There must be as many fields as in `by`.
    OtherCount,
    /// A rule needs exactly one threshold.
    OneThreshold {
        /// The keys of thresholds.
        keys: &'static str,
    },
    /// A sliding window counts upward only.
    SlidingCount,
    /// An option does nothing for this kind of rule.
    NotForKind {
        /// The kind.
        kind: &'static str,
    },
    /// A share is not above 0 and at most 1, with three digits.
    NotAShare,
    /// A key of an expected sender does not have a value for each field.
    BadExpected,
    /// Too many keys are expected.
    TooManyExpected,
    /// Nothing names the keys of which one can be missing.
    Unexpected,
    /// Something in a file of channels and routes.
    Notification(NotificationFault),
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleFault::Yaml { reason } => write!(f, "this is no YAML: {reason}"),
            RuleFault::TooLong => f.write_str("the file is longer than 16 MiB: split it"),
            RuleFault::TooLarge => f.write_str("the file is nested too deeply or has too many parts"),
            RuleFault::TooMany => f.write_str("the file has more than 20,000 rules: split it"),
            RuleFault::Anchor => f.write_str("anchors, aliases and tags are not supported: write the value"),
            RuleFault::SecondDocument => f.write_str("a file has one document: put all rules in one list"),
            RuleFault::SameKey { key } => write!(f, "{key} is here a second time"),
            RuleFault::NoRules => f.write_str("a file of rules has one key, rules, with a list of rules"),
            RuleFault::NotAMap => f.write_str("a rule is a map, such as id: silent-hosts"),
            RuleFault::UnknownKey { key, known } => write!(f, "unknown key {key}: here are possible {known}"),
            RuleFault::MissingKey { key } => write!(f, "the key {key} is missing"),
            RuleFault::NotAText => f.write_str("a text is needed here"),
            RuleFault::NotTexts => f.write_str("a text or a list of texts is needed here"),
            RuleFault::NotANumber => f.write_str("a number is needed here"),
            RuleFault::NotACount { from, to } => write!(f, "a whole number from {from} to {to} is needed here"),
            RuleFault::NotADuration => {
                f.write_str("a length of time from 1s to 400d is needed here, such as 30s, 5m, 1h30m or 7d")
            }
            RuleFault::NotBetween => f.write_str("two numbers are needed here, the smaller one first: [3, 8]"),
            RuleFault::BadId => {
                f.write_str("an id has up to 128 letters, digits, hyphens, dots and underscores")
            }
            RuleFault::SameId { id } => write!(f, "another rule has the id {id}"),
            RuleFault::BadSeverity { name } => write!(
                f,
                "no severity is called {name}: write emerg, alert, crit, err, warning, notice, info or debug"
            ),
            RuleFault::UnknownWord { word, known } => write!(f, "{word} is unknown here: write {known}"),
            RuleFault::PlannedKind { kind } => {
                write!(f, "rules of the kind {kind} are planned and not there yet")
            }
            RuleFault::EventClock => f.write_str(
                "rules on the sender's clock are planned and not there yet: leave out clock, or write received",
            ),
            RuleFault::Query(error) => write!(f, "in the query, {error}"),
            RuleFault::Pipes => f.write_str("the query of a rule has no pipes: the kind of the rule counts"),
            RuleFault::Relative => f.write_str(
                "the query of a rule cannot depend on now: within and for say over which time it looks",
            ),
            RuleFault::TooManyFields { most } => write!(f, "messages are grouped by at most {most} fields"),
            RuleFault::NotAField => {
                f.write_str("messages are grouped by fields such as host, program or user")
            }
            RuleFault::OtherCount => f.write_str("as many fields as in by are needed here"),
            RuleFault::OneThreshold { keys } => write!(f, "one threshold is needed here: {keys}"),
            RuleFault::SlidingCount => write!(
                f,
                "a sliding window counts upward, to 1 or more and at most {COUNT_MAX}: write at-least or more-than, or window: tumbling"
            ),
            RuleFault::NotForKind { kind } => write!(f, "this does nothing in a rule of the kind {kind}"),
            RuleFault::NotAShare => {
                f.write_str("a share from 0.001 to 1, with at most three digits after the point, is needed here")
            }
            RuleFault::BadExpected => f.write_str(
                "each key is a text, or a list with a text for each field of by: keys: [gw1, gw2]",
            ),
            RuleFault::TooManyExpected => write!(f, "a rule expects at most {KEYS_MAX} keys by name"),
            RuleFault::Unexpected => f.write_str("keys name the values of by, which is missing"),
            RuleFault::Notification(fault) => fault.fmt(f),
        }
    }
}

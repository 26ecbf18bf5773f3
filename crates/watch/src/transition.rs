//! What an evaluator reports: something occurred, an instance of a rule fired or was resolved, a rule lost track.
//!
//! In: a rule, a key, a change and its cause. Out: a transition with an id that is the same whenever it is computed.

use crate::{
    key,
    rule::{Rule, RuleVersion, first_half},
};
use message::Severity;
use sha2::{Digest, Sha256};
use std::{fmt, sync::Arc};

/// A transition of a rule, or of one of its instances.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// Digest of rule, version, key, ordinal, change and cause: the same whenever the transition is computed again.
    pub id: TransitionId,
    /// Identifier of the rule.
    pub rule: Arc<str>,
    /// Version of the rule.
    pub version: RuleVersion,
    /// Severity of the rule.
    pub severity: Severity,
    /// Values of the key, in the order of [`Rule::key_names`]; empty for changes of the rule itself.
    pub key: Vec<Vec<u8>>,
    /// Number of the instance among those of the rule, from 0: instances that fire at the same tick are numbered in
    /// the order of their keys. The resolution of an instance has the number of its firing.
    pub ordinal: u64,
    /// The change.
    pub change: Change,
    /// Its cause.
    pub cause: Cause,
    /// Its time: that of the message, or of the tick, in microseconds since 1970.
    pub at_us: i64,
    /// The figure that was compared, for kinds that have one.
    pub value: Option<f64>,
    /// Sequence number of the first message, for sequences.
    pub first: Option<u64>,
}

/// The changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Something happened that does not last.
    Occurred,
    /// An instance began.
    Fired,
    /// The condition of an instance ended.
    Resolved,
    /// A silent instance was not seen again for so long that it is no longer expected.
    Forgotten,
    /// A key or a value was not tracked because of a limit: the rule may miss what it should report.
    Degraded,
    /// All that matters is tracked again.
    Recovered,
}

impl Change {
    /// Its name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Change::Occurred => "occurred",
            Change::Fired => "fired",
            Change::Resolved => "resolved",
            Change::Forgotten => "forgotten",
            Change::Degraded => "degraded",
            Change::Recovered => "recovered",
        }
    }
}

/// The cause of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// A message, by its sequence number.
    Message(u64),
    /// The passing of time, in microseconds since 1970.
    Tick(i64),
}

/// Identifies a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransitionId(pub [u8; 16]);

impl fmt::Display for TransitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A change and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) ordinal: u64,
    pub(crate) change: Change,
    pub(crate) cause: Cause,
    pub(crate) at_us: i64,
    pub(crate) value: Option<f64>,
    pub(crate) first: Option<u64>,
}

impl Report<'_> {
    /// Makes the transition of a rule.
    pub(crate) fn of(self, rule: &Rule) -> Transition {
        let count = match self.change {
            Change::Degraded | Change::Recovered => 0,
            _ => rule.key_names().count(),
        };
        Transition {
            id: self.id(rule),
            rule: Arc::clone(&rule.id),
            version: rule.version,
            severity: rule.severity,
            key: key::split(self.key, count).into_iter().map(<[u8]>::to_vec).collect(),
            ordinal: self.ordinal,
            change: self.change,
            cause: self.cause,
            at_us: self.at_us,
            value: self.value,
            first: self.first,
        }
    }

    fn id(&self, rule: &Rule) -> TransitionId {
        let mut digest = Sha256::new();
        for part in [rule.id.as_bytes(), &rule.version.0, self.key, self.change.name().as_bytes()] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        digest.update(self.ordinal.to_le_bytes());
        match self.cause {
            Cause::Message(sequence) => {
                digest.update([0]);
                digest.update(sequence.to_le_bytes());
            }
            Cause::Tick(at_us) => {
                digest.update([1]);
                digest.update(at_us.to_le_bytes());
            }
        }
        TransitionId(first_half(digest))
    }
}

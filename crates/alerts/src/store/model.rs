//! What the database holds, as values.
//!
//! In: rows. Out: the same, typed. Holds nothing.

use watch::Transition;

/// A mark: what the evaluator was told besides the messages, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Its number among those of the logspace, from 1.
    pub number: u64,
    /// It stands before the message with this sequence number.
    pub sequence: u64,
    /// Its kind.
    pub kind: MarkKind,
    /// Its time, in microseconds since 1970.
    pub at_us: i64,
}

/// The kinds of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// Nothing more was received before this time.
    Passed,
    /// The server stopped.
    Stopped,
    /// The server started again.
    Started,
    /// The rules began here, without a past.
    Begun,
    /// Another set of rules came into force here; rules in both kept their windows.
    Changed,
}

impl MarkKind {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            MarkKind::Passed => "passed",
            MarkKind::Stopped => "stopped",
            MarkKind::Started => "started",
            MarkKind::Begun => "begun",
            MarkKind::Changed => "changed",
        }
    }

    pub(super) fn of(name: &str) -> MarkKind {
        match name {
            "stopped" => MarkKind::Stopped,
            "started" => MarkKind::Started,
            "begun" => MarkKind::Begun,
            "changed" => MarkKind::Changed,
            _ => MarkKind::Passed,
        }
    }
}

/// Messages that were not evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Sequence number of the first.
    pub from: u64,
    /// Sequence number after the last.
    pub to: u64,
    /// Received times of the first and the last, in microseconds since 1970, as far as known: nobody listened meanwhile.
    pub received_us: (i64, i64),
    /// The reason.
    pub reason: GapReason,
}

/// The reasons why messages were not evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapReason {
    /// No loaded key opens their segment.
    Locked,
    /// Their segment is in an archive that is not attached.
    Away,
    /// Their segment is damaged.
    Damaged,
    /// The journal lost them.
    Lost,
    /// The retention removed them before they were evaluated.
    Removed,
    /// None are missing, but what the rules had seen before is not known any more.
    StateLost,
}

impl GapReason {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            GapReason::Locked => "locked",
            GapReason::Away => "away",
            GapReason::Damaged => "damaged",
            GapReason::Lost => "lost",
            GapReason::Removed => "removed",
            GapReason::StateLost => "state-lost",
        }
    }

    pub(super) fn of(name: &str) -> GapReason {
        match name {
            "locked" => GapReason::Locked,
            "away" => GapReason::Away,
            "damaged" => GapReason::Damaged,
            "lost" => GapReason::Lost,
            "state-lost" => GapReason::StateLost,
            _ => GapReason::Removed,
        }
    }
}

/// The rows that one transaction adds to a logspace.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Sequence number of the next message.
    pub(crate) cursor: u64,
    /// The time at which the server was alive.
    pub(crate) alive_us: i64,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) gaps: Vec<Gap>,
}

/// A logspace that rules watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Its name.
    pub logspace: String,
    /// The number of the set of rules in force; the file with their state has it in its name.
    pub generation: u64,
    /// Sequence number of the next message: all before it are evaluated.
    pub cursor: u64,
    /// The last time at which the server was alive, in microseconds since 1970.
    pub alive_us: i64,
}

/// Messages that a rule has evaluated, or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The rule.
    pub rule: String,
    /// Its version.
    pub version: String,
    /// Sequence number of the first message.
    pub from: u64,
    /// Sequence number after the last; none: up to the sequence number that the logspace has reached.
    pub to: Option<u64>,
    /// `evaluated`, or the reason why not.
    pub state: String,
}

/// A transition as the database has it.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptTransition {
    /// Its number in the order of writing, from 1.
    pub number: u64,
    /// The logspace.
    pub logspace: String,
    /// The id, unique within the logspace.
    pub id: String,
    /// The rule.
    pub rule: String,
    /// Its version.
    pub version: String,
    /// Severity of the alert.
    pub severity: String,
    /// Names and values of the key, a JSON object.
    pub key: String,
    /// Number of the instance.
    pub instance: u64,
    /// The change.
    pub change: String,
    /// Sequence number of the message that caused it; none: the passing of time.
    pub sequence: Option<u64>,
    /// Its time, in microseconds since 1970.
    pub at_us: i64,
    /// The figure that was compared.
    pub value: Option<f64>,
    /// Sequence number of the first message of a sequence.
    pub first: Option<u64>,
}

/// The states of alerts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlertState {
    /// Its condition holds.
    Firing,
    /// Its condition ended.
    Resolved,
    /// It happened, and does not last.
    Occurred,
    /// Its key was silent for so long that it is no longer expected.
    Forgotten,
    /// Its rule was changed or removed.
    Ended,
    /// It is not known whether its condition ended: the state of the rules was lost.
    Unknown,
}

impl AlertState {
    /// All states.
    pub const ALL: [AlertState; 6] = [
        AlertState::Firing,
        AlertState::Resolved,
        AlertState::Occurred,
        AlertState::Forgotten,
        AlertState::Ended,
        AlertState::Unknown,
    ];

    /// Its name in the database and in outputs.
    pub fn name(self) -> &'static str {
        match self {
            AlertState::Firing => "firing",
            AlertState::Resolved => "resolved",
            AlertState::Occurred => "occurred",
            AlertState::Forgotten => "forgotten",
            AlertState::Ended => "ended",
            AlertState::Unknown => "unknown",
        }
    }
}

/// An alert: what fired, and how it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Alert {
    /// Number of the transition that began it, from 1.
    pub number: u64,
    /// The logspace.
    pub logspace: String,
    /// Id of the transition that began it.
    pub id: String,
    /// The rule.
    pub rule: String,
    /// Its version.
    pub version: String,
    /// Title of the rule.
    pub title: String,
    /// Its severity.
    pub severity: String,
    /// Names and values of the key, a JSON object.
    pub key: String,
    /// Its state.
    pub state: String,
    /// When it began, in microseconds since 1970.
    pub began_us: i64,
    /// Sequence number of the message that began it; none: the passing of time.
    pub sequence: Option<u64>,
    /// When it ended; none while it fires.
    pub ended_us: Option<i64>,
    /// The figure that was compared.
    pub value: Option<f64>,
    /// When it was acknowledged, and by whom; empty: it was not.
    pub acknowledged_us: Option<i64>,
    /// The user.
    pub acknowledged_by: String,
    /// The user's note.
    pub note: String,
}

/// Which alerts are wanted.
#[derive(Clone, Debug, Default)]
pub struct AlertFilter {
    /// Those of these logspaces; none: of all.
    pub logspaces: Option<Vec<String>>,
    /// Those of a rule.
    pub rule: Option<String>,
    /// Those in this state.
    pub state: Option<AlertState>,
    /// Those with lower numbers than this.
    pub before: Option<u64>,
    /// At most this many.
    pub limit: usize,
}

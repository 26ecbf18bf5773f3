//! The contract between an evaluator and the states of its rules.
//!
//! In: messages that match, ticks. Out: reports through [`Context`]. Limits: a state asks for the room of what it adds.

use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::Rule,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::{Cause, Change, Report, Transition},
};
use lookup::Document;

/// A message that concerns a rule.
pub(crate) struct MatchedMessage<'a> {
    pub(crate) document: &'a Document,
    /// Received time, never below that of an earlier message or mark.
    pub(crate) at_us: i64,
    pub(crate) role: Role,
}

/// The queries of a rule that a message matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The query.
    First,
    /// The query of the second message.
    Then,
    /// Both.
    Both,
}

impl Role {
    pub(crate) fn is_first(self) -> bool {
        self != Role::Then
    }

    pub(crate) fn is_then(self) -> bool {
        self != Role::First
    }
}

/// Keys and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) keys: usize,
    pub(crate) bytes: usize,
}

impl Usage {
    /// The usage of a table.
    pub(crate) fn of<S: Default>(table: &KeyTable<S>) -> Usage {
        Usage { keys: table.len(), bytes: table.bytes() }
    }

    pub(crate) fn plus(self, other: Usage) -> Usage {
        Usage { keys: self.keys + other.keys, bytes: self.bytes + other.bytes }
    }

    /// Returns the rest below a limit.
    pub(crate) fn below(self, limit: Usage) -> Usage {
        Usage { keys: limit.keys.saturating_sub(self.keys), bytes: limit.bytes.saturating_sub(self.bytes) }
    }

    /// Returns the smaller of each.
    pub(crate) fn least(self, other: Usage) -> Usage {
        Usage { keys: self.keys.min(other.keys), bytes: self.bytes.min(other.bytes) }
    }
}

/// The answer of a request for memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grant {
    Given,
    Refused,
}

/// The rule of a state, its room, and where changes are reported.
pub(crate) struct Context<'a> {
    pub(crate) rule: &'a Rule,
    /// Ordinal of the next instance.
    pub(crate) ordinals: &'a mut u64,
    /// Keys and bytes that may still be added.
    pub(crate) room: Usage,
    /// Set when something was not tracked.
    pub(crate) refused: Option<()>,
    pub(crate) out: &'a mut Vec<Transition>,
}

impl Context<'_> {
    /// Asks for the room of a new key.
    pub(crate) fn grant_key(&mut self, bytes: usize) -> Grant {
        if self.room.keys == 0 {
            self.refused = Some(());
            return Grant::Refused;
        }
        let grant = self.grant_bytes(bytes);
        if grant == Grant::Given {
            self.room.keys -= 1;
        }
        grant
    }

    /// Asks for bytes.
    pub(crate) fn grant_bytes(&mut self, bytes: usize) -> Grant {
        match self.room.bytes.checked_sub(bytes) {
            Some(rest) => {
                self.room.bytes = rest;
                Grant::Given
            }
            None => {
                self.refused = Some(());
                Grant::Refused
            }
        }
    }

    /// Gives bytes back.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.room.bytes += bytes;
    }

    /// Takes the ordinal of a new instance.
    pub(crate) fn next_ordinal(&mut self) -> u64 {
        let ordinal = *self.ordinals;
        *self.ordinals += 1;
        ordinal
    }

    /// Reports the change of an instance.
    pub(crate) fn report(&mut self, key: &[u8], ordinal: u64, change: Change, moment: Moment) {
        let Moment { cause, at_us, value, first } = moment;
        self.out.push(Report { key, ordinal, change, cause, at_us, value, first }.of(self.rule));
    }
}

/// The moment of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) cause: Cause,
    pub(crate) at_us: i64,
    pub(crate) value: Option<f64>,
    pub(crate) first: Option<u64>,
}

impl Moment {
    /// The moment of a message.
    pub(crate) fn of(seen: &MatchedMessage<'_>) -> Moment {
        Moment { cause: Cause::Message(seen.document.sequence), at_us: seen.at_us, value: None, first: None }
    }

    /// The moment of a tick.
    pub(crate) fn tick(at_us: i64) -> Moment {
        Moment { cause: Cause::Tick(at_us), at_us, value: None, first: None }
    }

    /// The same with the figure that was compared.
    pub(crate) fn with(self, value: f64) -> Moment {
        Moment { value: Some(value), ..self }
    }
}

/// A change of the listeners of a logspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listening {
    /// Nothing can arrive from now on.
    Stopped(i64),
    /// Messages can arrive again.
    Started(i64),
}

/// The past of a rule.
pub(crate) trait State: Send {
    /// Begins at a time.
    fn start(&mut self, _at_us: i64, _context: &mut Context<'_>) {}

    /// Drops keys whose windows are empty; it is called before a message, so that they leave room for others.
    fn expire(&mut self, _at_us: i64) {}

    /// Takes a message.
    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>);

    /// Time of the next tick that may change something, in microseconds since 1970.
    fn next_tick(&self) -> Option<i64>;

    /// Takes the tick at the time that [`State::next_tick`] returned.
    fn tick(&mut self, at_us: i64, context: &mut Context<'_>);

    /// Takes a stop or a start of the listeners.
    fn listen(&mut self, _listening: Listening) {}

    /// Returns keys and bytes in use.
    fn usage(&self) -> Usage;

    /// Writes everything.
    fn save(&self, out: &mut SnapshotWriter);

    /// Reads what [`State::save`] wrote, into a new state.
    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError>;
}

/// Returns the bytes that a new key needs in a table.
pub(crate) fn key_bytes<S>(key: &[u8]) -> usize {
    key.len() + 64 + size_of::<S>()
}

//! The newest times of a key, or its newest distinct values with their times.
//!
//! In: messages. Out: how many are within a window, and the time of the n-th newest. Limits: the count that fires.

use super::super::contract::{Context, Grant, MatchedMessage, key_bytes};
use crate::{
    key,
    key_table::KeyTable,
    rule::{Kind, Rule},
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
};
use lookup::Document;
use query::Name;
use std::collections::VecDeque;

/// Bytes of a list of times beside the times.
const LIST_BYTES: usize = 48;
/// Bytes of a table of values beside the values.
const TABLE_BYTES: usize = 160;

/// The newest messages of a key, as far as a window needs them.
pub(crate) trait Recent: Default + Send {
    /// Returns true if the window of a rule counts a message.
    fn concerns(rule: &Rule, document: &Document) -> bool;

    /// Records a message; keeps the newest `most`.
    fn record(&mut self, seen: &MatchedMessage<'_>, most: usize, context: &mut Context<'_>);

    /// Drops what is at or before a time.
    fn drop_until(&mut self, until_us: i64);

    /// Number of what is held.
    fn count(&self) -> usize;

    /// Time of the n-th newest, from 1.
    fn nth_newest(&self, n: usize) -> Option<i64>;

    /// Bytes that it points to.
    fn bytes(&self) -> usize;

    fn save(&self, out: &mut SnapshotWriter);

    fn load(from: &mut SnapshotReader<'_>) -> Result<Self, RestoreError>;
}

/// Times of messages, oldest first; most keys have only one.
#[derive(Debug, Default)]
pub(crate) enum Times {
    #[default]
    None,
    One(i64),
    Many(VecDeque<i64>),
}

impl Recent for Times {
    fn concerns(_: &Rule, _: &Document) -> bool {
        true
    }

    fn record(&mut self, seen: &MatchedMessage<'_>, most: usize, context: &mut Context<'_>) {
        match self {
            _ if most == 1 => *self = Times::One(seen.at_us),
            Times::None => *self = Times::One(seen.at_us),
            Times::One(first) => match context.grant_bytes(LIST_BYTES) {
                Grant::Given => *self = Times::Many(VecDeque::from([*first, seen.at_us])),
                Grant::Refused => *first = seen.at_us,
            },
            Times::Many(times) => {
                if times.len() >= most || context.grant_bytes(size_of::<i64>()) == Grant::Refused {
                    times.pop_front();
                }
                times.push_back(seen.at_us);
            }
        }
    }

    fn drop_until(&mut self, until_us: i64) {
        match self {
            Times::None => {}
            Times::One(us) => {
                if *us <= until_us {
                    *self = Times::None;
                }
            }
            Times::Many(times) => {
                while times.front().is_some_and(|us| *us <= until_us) {
                    times.pop_front();
                }
                match times.len() {
                    0 => *self = Times::None,
                    1 => *self = times.front().map_or(Times::None, |us| Times::One(*us)),
                    _ => {}
                }
            }
        }
    }

    fn count(&self) -> usize {
        match self {
            Times::None => 0,
            Times::One(_) => 1,
            Times::Many(times) => times.len(),
        }
    }

    fn nth_newest(&self, n: usize) -> Option<i64> {
        match self {
            Times::None => None,
            Times::One(us) => (n == 1).then_some(*us),
            Times::Many(times) => times.len().checked_sub(n).and_then(|index| times.get(index).copied()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Times::None | Times::One(_) => 0,
            Times::Many(times) => LIST_BYTES + times.len() * size_of::<i64>(),
        }
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.number(self.count() as u64);
        match self {
            Times::None => {}
            Times::One(us) => out.time(*us),
            Times::Many(times) => times.iter().for_each(|us| out.time(*us)),
        }
    }

    fn load(from: &mut SnapshotReader<'_>) -> Result<Times, RestoreError> {
        let count = from.count()?;
        let times = (0..count).map(|_| from.time()).collect::<Result<VecDeque<_>, _>>()?;
        Ok(match count {
            0 => Times::None,
            1 => times.front().map_or(Times::None, |us| Times::One(*us)),
            _ => Times::Many(times),
        })
    }
}

/// Distinct values with the time at which each was last seen.
#[derive(Debug, Default)]
pub(crate) struct Values(Box<KeyTable<()>>);

/// The field whose values a rule counts.
fn field(rule: &Rule) -> Option<&Name> {
    match &rule.kind {
        Kind::Distinct { field, .. } => Some(field),
        _ => None,
    }
}

impl Recent for Values {
    fn concerns(rule: &Rule, document: &Document) -> bool {
        let mut found = false;
        field(rule).iter().for_each(|name| name.visit(document, &mut |value| found |= !value.is_empty()));
        found
    }

    fn record(&mut self, seen: &MatchedMessage<'_>, most: usize, context: &mut Context<'_>) {
        let rule = context.rule;
        let Some(name) = field(rule) else { return };
        name.visit(seen.document, &mut |value| {
            if value.is_empty() {
                return;
            }
            let mut stored = Vec::new();
            key::append(&mut stored, value, key::KeyPlace::Last);
            if let Some(slot) = self.0.find(&stored) {
                return self.0.touch(slot, seen.at_us);
            }
            // The first value of a key was granted with it.
            while let Some((oldest, _)) = self.0.oldest() {
                let full = self.0.len() >= most;
                if !full && context.grant_bytes(key_bytes::<()>(&stored)) == Grant::Given {
                    break;
                }
                context.release(key_bytes::<()>(self.0.key(oldest)));
                self.0.remove(oldest);
            }
            self.0.insert(&stored, seen.at_us, ());
        });
    }

    fn drop_until(&mut self, until_us: i64) {
        while let Some((slot, _)) = self.0.oldest().filter(|(_, last_us)| *last_us <= until_us) {
            self.0.remove(slot);
        }
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn nth_newest(&self, n: usize) -> Option<i64> {
        let slot = match n == self.0.len() {
            true => self.0.oldest().map(|(slot, _)| slot),
            false => self.0.newest_first().nth(n.checked_sub(1)?),
        };
        slot.map(|slot| self.0.last_us(slot))
    }

    fn bytes(&self) -> usize {
        TABLE_BYTES + self.0.bytes()
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.0, &mut |_, ()| {});
    }

    fn load(from: &mut SnapshotReader<'_>) -> Result<Values, RestoreError> {
        let mut values = Values::default();
        from.table(&mut values.0, &mut |_| Ok(()))?;
        Ok(values)
    }
}

//! Rules that fire at a message: each by itself, or once until nothing matched for a time.
//!
//! In: messages that match. Out: reports. Holds: for rules with a quiet time, the time and the ordinal of each key
//! that fires. Cost: a look-up a message.

use super::contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// The keys that fire.
#[derive(Debug)]
pub(super) struct Matching {
    quiet_us: Option<i64>,
    /// The figure that is reported when it fires.
    value: Option<f64>,
    /// The ordinals of instances.
    firing: KeyTable<u64>,
}

impl Matching {
    pub(super) fn new(quiet_us: Option<i64>) -> Matching {
        Matching { quiet_us, value: None, firing: KeyTable::default() }
    }

    /// Makes the state of a rule that counts to one within a sliding window.
    pub(super) fn counting(within_us: i64) -> Matching {
        Matching { quiet_us: Some(within_us), value: Some(1.0), firing: KeyTable::default() }
    }
}

impl State for Matching {
    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let Some(key) = keys.key(context.rule, &context.rule.by, seen.document) else { return };
        let moment = Moment { value: self.value, ..Moment::of(seen) };
        if self.quiet_us.is_none() {
            let ordinal = context.next_ordinal();
            return context.report(key, ordinal, Change::Occurred, moment);
        }
        if let Some(slot) = self.firing.find(key) {
            return self.firing.touch(slot, seen.at_us);
        }
        if context.grant_key(key_bytes::<u64>(key)) == Grant::Given {
            let ordinal = context.next_ordinal();
            self.firing.insert(key, seen.at_us, ordinal);
            context.report(key, ordinal, Change::Fired, moment);
        }
    }

    fn next_tick(&self) -> Option<i64> {
        let (_, last_us) = self.firing.oldest()?;
        self.quiet_us.map(|quiet_us| last_us.saturating_add(quiet_us))
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        let Some(quiet_us) = self.quiet_us else { return };
        let moment = Moment { value: self.value.map(|_| 0.0), ..Moment::tick(at_us) };
        for slot in self.firing.seen_until(at_us.saturating_sub(quiet_us)) {
            context.report(self.firing.key(slot), *self.firing.state(slot), Change::Resolved, moment);
            self.firing.remove(slot);
        }
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.firing)
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.firing, &mut |out, ordinal| out.number(*ordinal));
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.firing, &mut SnapshotReader::number)
    }
}

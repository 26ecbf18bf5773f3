//! Rules that fire when a second message follows a first one within a time.
//!
//! In: messages that match either query. Out: reports, at the second message. Holds: the newest first message of each
//! key: when that one is too old, so are all before it. A second message uses up the first ones before it.

use super::contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::Kind,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// The newest first message of each key: its sequence number.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    open: KeyTable<u64>,
    within_us: i64,
}

impl State for Sequence {
    fn start(&mut self, _: i64, context: &mut Context<'_>) {
        self.within_us = context.rule.kind.memory_us();
    }

    fn expire(&mut self, at_us: i64) {
        while let Some((slot, last_us)) = self.open.oldest() {
            if last_us.saturating_add(self.within_us) > at_us {
                break;
            }
            self.open.remove(slot);
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let rule = context.rule;
        let Kind::Sequence { then_by, .. } = &rule.kind else { return };
        if seen.role.is_then()
            && let Some(key) = keys.key(rule, then_by, seen.document)
            && let Some(slot) = self.open.find(key)
        {
            let first = self.open.remove(slot);
            let ordinal = context.next_ordinal();
            let moment = Moment { first: Some(first), ..Moment::of(seen) };
            context.report(key, ordinal, Change::Occurred, moment);
        }
        // A message that matches both ends one sequence and begins another.
        if seen.role.is_first()
            && let Some(key) = keys.key(rule, &rule.by, seen.document)
        {
            let sequence = seen.document.sequence;
            if let Some(slot) = self.open.find(key) {
                self.open.touch(slot, seen.at_us);
                *self.open.state_mut(slot) = sequence;
            } else if context.grant_key(key_bytes::<u64>(key)) == Grant::Given {
                self.open.insert(key, seen.at_us, sequence);
            }
        }
    }

    fn next_tick(&self) -> Option<i64> {
        None
    }

    fn tick(&mut self, _: i64, _: &mut Context<'_>) {}

    fn usage(&self) -> Usage {
        Usage::of(&self.open)
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.open, &mut |out, sequence| out.number(*sequence));
        out.time(self.within_us);
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.open, &mut SnapshotReader::number)?;
        self.within_us = from.time()?;
        Ok(())
    }
}

//! Rules that fire at a value that was not seen for a time.
//!
//! In: messages that match. Out: reports. Holds: every value seen within that time, exactly. Limits: those of the
//! rule's keys; a value for which there is no room is not reported, and the rule says so.

use super::contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes};
use crate::{
    key::{self, KeyMaker},
    key_table::KeyTable,
    rule::Kind,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// The values seen, each with the key before it.
#[derive(Debug, Default)]
pub(super) struct NewValue {
    seen: KeyTable<()>,
    started_us: i64,
    remember_us: i64,
}

impl State for NewValue {
    fn start(&mut self, at_us: i64, context: &mut Context<'_>) {
        self.started_us = at_us;
        self.remember_us = context.rule.kind.memory_us();
    }

    fn expire(&mut self, at_us: i64) {
        while let Some((slot, last_us)) = self.seen.oldest() {
            if last_us.saturating_add(self.remember_us) > at_us {
                break;
            }
            self.seen.remove(slot);
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let rule = context.rule;
        let Kind::NewValue { field, learn_us, .. } = &rule.kind else { return };
        let Some(by) = keys.key(rule, &rule.by, seen.document) else { return };
        let learning = seen.at_us < self.started_us.saturating_add(*learn_us);
        field.visit(seen.document, &mut |value| {
            if value.is_empty() {
                return;
            }
            let whole = key::extended(by, rule.by.len(), value);
            if let Some(slot) = self.seen.find(&whole) {
                return self.seen.touch(slot, seen.at_us);
            }
            if context.grant_key(key_bytes::<()>(&whole)) == Grant::Refused {
                return;
            }
            self.seen.insert(&whole, seen.at_us, ());
            if !learning {
                let ordinal = context.next_ordinal();
                context.report(&whole, ordinal, Change::Occurred, Moment::of(seen));
            }
        });
    }

    fn next_tick(&self) -> Option<i64> {
        None
    }

    fn tick(&mut self, _: i64, _: &mut Context<'_>) {}

    fn usage(&self) -> Usage {
        Usage::of(&self.seen)
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.seen, &mut |_, ()| {});
        out.time(self.started_us);
        out.time(self.remember_us);
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.seen, &mut |_| Ok(()))?;
        self.started_us = from.time()?;
        self.remember_us = from.time()?;
        Ok(())
    }
}

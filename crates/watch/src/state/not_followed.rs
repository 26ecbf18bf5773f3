//! Rules that fire when no second message follows a first one within a time.
//!
//! In: messages that match either query. Out: reports, when the time is over. Holds: the oldest first message of each
//! key that has no second one after it. A late second message resolves the instance; first messages while it fires add
//! nothing. Limits: an instance without second message is forgotten in the end.

use super::contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::Kind,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// An instance that fires.
#[derive(Clone, Copy, Debug, Default)]
struct Unanswered {
    ordinal: u64,
    /// Sequence number of the first message.
    first: u64,
}

/// The keys of a rule, each in at most one of the tables.
#[derive(Debug, Default)]
pub(super) struct NotFollowed {
    /// Sequence numbers of first messages whose time is not over.
    open: KeyTable<u64>,
    /// Instances, by the time at which they fired.
    firing: KeyTable<Unanswered>,
    within_us: i64,
    forget_us: i64,
}

impl NotFollowed {
    /// Takes a second message.
    fn answer(&mut self, key: &[u8], seen: &MatchedMessage<'_>, context: &mut Context<'_>) {
        if let Some(slot) = self.open.find(key) {
            self.open.remove(slot);
        } else if let Some(slot) = self.firing.find(key) {
            let Unanswered { ordinal, first } = self.firing.remove(slot);
            let moment = Moment { first: Some(first), ..Moment::of(seen) };
            context.report(key, ordinal, Change::Resolved, moment);
        }
    }
}

impl State for NotFollowed {
    fn start(&mut self, _: i64, context: &mut Context<'_>) {
        if let Kind::NotFollowed { within_us, forget_us, .. } = &context.rule.kind {
            (self.within_us, self.forget_us) = (*within_us, *forget_us);
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let rule = context.rule;
        let Kind::NotFollowed { then_by, .. } = &rule.kind else { return };
        if seen.role.is_then()
            && let Some(key) = keys.key(rule, then_by, seen.document)
        {
            self.answer(key, seen, context);
        }
        if seen.role.is_first()
            && let Some(key) = keys.key(rule, &rule.by, seen.document)
            && self.open.find(key).is_none()
            && self.firing.find(key).is_none()
            && context.grant_key(key_bytes::<Unanswered>(key)) == Grant::Given
        {
            self.open.insert(key, seen.at_us, seen.document.sequence);
        }
    }

    fn next_tick(&self) -> Option<i64> {
        let fires = self.open.oldest().map(|(_, first_us)| first_us.saturating_add(self.within_us));
        let forgets = self.firing.oldest().map(|(_, fired_us)| fired_us.saturating_add(self.forget_us));
        fires.into_iter().chain(forgets).min()
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        for slot in self.firing.seen_until(at_us.saturating_sub(self.forget_us)) {
            let Unanswered { ordinal, first } = *self.firing.state(slot);
            let moment = Moment { first: Some(first), ..Moment::tick(at_us) };
            context.report(self.firing.key(slot), ordinal, Change::Forgotten, moment);
            self.firing.remove(slot);
        }
        for slot in self.open.seen_until(at_us.saturating_sub(self.within_us)) {
            let ordinal = context.next_ordinal();
            let (key, first) = (self.open.key(slot), *self.open.state(slot));
            let moment = Moment { first: Some(first), ..Moment::tick(at_us) };
            context.report(key, ordinal, Change::Fired, moment);
            self.firing.insert(key, at_us, Unanswered { ordinal, first });
            self.open.remove(slot);
        }
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.open).plus(Usage::of(&self.firing))
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.open, &mut |out, sequence| out.number(*sequence));
        out.table(&self.firing, &mut |out, Unanswered { ordinal, first }| {
            out.number(*ordinal);
            out.number(*first);
        });
        out.time(self.within_us);
        out.time(self.forget_us);
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.open, &mut SnapshotReader::number)?;
        from.table(&mut self.firing, &mut |from| {
            Ok(Unanswered { ordinal: from.number()?, first: from.number()? })
        })?;
        self.within_us = from.time()?;
        self.forget_us = from.time()?;
        Ok(())
    }
}

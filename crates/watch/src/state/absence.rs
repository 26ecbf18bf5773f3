//! Rules that fire when a key is silent.
//!
//! In: messages that match, stops and starts of the listeners. Out: reports. Holds: the time at which each key was
//! last seen. Times are counted while the listeners run, so that a restart of ours is not a silence of all senders.
//! Limits: a key that is silent for long is forgotten, unless the rule names it.

use super::contract::{Context, Grant, Listening, MatchedMessage, Moment, State, Usage, key_bytes};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::{Kind, Rule},
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// The keys of a rule, each in one of the tables. Times in them are of the listeners' clock.
#[derive(Debug, Default)]
pub(super) struct Absence {
    /// Keys that are not expected yet, with the number of their messages.
    learning: KeyTable<u32>,
    /// Keys that are expected.
    heard: KeyTable<()>,
    /// Keys that are silent, with the ordinals of their instances, by the time at which they fired.
    silent: KeyTable<u64>,
    within_us: i64,
    forget_us: i64,
    /// Time for which the listeners were stopped, in microseconds.
    paused_us: i64,
    stopped_us: Option<i64>,
}

/// Returns the keys that a rule expects from its start; the only key of a rule without `by` is one.
fn expected(rule: &Rule) -> impl Iterator<Item = &[u8]> {
    let named: &[Box<[u8]>] = match &rule.kind {
        Kind::Absence { keys, .. } => keys,
        _ => &[],
    };
    let only: Option<&[u8]> = rule.by.is_empty().then_some(b"");
    named.iter().map(AsRef::as_ref).chain(only)
}

impl Absence {
    /// Returns the listeners' time of a time.
    fn listened(&self, at_us: i64) -> i64 {
        self.stopped_us.map_or(at_us, |stopped_us| stopped_us.min(at_us)).saturating_sub(self.paused_us)
    }

    /// Learns a key; it is expected from its n-th message on.
    fn learn(&mut self, key: &[u8], now_us: i64, context: &mut Context<'_>) {
        let Kind::Absence { learn, .. } = &context.rule.kind else { return };
        let known = self.learning.find(key);
        let count = known.map_or(0, |slot| *self.learning.state(slot)) + 1;
        if known.is_none() && context.grant_key(key_bytes::<u32>(key)) == Grant::Refused {
            return;
        }
        match known {
            Some(slot) if count >= *learn => {
                self.learning.remove(slot);
                self.heard.insert(key, now_us, ());
            }
            Some(slot) => {
                self.learning.touch(slot, now_us);
                *self.learning.state_mut(slot) = count;
            }
            None if count >= *learn => {
                self.heard.insert(key, now_us, ());
            }
            None => {
                self.learning.insert(key, now_us, count);
            }
        }
    }
}

impl State for Absence {
    fn start(&mut self, at_us: i64, context: &mut Context<'_>) {
        let Kind::Absence { within_us, forget_us, .. } = &context.rule.kind else { return };
        (self.within_us, self.forget_us) = (*within_us, *forget_us);
        for key in expected(context.rule) {
            if self.heard.find(key).is_none() && context.grant_key(key_bytes::<()>(key)) == Grant::Given {
                self.heard.insert(key, at_us, ());
            }
        }
    }

    fn expire(&mut self, at_us: i64) {
        // Keys that were silent before they were expected are learnt from the beginning.
        let now_us = self.listened(at_us);
        while let Some((slot, last_us)) = self.learning.oldest() {
            if last_us.saturating_add(self.within_us) > now_us {
                break;
            }
            self.learning.remove(slot);
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let now_us = self.listened(seen.at_us);
        let Some(key) = keys.key(context.rule, &context.rule.by, seen.document) else { return };
        if let Some(slot) = self.heard.find(key) {
            self.heard.touch(slot, now_us);
        } else if let Some(slot) = self.silent.find(key) {
            let ordinal = self.silent.remove(slot);
            context.report(key, ordinal, Change::Resolved, Moment::of(seen));
            self.heard.insert(key, now_us, ());
        } else {
            self.learn(key, now_us, context);
        }
    }

    fn next_tick(&self) -> Option<i64> {
        if self.stopped_us.is_some() {
            return None;
        }
        let fires = self.heard.oldest().map(|(_, last_us)| last_us.saturating_add(self.within_us));
        let forgets = self.silent.oldest().map(|(_, fired_us)| fired_us.saturating_add(self.forget_us));
        let next = fires.into_iter().chain(forgets).min();
        next.map(|listened_us| listened_us.saturating_add(self.paused_us))
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        let now_us = self.listened(at_us);
        let moment = Moment::tick(at_us);
        for slot in self.silent.seen_until(now_us.saturating_sub(self.forget_us)) {
            let key = self.silent.key(slot);
            if expected(context.rule).any(|expected| expected == key) {
                // It stays expected: the time after which it would be forgotten begins again.
                self.silent.touch(slot, now_us);
                continue;
            }
            context.report(key, *self.silent.state(slot), Change::Forgotten, moment);
            self.silent.remove(slot);
        }
        for slot in self.heard.seen_until(now_us.saturating_sub(self.within_us)) {
            let ordinal = context.next_ordinal();
            let key = self.heard.key(slot);
            context.report(key, ordinal, Change::Fired, moment);
            self.silent.insert(key, now_us, ordinal);
            self.heard.remove(slot);
        }
    }

    fn listen(&mut self, listening: Listening) {
        match (listening, self.stopped_us) {
            (Listening::Stopped(at_us), None) => self.stopped_us = Some(at_us),
            (Listening::Started(at_us), Some(stopped_us)) => {
                self.paused_us = self.paused_us.saturating_add(at_us.saturating_sub(stopped_us));
                self.stopped_us = None;
            }
            (Listening::Stopped(_), Some(_)) | (Listening::Started(_), None) => {}
        }
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.learning).plus(Usage::of(&self.heard)).plus(Usage::of(&self.silent))
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.learning, &mut |out, count| out.number(u64::from(*count)));
        out.table(&self.heard, &mut |_, ()| {});
        out.table(&self.silent, &mut |out, ordinal| out.number(*ordinal));
        [self.within_us, self.forget_us, self.paused_us].into_iter().for_each(|us| out.time(us));
        out.optional_time(self.stopped_us);
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.learning, &mut |from| {
            u32::try_from(from.number()?).map_err(|_| RestoreError::Damaged)
        })?;
        from.table(&mut self.heard, &mut |_| Ok(()))?;
        from.table(&mut self.silent, &mut SnapshotReader::number)?;
        self.within_us = from.time()?;
        self.forget_us = from.time()?;
        self.paused_us = from.time()?;
        self.stopped_us = from.optional_time()?;
        Ok(())
    }
}

//! Rules that count messages or distinct values within the time before each moment.
//!
//! In: messages that match. Out: reports. Holds: for each key the last N times, or the N values seen last with their
//! times: an N-th newest time within the window is the same as N or more in it. Cost: constant a message, whatever the
//! window. Limits: eight bytes a time; a key whose window is empty is dropped.

mod recent;

pub(super) use recent::{Recent, Times, Values};

use super::{
    contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes},
    phase::Phase,
};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::Threshold,
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};
use std::collections::BTreeSet;

/// The window of a key.
#[derive(Debug, Default)]
struct Tracked<R> {
    recent: R,
    phase: Phase,
}

/// The windows of all keys.
#[derive(Debug)]
pub(super) struct Sliding<R> {
    within_us: i64,
    /// The count that fires.
    fires_at: usize,
    /// The count below which an instance is resolved.
    keeps_at: usize,
    keys: KeyTable<Tracked<R>>,
    /// Bytes that the windows point to.
    bytes: usize,
    /// The time at which each key that is pending or firing is looked at again.
    due: BTreeSet<(i64, u32)>,
}

impl<R: Recent> Sliding<R> {
    pub(super) fn new(within_us: i64, threshold: Threshold, hysteresis_permille: u16) -> Sliding<R> {
        // Rules of other thresholds are refused when they are read.
        let fires_at = threshold.count_from().unwrap_or(1).max(1) as usize;
        let keeps_at = (fires_at * usize::from(hysteresis_permille)).div_ceil(1_000).max(1);
        let keys = KeyTable::default();
        Sliding { within_us, fires_at, keeps_at, keys, bytes: 0, due: BTreeSet::new() }
    }

    /// Schedules the next look at a key that is pending or firing.
    fn schedule(&mut self, slot: u32, hold_us: i64) {
        let tracked = self.keys.state(slot);
        let ends =
            |count: usize| tracked.recent.nth_newest(count).map(|us| us.saturating_add(self.within_us));
        let due = match tracked.phase {
            Phase::Idle => None,
            Phase::Pending { since_us } => {
                ends(self.fires_at).map(|end| end.min(since_us.saturating_add(hold_us)))
            }
            Phase::Firing { .. } => ends(self.keeps_at),
        };
        self.due.extend(due.map(|due| (due, slot)));
    }

    /// Looks at a key whose time has come.
    fn look(&mut self, slot: u32, at_us: i64, context: &mut Context<'_>) {
        let until_us = at_us.saturating_sub(self.within_us);
        let hold_us = context.rule.hold_us;
        let before = self.keys.state(slot).recent.bytes();
        let tracked = self.keys.state_mut(slot);
        tracked.recent.drop_until(until_us);
        let count = tracked.recent.count();
        let phase = tracked.phase;
        self.bytes = self.bytes + tracked.recent.bytes() - before;
        let moment = Moment::tick(at_us).with(count as f64);
        let key = self.keys.key(slot);
        let phase = match phase {
            Phase::Firing { ordinal } if count < self.keeps_at => {
                context.report(key, ordinal, Change::Resolved, moment);
                Phase::Idle
            }
            Phase::Pending { .. } if count < self.fires_at => Phase::Idle,
            Phase::Pending { since_us } if since_us.saturating_add(hold_us) <= at_us => {
                Phase::fire(key, moment, context)
            }
            same => same,
        };
        self.keys.state_mut(slot).phase = phase;
        self.schedule(slot, hold_us);
    }
}

impl<R: Recent> State for Sliding<R> {
    fn expire(&mut self, now_us: i64) {
        // Keys that fire were resolved by their ticks.
        while let Some((slot, last_us)) = self.keys.oldest() {
            if last_us.saturating_add(self.within_us) > now_us || self.keys.state(slot).phase != Phase::Idle {
                break;
            }
            let removed = self.keys.remove(slot);
            self.bytes -= removed.recent.bytes();
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        if !R::concerns(context.rule, seen.document) {
            return;
        }
        let Some(key) = keys.key(context.rule, &context.rule.by, seen.document) else { return };
        let slot = match self.keys.find(key) {
            Some(slot) => {
                self.keys.touch(slot, seen.at_us);
                slot
            }
            None => match context.grant_key(key_bytes::<Tracked<R>>(key)) {
                Grant::Given => {
                    let slot = self.keys.insert(key, seen.at_us, Tracked::default());
                    self.bytes += self.keys.state(slot).recent.bytes();
                    slot
                }
                Grant::Refused => return,
            },
        };
        let tracked = self.keys.state_mut(slot);
        let before = tracked.recent.bytes();
        tracked.recent.drop_until(seen.at_us.saturating_sub(self.within_us));
        tracked.recent.record(seen, self.fires_at, context);
        let count = tracked.recent.count();
        let idle = tracked.phase == Phase::Idle;
        self.bytes = self.bytes + tracked.recent.bytes() - before;
        if !idle || count < self.fires_at {
            return;
        }
        let moment = Moment::of(seen).with(count as f64);
        let phase = match context.rule.hold_us {
            0 => Phase::fire(self.keys.key(slot), moment, context),
            _ => Phase::Pending { since_us: seen.at_us },
        };
        self.keys.state_mut(slot).phase = phase;
        self.schedule(slot, context.rule.hold_us);
    }

    fn next_tick(&self) -> Option<i64> {
        self.due.first().map(|(due, _)| *due)
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        let mut slots = Vec::new();
        while let Some((due, slot)) = self.due.first().copied().filter(|(due, _)| *due <= at_us) {
            self.due.remove(&(due, slot));
            slots.push(slot);
        }
        self.keys.sort(&mut slots);
        slots.into_iter().for_each(|slot| self.look(slot, at_us, context));
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.keys).plus(Usage { keys: 0, bytes: self.bytes })
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.keys, &mut |out, tracked| {
            tracked.recent.save(out);
            tracked.phase.save(out);
        });
        // Slots are not the same after a restart, keys are.
        let mut due: Vec<_> = self.due.iter().map(|(due, slot)| (*due, self.keys.key(*slot))).collect();
        due.sort_unstable();
        out.number(due.len() as u64);
        for (due, key) in due {
            out.time(due);
            out.bytes(key);
        }
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        from.table(&mut self.keys, &mut |from| {
            Ok(Tracked { recent: R::load(from)?, phase: Phase::load(from)? })
        })?;
        for _ in 0..from.count()? {
            let due = from.time()?;
            let slot = self.keys.find(from.bytes()?).ok_or(RestoreError::Damaged)?;
            self.due.insert((due, slot));
        }
        let slots = self.keys.oldest_first();
        self.bytes = slots.map(|slot| self.keys.state(slot).recent.bytes()).sum();
        Ok(())
    }
}

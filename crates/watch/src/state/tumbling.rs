//! Rules that look at windows side by side: counts, distinct values, figures of numbers.
//!
//! In: messages that match. Out: reports, at the end of a window. Holds: what the present window needs of each key.
//! Limits: distinct values up to one more than the threshold tells apart. A window that began before the rule is
//! evaluated only where what is missing could not keep it from firing: counts that must be large.
//!
//! A key takes part in the windows in which it has a message, and in all while it fires. A rule without `by` has one
//! key; when a count of 0 fires, it takes part in every window.

use super::{
    contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes},
    figure::Figure,
    phase::{Judgement, Phase},
};
use crate::{
    key::{self, KeyMaker, KeyPlace},
    key_table::KeyTable,
    rule::{Kind, Rule, Threshold},
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
};
use std::collections::BTreeSet;

/// The messages of a key in the present window.
#[derive(Debug, Default)]
struct Collected {
    count: u64,
    values: BTreeSet<Box<[u8]>>,
    figure: Figure,
    phase: Phase,
}

/// The present window of all keys.
#[derive(Debug)]
pub(super) struct Tumbling {
    us: i64,
    keys: KeyTable<Collected>,
    /// Bytes of distinct values.
    bytes: usize,
    /// Start of the present window, if there is one.
    window_us: Option<i64>,
    /// Start of the rule.
    started_us: i64,
    /// None when ends of windows change nothing until a message arrives.
    awake: Option<()>,
}

impl Collected {
    /// Returns the figure that a rule compares; none without numbers.
    fn value(&self, rule: &Rule) -> Option<f64> {
        match &rule.kind {
            Kind::Count { .. } => Some(self.count as f64),
            Kind::Distinct { .. } => Some(self.values.len() as f64),
            Kind::Value { aggregate, .. } => self.figure.value(*aggregate),
            _ => None,
        }
    }

    /// Begins the next window; returns the bytes that are free again.
    fn clear(&mut self) -> usize {
        let bytes = self.values.iter().map(|value| value_bytes(value)).sum();
        *self = Collected { phase: self.phase, ..Collected::default() };
        bytes
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }
}

fn value_bytes(value: &[u8]) -> usize {
    value.len() + 40
}

/// Returns the thresholds of a rule: those that fire, and those that resolve, if they are different.
fn thresholds(rule: &Rule) -> Option<(Threshold, Option<Threshold>)> {
    match &rule.kind {
        Kind::Count { threshold, .. } | Kind::Distinct { threshold, .. } => Some((*threshold, None)),
        Kind::Value { threshold, resolve, .. } => Some((*threshold, *resolve)),
        _ => None,
    }
}

/// Judges a figure; without numbers nothing fires, and what fires has ended.
pub(super) fn judge(rule: &Rule, value: Option<f64>) -> Judgement {
    let (Some((fires, resolves)), Some(value)) = (thresholds(rule), value) else {
        return Judgement::Ended;
    };
    match resolves {
        _ if fires.holds(value) => Judgement::Holds,
        Some(resolves) if !resolves.holds(value) => Judgement::Between,
        _ => Judgement::Ended,
    }
}

/// Returns true if a window that was seen in part only can be judged like a whole one.
fn judges_parts(rule: &Rule) -> bool {
    matches!(&rule.kind, Kind::Count { threshold, .. } | Kind::Distinct { threshold, .. } if threshold.is_upward())
}

/// Returns true if the rule's only key takes part in every window.
fn is_always_there(rule: &Rule) -> bool {
    let counts = matches!(rule.kind, Kind::Count { .. } | Kind::Distinct { .. });
    counts && rule.by.is_empty() && judge(rule, Some(0.0)) == Judgement::Holds
}

impl Tumbling {
    pub(super) fn new(us: i64) -> Tumbling {
        let (keys, bytes) = (KeyTable::default(), 0);
        Tumbling { us, keys, bytes, window_us: None, started_us: i64::MIN, awake: None }
    }

    fn collect(&mut self, slot: u32, seen: &MatchedMessage<'_>, context: &mut Context<'_>) {
        let rule = context.rule;
        match &rule.kind {
            Kind::Distinct { field, threshold, .. } => {
                let collected = self.keys.state_mut(slot);
                let most = usize::try_from(threshold.count_cap()).unwrap_or(usize::MAX);
                field.visit(seen.document, &mut |value| {
                    let mut stored = Vec::new();
                    key::append(&mut stored, value, KeyPlace::Last);
                    let known = stored.is_empty() || collected.values.contains(stored.as_slice());
                    if known || collected.values.len() >= most {
                        return;
                    }
                    if context.grant_bytes(value_bytes(&stored)) == Grant::Given {
                        self.bytes += value_bytes(&stored);
                        collected.values.insert(stored.into());
                    }
                });
                collected.count += 1;
            }
            Kind::Value { field, .. } => {
                let collected = self.keys.state_mut(slot);
                field.number(seen.document).iter().for_each(|number| collected.figure.add(*number));
                collected.count += 1;
            }
            _ => self.keys.state_mut(slot).count += 1,
        }
    }

    /// Returns true if the rule takes nothing from a message.
    fn ignores(rule: &Rule, seen: &MatchedMessage<'_>) -> bool {
        match &rule.kind {
            Kind::Distinct { field, .. } => field.value(seen.document).is_none(),
            Kind::Value { field, .. } => field.number(seen.document).is_none(),
            _ => false,
        }
    }

    /// Returns the slot of a key, added if there is room.
    fn slot(&mut self, key: &[u8], at_us: i64, context: &mut Context<'_>) -> Option<u32> {
        if let Some(slot) = self.keys.find(key) {
            return Some(slot);
        }
        let grant = context.grant_key(key_bytes::<Collected>(key));
        (grant == Grant::Given).then(|| self.keys.insert(key, at_us, Collected::default()))
    }

    /// Judges a key at the end of a window and clears it.
    fn end(&mut self, slot: u32, window_us: i64, end_us: i64, context: &mut Context<'_>) {
        let collected = self.keys.state(slot);
        let mut phase = collected.phase;
        if window_us >= self.started_us || judges_parts(context.rule) {
            let value = collected.value(context.rule);
            let moment = Moment { value, ..Moment::tick(end_us) };
            phase = phase.judged(self.keys.key(slot), judge(context.rule, value), moment, context);
        }
        let collected = self.keys.state_mut(slot);
        collected.phase = phase;
        self.bytes -= collected.clear();
        let empty = collected.value(context.rule);
        let steady = match (phase, judge(context.rule, empty)) {
            (Phase::Idle, Judgement::Holds) | (Phase::Pending { .. }, _) => None,
            (Phase::Idle, _) | (Phase::Firing { .. }, Judgement::Holds | Judgement::Between) => Some(()),
            (Phase::Firing { .. }, Judgement::Ended) => None,
        };
        if phase == Phase::Idle && !is_always_there(context.rule) {
            self.keys.remove(slot);
        } else if steady.is_none() {
            self.awake = Some(());
        }
    }
}

impl State for Tumbling {
    fn start(&mut self, at_us: i64, context: &mut Context<'_>) {
        self.started_us = at_us;
        if is_always_there(context.rule) {
            self.keys.insert(b"", at_us, Collected::default());
            self.window_us = Some(at_us.div_euclid(self.us).saturating_mul(self.us));
            self.awake = Some(());
        }
    }

    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        if Tumbling::ignores(context.rule, seen) {
            return;
        }
        let Some(key) = keys.key(context.rule, &context.rule.by, seen.document) else { return };
        // Windows that changed nothing were passed over.
        self.window_us = Some(seen.at_us.div_euclid(self.us).saturating_mul(self.us));
        self.awake = Some(());
        if let Some(slot) = self.slot(key, seen.at_us, context) {
            self.collect(slot, seen, context);
        }
    }

    fn next_tick(&self) -> Option<i64> {
        self.awake?;
        self.window_us.map(|window_us| window_us.saturating_add(self.us))
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        let window_us = at_us.saturating_sub(self.us);
        let mut slots: Vec<u32> = self.keys.oldest_first().collect();
        self.keys.sort(&mut slots);
        self.awake = None;
        slots.into_iter().for_each(|slot| self.end(slot, window_us, at_us, context));
        self.window_us = Some(at_us);
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.keys).plus(Usage { keys: 0, bytes: self.bytes })
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.keys, &mut |out, collected| {
            out.number(collected.count);
            out.number(collected.values.len() as u64);
            collected.values.iter().for_each(|value| out.bytes(value));
            collected.figure.save(out);
            collected.phase.save(out);
        });
        out.optional_time(self.window_us);
        out.time(self.started_us);
        out.number(u64::from(self.awake.is_some()));
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        let mut bytes = 0;
        from.table(&mut self.keys, &mut |from| {
            let count = from.number()?;
            let values = (0..from.count()?).map(|_| Ok(from.bytes()?.into())).collect::<Result<_, _>>()?;
            let collected =
                Collected { count, values, figure: Figure::load(from)?, phase: Phase::load(from)? };
            bytes += collected.values.iter().map(|value| value_bytes(value)).sum::<usize>();
            Ok(collected)
        })?;
        self.bytes = bytes;
        self.window_us = from.optional_time()?;
        self.started_us = from.time()?;
        self.awake = (from.number()? != 0).then_some(());
        // A key without messages that does not fire exists only where it takes part in every window.
        let odd = |slot: u32| {
            let collected = self.keys.state(slot);
            collected.is_empty() && collected.phase == Phase::Idle && !self.keys.key(slot).is_empty()
        };
        if self.keys.oldest_first().any(odd) { Err(RestoreError::Damaged) } else { Ok(()) }
    }
}

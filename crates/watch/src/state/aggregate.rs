//! Rules on figures of numbers within the time before each moment: sum, mean, smallest, largest.
//!
//! In: messages that match. Out: reports. Holds: for each key at most sixty parts of the window with their figures.
//! Limits: the window ends at the end of a sixtieth of its length, so that it is up to a sixtieth shorter at a message.
//!
//! Figures that a message can only raise past an upper threshold, or lower past a lower one, are judged at each
//! message; all are judged at the end of each sixtieth.

use super::{
    contract::{Context, Grant, MatchedMessage, Moment, State, Usage, key_bytes},
    figure::Figure,
    phase::{Judgement, Phase},
    tumbling::judge,
};
use crate::{
    key::KeyMaker,
    key_table::KeyTable,
    rule::{Aggregate, Kind, Rule},
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
};
use std::collections::VecDeque;

/// Parts of a window.
const PARTS: i64 = 60;
/// Bytes of a part.
const PART_BYTES: usize = size_of::<(i64, Figure)>();

/// The window of a key.
#[derive(Debug, Default)]
struct Parts {
    /// The number of each part since 1970, and its figures.
    parts: VecDeque<(i64, Figure)>,
    phase: Phase,
}

impl Parts {
    /// Drops the parts before one; returns their number.
    fn drop_before(&mut self, first: i64) -> usize {
        let before = self.parts.len();
        while self.parts.front().is_some_and(|(part, _)| *part < first) {
            self.parts.pop_front();
        }
        before - self.parts.len()
    }

    fn figure(&self) -> Figure {
        self.parts.iter().fold(Figure::default(), |mut sum, (_, figure)| {
            sum.merge(figure);
            sum
        })
    }
}

/// The windows of all keys.
#[derive(Debug)]
pub(super) struct SlidingAggregate {
    /// Length of a part in microseconds.
    part_us: i64,
    keys: KeyTable<Parts>,
    /// Parts of all keys.
    parts: usize,
    /// End of the present part, when there is a key.
    end_us: Option<i64>,
}

/// Returns the figure of a rule.
fn aggregate_of(rule: &Rule) -> Option<Aggregate> {
    match &rule.kind {
        Kind::Value { aggregate, .. } => Some(*aggregate),
        _ => None,
    }
}

/// Returns true if a single message can carry the figure past the threshold for good.
fn crosses(rule: &Rule) -> bool {
    match &rule.kind {
        Kind::Value { aggregate: Aggregate::Max | Aggregate::Sum, threshold, .. } => threshold.is_upward(),
        Kind::Value { aggregate: Aggregate::Min, threshold, .. } => threshold.is_downward(),
        _ => false,
    }
}

impl SlidingAggregate {
    pub(super) fn new(within_us: i64) -> SlidingAggregate {
        let part_us = (within_us / PARTS).max(1);
        SlidingAggregate { part_us, keys: KeyTable::default(), parts: 0, end_us: None }
    }

    fn slot(&mut self, key: &[u8], at_us: i64, context: &mut Context<'_>) -> Option<u32> {
        if let Some(slot) = self.keys.find(key) {
            return Some(slot);
        }
        let grant = context.grant_key(key_bytes::<Parts>(key) + PART_BYTES);
        (grant == Grant::Given).then(|| self.keys.insert(key, at_us, Parts::default()))
    }

    /// Adds a number to the present part of a key; without room it joins the newest part that there is.
    fn add(&mut self, slot: u32, part: i64, number: f64, context: &mut Context<'_>) {
        let window = self.keys.state_mut(slot);
        let dropped = window.drop_before(part - PARTS + 1);
        self.parts -= dropped;
        let newest = window.parts.back_mut();
        match newest {
            Some((known, figure)) if *known == part => figure.add(number),
            Some((known, figure)) if context.grant_bytes(PART_BYTES) == Grant::Refused => {
                *known = part;
                figure.add(number);
            }
            _ => {
                let mut figure = Figure::default();
                figure.add(number);
                window.parts.push_back((part, figure));
                self.parts += 1;
            }
        }
    }

    /// Judges a key at the end of a part.
    fn end(&mut self, slot: u32, at_us: i64, context: &mut Context<'_>) {
        let next = at_us.div_euclid(self.part_us);
        let window = self.keys.state_mut(slot);
        self.parts -= window.drop_before(next - PARTS);
        let value = aggregate_of(context.rule).and_then(|aggregate| window.figure().value(aggregate));
        let moment = Moment { value, ..Moment::tick(at_us) };
        let judgement = judge(context.rule, value);
        let phase = self.keys.state(slot).phase;
        let phase = phase.judged(self.keys.key(slot), judgement, moment, context);
        let window = self.keys.state_mut(slot);
        window.phase = phase;
        if window.parts.is_empty() && phase == Phase::Idle {
            self.keys.remove(slot);
        }
    }
}

impl State for SlidingAggregate {
    fn message(&mut self, seen: &MatchedMessage<'_>, keys: &mut KeyMaker, context: &mut Context<'_>) {
        let rule = context.rule;
        let Kind::Value { field, aggregate, .. } = &rule.kind else { return };
        let Some(number) = field.number(seen.document) else { return };
        let Some(key) = keys.key(rule, &rule.by, seen.document) else { return };
        let Some(slot) = self.slot(key, seen.at_us, context) else { return };
        let part = seen.at_us.div_euclid(self.part_us);
        self.add(slot, part, number, context);
        self.end_us = Some((part + 1).saturating_mul(self.part_us));
        if !crosses(rule) {
            return;
        }
        let window = self.keys.state(slot);
        let value = window.figure().value(*aggregate);
        // A message may begin what holds; what ends is judged at the end of a part.
        if window.phase == Phase::Idle && judge(rule, value) == Judgement::Holds {
            let moment = Moment { value, ..Moment::of(seen) };
            let phase = window.phase.judged(self.keys.key(slot), Judgement::Holds, moment, context);
            self.keys.state_mut(slot).phase = phase;
        }
    }

    fn next_tick(&self) -> Option<i64> {
        self.end_us
    }

    fn tick(&mut self, at_us: i64, context: &mut Context<'_>) {
        let mut slots: Vec<u32> = self.keys.oldest_first().collect();
        self.keys.sort(&mut slots);
        slots.into_iter().for_each(|slot| self.end(slot, at_us, context));
        self.end_us = (!self.keys.is_empty()).then(|| at_us.saturating_add(self.part_us));
    }

    fn usage(&self) -> Usage {
        Usage::of(&self.keys).plus(Usage { keys: 0, bytes: self.parts * PART_BYTES })
    }

    fn save(&self, out: &mut SnapshotWriter) {
        out.table(&self.keys, &mut |out, window| {
            out.number(window.parts.len() as u64);
            for (part, figure) in &window.parts {
                out.time(*part);
                figure.save(out);
            }
            window.phase.save(out);
        });
        out.optional_time(self.end_us);
    }

    fn load(&mut self, from: &mut SnapshotReader<'_>) -> Result<(), RestoreError> {
        let mut all = 0;
        from.table(&mut self.keys, &mut |from| {
            let count = from.count()?;
            let parts = (0..count).map(|_| Ok((from.time()?, Figure::load(from)?)));
            let parts = parts.collect::<Result<VecDeque<_>, RestoreError>>()?;
            all += parts.len();
            Ok(Parts { parts, phase: Phase::load(from)? })
        })?;
        self.parts = all;
        self.end_us = from.optional_time()?;
        Ok(())
    }
}

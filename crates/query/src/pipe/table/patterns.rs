//! Patterns of messages: their texts with the parts that change left out.
//!
//! In: messages. Out: a row per pattern with its exact count, when it was first and last seen, and its counts over
//! time.
//! A word with a digit is always left out; a word in which patterns differ is, when it has many variants.
//! Limits: [`PATTERNS_MAX`]: messages of further ones are counted together, and the answer says so; the memory of the search.

use super::super::step::HeldRows;
use crate::{
    answer::{Clock, SearchError},
    language::{times, words},
    memory::{MemoryBudget, MemoryPermit},
    stage::{Name, PATTERN_COLUMNS, number_text},
};
use lookup::Document;
use message::ValueKind;
use std::collections::HashMap;

/// Most patterns that are counted separately.
const PATTERNS_MAX: usize = 50_000;
/// Longest pattern in bytes; longer messages are grouped by their start.
const PATTERN_BYTES_MAX: usize = 1_024;
/// Number of intervals of the counts over time.
const POINTS: usize = 20;
/// Number of different words at one position from which on the position counts as variable.
const VARIANTS: usize = 8;
/// Most patterns that are compared with each other.
const COMPARED_MAX: usize = 5_000;
/// Placeholder for a variable word.
const GAP: &[u8] = b"<*>";
/// Memory per pattern besides its text, in a table that was just enlarged.
const SLOT_BYTES: usize = 2 * (size_of::<PatternUse>() + size_of::<Vec<u8>>()) + 24;
/// The same of a text that patterns are compared by.
const VARIANT_BYTES: usize = 160;
/// Memory of a row of the table.
const ROW_BYTES: usize = 2_048;

#[derive(Clone, Debug)]
struct PatternUse {
    count: u64,
    first_us: i64,
    last_us: i64,
    points: [u64; POINTS],
}

pub(in crate::pipe) struct Patterns {
    known: HashMap<Vec<u8>, PatternUse>,
    rest: u64,
    from_us: i64,
    to_us: i64,
    clock: Clock,
    budget: MemoryBudget,
    memory: MemoryPermit,
}

impl Patterns {
    pub(in crate::pipe) fn new(from_us: i64, to_us: i64, clock: Clock, budget: &MemoryBudget) -> Patterns {
        let (budget, memory) = (budget.clone(), budget.permit("patterns"));
        Patterns {
            known: HashMap::new(),
            rest: 0,
            from_us,
            to_us: to_us.max(from_us + 1),
            clock,
            budget,
            memory,
        }
    }

    pub(in crate::pipe) fn add(&mut self, row: &Document) -> Result<(), SearchError> {
        let us = match self.clock {
            Clock::Event => row.event.unix_us,
            Clock::Received => row.received_us,
        };
        let length = self.to_us.saturating_sub(self.from_us);
        let place = (us.saturating_sub(self.from_us) as i128 * POINTS as i128 / i128::from(length))
            .clamp(0, POINTS as i128 - 1);
        let mut seen = PatternUse { count: 1, first_us: us, last_us: us, points: [0; POINTS] };
        seen.points[place as usize] = 1;
        let pattern = masked(&row.text);
        if !self.known.contains_key(&pattern) && self.known.len() < PATTERNS_MAX {
            self.memory.grow(pattern.len() + SLOT_BYTES)?;
        }
        self.put(pattern, seen);
        Ok(())
    }

    fn put(&mut self, pattern: Vec<u8>, seen: PatternUse) {
        let has_space = self.known.len() < PATTERNS_MAX;
        match self.known.get_mut(&pattern) {
            Some(known) => known.merge(&seen),
            None if has_space => {
                self.known.insert(pattern, seen);
            }
            None => self.rest += seen.count,
        }
    }

    pub(in crate::pipe) fn merge(&mut self, other: Patterns) {
        self.rest += other.rest;
        self.memory.absorb(other.memory);
        for (pattern, seen) in other.known {
            if self.known.contains_key(&pattern) {
                self.memory.shrink(pattern.len() + SLOT_BYTES);
            }
            self.put(pattern, seen);
        }
    }

    pub(in crate::pipe) fn rows(
        mut self,
        limit: usize,
        notes: &mut Vec<String>,
    ) -> Result<HeldRows, SearchError> {
        if self.rest > 0 {
            notes.push(format!(
                "{} messages of patterns beyond the first {PATTERNS_MAX} are left out",
                self.rest
            ));
        }
        // Each pass may make further patterns equal; a few are enough.
        for _ in 0..3 {
            if !self.join()? {
                break;
            }
        }
        let total: u64 = self.known.values().map(|seen| seen.count).sum::<u64>() + self.rest;
        let mut known: Vec<(Vec<u8>, PatternUse)> = self.known.into_iter().collect();
        known.sort_unstable_by(|a, b| b.1.count.cmp(&a.1.count).then_with(|| a.0.cmp(&b.0)));
        known.truncate(limit);
        self.memory.grow(known.len() * ROW_BYTES)?;
        let rows = known.into_iter().map(|(pattern, seen)| seen.row(pattern, total)).collect();
        Ok(HeldRows { rows, memory: self.memory })
    }

    /// Joins patterns that differ in one word only when that position has many different words. Returns true
    /// if it joined any.
    fn join(&mut self) -> Result<bool, SearchError> {
        if self.known.len() > COMPARED_MAX {
            return Ok(false);
        }
        let mut memory = self.budget.permit("patterns");
        memory.grow(self.known.keys().map(Vec::len).sum())?;
        let patterns: Vec<Vec<u8>> = self.known.keys().cloned().collect();
        let mut variants: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let mut parts: Vec<&[u8]> = pattern.split(|byte| *byte == b' ').collect();
            for index in 0..parts.len() {
                let part = std::mem::replace(&mut parts[index], GAP);
                if !part.is_empty() && part != GAP {
                    memory.grow(pattern.len() + VARIANT_BYTES)?;
                    variants.entry(parts.join(&b' ')).or_default().push(number);
                }
                parts[index] = part;
            }
        }
        let mut joined = false;
        let mut open: Vec<_> =
            variants.into_iter().filter(|(_, members)| members.len() >= VARIANTS).collect();
        // The largest first: a pattern joins the group with most similar ones.
        open.sort_unstable_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        for (pattern, members) in open {
            let left = members.iter().filter(|number| self.known.contains_key(&patterns[**number])).count();
            if left < VARIANTS {
                continue;
            }
            for number in members {
                if let Some(seen) = self.known.remove(&patterns[number]) {
                    self.put(pattern.clone(), seen);
                }
            }
            joined = true;
        }
        Ok(joined)
    }
}

impl PatternUse {
    fn merge(&mut self, other: &PatternUse) {
        self.count += other.count;
        self.first_us = self.first_us.min(other.first_us);
        self.last_us = self.last_us.max(other.last_us);
        self.points.iter_mut().zip(other.points).for_each(|(own, other)| *own += other);
    }

    fn row(&self, pattern: Vec<u8>, total: u64) -> Document {
        let mut row = Document::default();
        let share = 100.0 * self.count as f64 / total.max(1) as f64;
        let points: Vec<String> = self.points.iter().map(u64::to_string).collect();
        let values = [
            (pattern, ValueKind::String),
            (self.count.to_string().into_bytes(), ValueKind::Integer),
            (number_text((share * 100.0).round() / 100.0).as_bytes().to_vec(), ValueKind::Double),
            (times::shown(self.first_us).into_bytes(), ValueKind::String),
            (times::shown(self.last_us).into_bytes(), ValueKind::String),
            (format!("[{}]", points.join(",")).into_bytes(), ValueKind::Json),
        ];
        for (name, (value, kind)) in PATTERN_COLUMNS.iter().zip(values) {
            Name::made(name).set(&mut row, value, kind);
        }
        row
    }
}

/// Replaces each word that contains a digit by a gap.
fn masked(text: &[u8]) -> Vec<u8> {
    let text = &text[..text.len().min(PATTERN_BYTES_MAX)];
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    words::tokens(text, &mut |range| {
        out.extend_from_slice(&text[at..range.start]);
        match text[range.clone()].iter().any(u8::is_ascii_digit) {
            true => out.extend_from_slice(GAP),
            false => out.extend_from_slice(&text[range.clone()]),
        }
        at = range.end;
    });
    out.extend_from_slice(&text[at..]);
    out
}

//! Groups of rows with the functions of each.
//!
//! In: rows, or values with their counts from an index. Out: a row per group. Limits: [`GROUPS_MAX`] groups and
//! [`KEY_BYTES_MAX`] of keys: rows of further groups are counted together, and the answer says so; the memory of the search.

use super::{
    super::step::HeldRows,
    aggregate::{Aggregate, compare},
};
use crate::{
    answer::{Clock, SearchError},
    language::{times, tree::FunctionKind},
    memory::{MemoryBudget, MemoryError, MemoryPermit},
    stage::{GroupBy, Name, Of, Shape, TIME, number_text},
};
use lookup::Document;
use message::ValueKind;
use std::{cmp::Ordering, collections::HashMap, sync::Arc};

/// Most groups that are counted separately.
pub(crate) const GROUPS_MAX: usize = 200_000;
/// Most bytes of their keys.
const KEY_BYTES_MAX: usize = 64 << 20;
/// Memory of a group besides its key and its sums: its slot in a table that was just enlarged, and two allocated
/// blocks.
const GROUP_BYTES: usize = 160;
/// Memory of a value of a row, with its name, besides its text.
const CELL_BYTES: usize = 112;

pub(in crate::pipe) struct Groups {
    by: Arc<GroupBy>,
    /// Width and start of intervals; zero width when there are none.
    pub(in crate::pipe) grid: Grid,
    known: HashMap<Vec<u8>, Vec<Aggregate>>,
    bytes: usize,
    /// Number of rows of groups beyond the limits.
    rest: u64,
    key: Vec<u8>,
    /// True when the state of a function grows with every row.
    sums_grow: bool,
    memory: MemoryPermit,
    /// The first refusal of memory; stored here because counting from an index cannot return it.
    refused: Option<MemoryError>,
}

/// The groups of a segment, kept for other searches.
pub(in crate::pipe) struct KeptGroups(Vec<(Box<[u8]>, Vec<Aggregate>)>);

/// The intervals of a timechart.
#[derive(Clone, Copy, Default)]
pub(in crate::pipe) struct Grid {
    pub(in crate::pipe) width_us: i64,
    pub(in crate::pipe) offset_us: i64,
    /// The clock of the times.
    pub(in crate::pipe) clock: Clock,
    /// Added to the times that are shown, to compare with a later table.
    pub(in crate::pipe) shift_us: i64,
    /// First and last interval, to show empty ones too.
    pub(in crate::pipe) range: Option<(i64, i64)>,
}

impl Grid {
    /// Start of the interval of a time.
    pub(in crate::pipe) fn start(&self, us: i64) -> i64 {
        let local = us.saturating_add(self.offset_us);
        local.div_euclid(self.width_us.max(1)).saturating_mul(self.width_us).saturating_sub(self.offset_us)
    }
}

impl Groups {
    pub(in crate::pipe) fn new(by: Arc<GroupBy>, grid: Grid, budget: &MemoryBudget) -> Groups {
        let stage = match by.shape {
            Shape::Stats => "stats",
            Shape::Top { .. } => "top",
            Shape::Timechart { .. } => "timechart",
        };
        let is_fixed =
            |of: &Of| matches!(of.kind, FunctionKind::Count | FunctionKind::Sum | FunctionKind::Avg);
        let sums_grow = !by.functions.iter().all(is_fixed);
        let (known, memory) = (HashMap::new(), budget.permit(stage));
        Groups { by, grid, known, bytes: 0, rest: 0, key: Vec::new(), sums_grow, memory, refused: None }
    }

    pub(in crate::pipe) fn by(&self) -> &Arc<GroupBy> {
        &self.by
    }

    /// Adds a row to its group; rows without one of the keys belong to none. If tags are the only key, a row with
    /// several of them belongs to the group of each.
    pub(in crate::pipe) fn add(&mut self, row: &Document) -> Result<(), SearchError> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        if self.grid.width_us > 0 {
            let us = match self.grid.clock {
                Clock::Event => row.event.unix_us,
                Clock::Received => row.received_us,
            };
            push_time(&mut key, self.grid.start(us));
        }
        let by = self.by.clone();
        let mut added = Ok(());
        match by.keys.as_slice() {
            [only] => {
                let start = key.len();
                only.visit(row, &mut |value| {
                    key.truncate(start);
                    push_key(&mut key, value);
                    if added.is_ok() {
                        added = self.add_to(&key, row);
                    }
                });
            }
            keys => {
                if keys.iter().all(|name| {
                    name.value(row).is_some_and(|(value, _)| {
                        push_key(&mut key, &value);
                        true
                    })
                }) {
                    added = self.add_to(&key, row);
                }
            }
        }
        self.key = key;
        added
    }

    fn add_to(&mut self, key: &[u8], row: &Document) -> Result<(), SearchError> {
        if let Some(bytes) = self.new_group_bytes(key) {
            self.memory.grow(bytes)?;
        }
        let by = self.by.clone();
        let sums_grow = self.sums_grow;
        let Some(group) = self.group(key) else {
            self.rest += 1;
            return Ok(());
        };
        let before = if sums_grow { heap_bytes(group) } else { 0 };
        group.iter_mut().zip(&by.functions).for_each(|(sum, of)| sum.add_row(of, row));
        let after = if sums_grow { heap_bytes(group) } else { 0 };
        self.memory.shrink(before.saturating_sub(after));
        self.memory.grow(after.saturating_sub(before))?;
        Ok(())
    }

    /// Adds a value of the only key that occurs in `times` rows of an interval; every function is a count.
    pub(in crate::pipe) fn add_counted(
        &mut self,
        interval_us: Option<i64>,
        value: Option<&[u8]>,
        times: u64,
    ) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        if let Some(us) = interval_us {
            push_time(&mut key, us);
        }
        if let Some(value) = value {
            push_key(&mut key, value);
        }
        if self.may_hold(&key) {
            match self.group(&key) {
                Some(group) => group.iter_mut().for_each(|sum| sum.add_value(b"", times)),
                None => self.rest += times,
            }
        }
        self.key = key;
    }

    /// Adds the functions of the `count` rows of a group; its key are the interval and the values.
    pub(in crate::pipe) fn add_group<'v>(
        &mut self,
        interval_us: Option<i64>,
        values: impl Iterator<Item = &'v [u8]>,
        count: u64,
        sums: Vec<Aggregate>,
    ) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        if let Some(us) = interval_us {
            push_time(&mut key, us);
        }
        values.for_each(|value| push_key(&mut key, value));
        self.add_sums(&key, count, sums);
        self.key = key;
    }

    fn add_sums(&mut self, key: &[u8], count: u64, sums: Vec<Aggregate>) {
        if !self.may_hold(key) {
            return;
        }
        let Some(group) = self.group(key) else {
            self.rest += count;
            return;
        };
        let before = heap_bytes(group);
        group.iter_mut().zip(sums).for_each(|(own, sum)| own.merge(sum));
        let more = heap_bytes(group).saturating_sub(before);
        self.refused = self.memory.grow_at_once(more).err();
    }

    /// Adds a value that occurs in `times` rows to function number `index` of the only group.
    pub(in crate::pipe) fn add_value(&mut self, index: usize, value: &[u8], times: u64) {
        if !self.may_hold(b"") {
            return;
        }
        let Some(sum) = self.group(b"").and_then(|group| group.get_mut(index)) else { return };
        let before = sum.heap_bytes();
        sum.add_value(value, times);
        let more = sum.heap_bytes().saturating_sub(before);
        self.refused = self.memory.grow_at_once(more).err();
    }

    /// Fails if memory ran out while counting from an index.
    pub(in crate::pipe) fn check(&mut self) -> Result<(), SearchError> {
        self.refused.take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Takes memory for a group without waiting, because the caller may hold a lock. Returns true if there was
    /// some.
    fn may_hold(&mut self, key: &[u8]) -> bool {
        if self.refused.is_none()
            && let Some(bytes) = self.new_group_bytes(key)
        {
            self.refused = self.memory.grow_at_once(bytes).err();
        }
        self.refused.is_none()
    }

    /// Returns the memory that a new group needs.
    fn new_group_bytes(&self, key: &[u8]) -> Option<usize> {
        (!self.known.contains_key(key)).then(|| self.group_bytes(key))
    }

    fn group_bytes(&self, key: &[u8]) -> usize {
        key.len() + GROUP_BYTES + self.by.functions.len() * size_of::<Aggregate>()
    }

    fn group(&mut self, key: &[u8]) -> Option<&mut Vec<Aggregate>> {
        if !self.known.contains_key(key) {
            if self.known.len() >= GROUPS_MAX || self.bytes + key.len() > KEY_BYTES_MAX {
                return None;
            }
            self.bytes += key.len();
            let fresh = self.by.functions.iter().map(|of| Aggregate::new(of.kind)).collect();
            self.known.insert(key.to_vec(), fresh);
        }
        self.known.get_mut(key)
    }

    pub(in crate::pipe) fn merge(&mut self, other: Groups) {
        self.rest += other.rest;
        self.refused = self.refused.take().or(other.refused);
        self.memory.absorb(other.memory);
        for (key, sums) in other.known {
            let lost: u64 = sums.iter().map(Aggregate::count).max().unwrap_or_default();
            let is_new = !self.known.contains_key(&key);
            let mut freed = if is_new { 0 } else { self.group_bytes(&key) };
            match self.group(&key) {
                Some(group) => {
                    let before = heap_bytes(group) + heap_bytes(&sums);
                    group.iter_mut().zip(sums).for_each(|(own, sum)| own.merge(sum));
                    freed += before.saturating_sub(heap_bytes(group));
                }
                None => self.rest += lost,
            }
            self.memory.shrink(freed);
        }
    }

    /// Copies the groups, to be kept for another search; none when some were left out. The bytes are those that they
    /// need.
    pub(in crate::pipe) fn kept(&self) -> Option<KeptGroups> {
        let group = |(key, sums): (&Vec<u8>, &Vec<Aggregate>)| (key.as_slice().into(), sums.clone());
        (self.rest == 0).then(|| KeptGroups(self.known.iter().map(group).collect()))
    }

    /// Returns the bytes of memory of the groups.
    pub(in crate::pipe) fn held_bytes(&self) -> usize {
        self.known.iter().map(|(key, sums)| self.group_bytes(key) + heap_bytes(sums)).sum()
    }

    /// Adds groups that were kept.
    pub(in crate::pipe) fn add_kept(&mut self, kept: &KeptGroups) {
        for (key, sums) in &kept.0 {
            let count = sums.iter().map(Aggregate::count).max().unwrap_or_default();
            self.add_sums(key, count, sums.clone());
        }
    }

    /// Returns the rows in their order, and adds remarks about them to `notes`.
    pub(in crate::pipe) fn rows(mut self, notes: &mut Vec<String>) -> Result<HeldRows, SearchError> {
        self.check()?;
        if self.rest > 0 {
            notes.push(format!("{} rows of groups beyond the first {GROUPS_MAX} are left out", self.rest));
        }
        self.fill();
        self.memory.grow(self.rows_bytes())?;
        let parts = if self.grid.width_us > 0 { timed_parts } else { parts };
        let mut groups: Vec<(Vec<Vec<u8>>, Vec<Aggregate>)> =
            self.known.into_iter().map(|(key, sums)| (parts(&key), sums)).collect();
        let by_key = |a: &(Vec<Vec<u8>>, Vec<Aggregate>), b: &(Vec<Vec<u8>>, Vec<Aggregate>)| {
            let pairs = a.0.iter().zip(&b.0);
            pairs.map(|(a, b)| compare(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let total: u64 = groups.iter().map(|(_, sums)| sums[0].count()).sum::<u64>() + self.rest;
        match self.by.shape {
            Shape::Top { limit } => {
                groups
                    .sort_unstable_by(|a, b| b.1[0].count().cmp(&a.1[0].count()).then_with(|| by_key(a, b)));
                groups.truncate(limit);
            }
            Shape::Stats | Shape::Timechart { .. } => groups.sort_unstable_by(by_key),
        }
        let row = |(key, sums): (Vec<Vec<u8>>, Vec<Aggregate>)| {
            let mut row = Document::default();
            let mut key = key.into_iter();
            if self.grid.width_us > 0 {
                let us = key.next().and_then(|text| String::from_utf8(text).ok()?.parse::<i64>().ok());
                let shown = times::shown(us.unwrap_or_default().saturating_add(self.grid.shift_us));
                Name::made(TIME).set(&mut row, shown.into_bytes(), ValueKind::String);
            }
            self.by
                .keys
                .iter()
                .zip(key)
                .for_each(|(name, value)| name.set(&mut row, value, ValueKind::String));
            for (of, sum) in self.by.functions.iter().zip(&sums) {
                if let Some((value, kind)) = sum.result() {
                    Name::made(&of.shown).set(&mut row, value, kind);
                }
            }
            if let Shape::Top { .. } = self.by.shape {
                let share = 100.0 * sums[0].count() as f64 / total.max(1) as f64;
                let share = number_text((share * 100.0).round() / 100.0);
                Name::made("percent").set(&mut row, share.as_bytes().to_vec(), ValueKind::Double);
            }
            row
        };
        Ok(HeldRows { rows: groups.into_iter().map(row).collect(), memory: self.memory })
    }

    /// Returns the memory of the rows, and of the key parts while they are made.
    fn rows_bytes(&self) -> usize {
        let shown = match self.by.shape {
            Shape::Top { limit } => limit.min(self.known.len()),
            Shape::Stats | Shape::Timechart { .. } => self.known.len(),
        };
        let cells = self.by.keys.len() + self.by.functions.len() + 1;
        self.known.len() * cells * size_of::<Vec<u8>>()
            + 2 * self.bytes
            + shown * (size_of::<Document>() + cells * CELL_BYTES)
    }

    /// Adds rows that must be shown although no messages belong to them: the one group of no keys, the empty
    /// intervals of a timechart.
    fn fill(&mut self) {
        if !self.by.keys.is_empty() {
            return;
        }
        match self.grid.range {
            _ if self.grid.width_us == 0 => {
                self.group(b"");
            }
            Some((first, last)) => {
                let mut start = first;
                while start <= last {
                    let mut key = Vec::new();
                    push_time(&mut key, start);
                    self.group(&key);
                    start += self.grid.width_us;
                }
            }
            None => {}
        }
    }
}

/// Returns the bytes that sums hold on the heap.
fn heap_bytes(sums: &[Aggregate]) -> usize {
    sums.iter().map(Aggregate::heap_bytes).sum()
}

/// A key is its parts with their lengths; an interval is eight bytes without.
fn push_time(key: &mut Vec<u8>, us: i64) {
    key.extend_from_slice(&us.to_be_bytes());
}

fn push_key(key: &mut Vec<u8>, value: &[u8]) {
    key.extend_from_slice(&(value.len() as u32).to_be_bytes());
    key.extend_from_slice(value);
}

/// The parts of a key with an interval, which becomes a number in text.
fn timed_parts(key: &[u8]) -> Vec<Vec<u8>> {
    match key.split_first_chunk::<8>() {
        Some((time, rest)) => {
            let mut all = vec![i64::from_be_bytes(*time).to_string().into_bytes()];
            all.extend(parts(rest));
            all
        }
        None => parts(key),
    }
}

/// The parts of a key without an interval.
fn parts(mut key: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    while let Some((length, rest)) = key.split_first_chunk::<4>() {
        let (value, rest) = rest.split_at((u32::from_be_bytes(*length) as usize).min(rest.len()));
        parts.push(value.to_vec());
        key = rest;
    }
    parts
}

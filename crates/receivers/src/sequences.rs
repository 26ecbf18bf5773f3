//! A set of places in a queue.
//!
//! In: places, and runs of them. Out: what of a range is in the set, and what is not; the set as bytes. Holds: its runs, sorted,
//! with at least one place between two of them. Limits: 16 bytes for each run; the caller bounds their number.

use std::ops::Range;

/// Bits of a byte of a number that carry it; the eighth says that more follow.
const NUMBER_BITS: u32 = 7;

/// Places of messages in a queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SequenceSet {
    runs: Vec<Range<u64>>,
}

impl SequenceSet {
    /// Adds one place.
    pub fn insert(&mut self, place: u64) {
        self.insert_run(place..place.saturating_add(1));
    }

    /// Adds consecutive places.
    pub fn insert_run(&mut self, run: Range<u64>) {
        if run.is_empty() {
            return;
        }
        // Messages come in their order.
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            Some(last) if last.end > run.start => {
                let from = self.runs.partition_point(|other| other.end < run.start);
                let to = self.runs.partition_point(|other| other.start <= run.end);
                let touched = &self.runs[from..to];
                let start = touched.first().map_or(run.start, |first| first.start.min(run.start));
                let end = touched.last().map_or(run.end, |last| last.end.max(run.end));
                self.runs.splice(from..to, std::iter::once(start..end));
            }
            _ => self.runs.push(run),
        }
    }

    /// Adds another set.
    pub fn extend(&mut self, other: &SequenceSet) {
        if other.first().is_none_or(|first| self.runs.last().is_none_or(|last| last.end < first)) {
            return self.runs.extend_from_slice(&other.runs);
        }
        let mut all = std::mem::take(&mut self.runs);
        all.extend_from_slice(&other.runs);
        all.sort_unstable_by_key(|run| run.start);
        for run in all {
            match self.runs.last_mut() {
                Some(last) if last.end >= run.start => last.end = last.end.max(run.end),
                _ => self.runs.push(run),
            }
        }
    }

    /// Removes everything below a place.
    pub fn trim(&mut self, below: u64) {
        let from = self.runs.partition_point(|run| run.end <= below);
        self.runs.drain(..from);
        if let Some(first) = self.runs.first_mut() {
            first.start = first.start.max(below);
        }
    }

    /// Returns whether a place is in the set.
    pub fn has(&self, place: u64) -> bool {
        let at = self.runs.partition_point(|run| run.end <= place);
        self.runs.get(at).is_some_and(|run| run.start <= place)
    }

    /// Returns the lowest place.
    pub fn first(&self) -> Option<u64> {
        self.runs.first().map(|run| run.start)
    }

    /// Returns the place after the highest one; 0 when the set is empty.
    pub fn end(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.end)
    }

    /// Returns true when no place is in the set.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the number of places.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }

    /// Returns the bytes of its runs in memory.
    pub fn size(&self) -> usize {
        self.runs.len() * size_of::<Range<u64>>()
    }

    /// Returns the runs of a range that are in the set.
    pub fn inside(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let from = self.runs.partition_point(|run| run.end <= range.start);
        let touched = self.runs[from..].iter().take_while(|run| run.start < range.end);
        touched.map(|run| run.start.max(range.start)..run.end.min(range.end)).collect()
    }

    /// Returns the runs of a range that are not in the set.
    pub fn outside(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let (mut next, mut gaps) = (range.start, Vec::new());
        for run in self.inside(range.clone()) {
            if next < run.start {
                gaps.push(next..run.start);
            }
            next = run.end;
        }
        if next < range.end {
            gaps.push(next..range.end);
        }
        gaps
    }

    /// Appends the set as bytes: for each run the distance from the one before it and its length, as numbers of variable length.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut at = 0;
        for run in &self.runs {
            write_number(run.start - at, out);
            write_number(run.end - run.start, out);
            at = run.end;
        }
    }

    /// Reads what [`SequenceSet::encode`] wrote; `None` for bytes that are no set.
    pub fn decode(mut bytes: &[u8]) -> Option<SequenceSet> {
        let (mut set, mut at) = (SequenceSet::default(), 0_u64);
        while !bytes.is_empty() {
            let start = at.checked_add(read_number(&mut bytes)?)?;
            let end = start.checked_add(read_number(&mut bytes)?)?;
            if end == start {
                return None;
            }
            set.insert_run(start..end);
            at = end;
        }
        Some(set)
    }
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >> NUMBER_BITS > 0 {
        out.push(number as u8 | 1 << NUMBER_BITS);
        number >>= NUMBER_BITS;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(NUMBER_BITS as usize) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(first & ((1 << NUMBER_BITS) - 1));
        number |= bits.checked_mul(1 << shift)?;
        if first >> NUMBER_BITS == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests;

//! `sort`: rows in the order of their keys.
//!
//! In: rows, newest first. Out: the same sorted; of equal keys the newest first. Holds: every row, or the best so
//! far if later commands need only some. Limits: [`ROWS_MAX`] rows when all are needed; the memory of its search.

use super::step::{Next, Step};
use crate::{
    answer::SearchError,
    language::words,
    memory::{MemoryPermit, document_bytes},
    stage::Name,
};
use lookup::Document;
use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Most rows that `sort` holds.
pub(crate) const ROWS_MAX: usize = 100_000;

pub(super) struct Sort {
    keys: Vec<(Name, bool)>,
    /// Number of rows needed; none: all.
    wanted: Option<usize>,
    /// The last in order is on top.
    rows: BinaryHeap<Entry>,
    taken: u64,
    memory: MemoryPermit,
}

/// A row with its sort keys.
struct Entry {
    keys: Vec<Key>,
    /// The row's number in the order of arrival.
    number: u64,
    row: Document,
    bytes: usize,
}

/// A value in its comparable form; rows without one come last in either direction.
enum Key {
    Ascending(Value),
    Descending(Reverse<Value>),
    Missing,
}

struct Value {
    /// The value as a number, if it is one.
    number: Option<f64>,
    text: Vec<u8>,
}

impl Sort {
    pub(super) fn new(keys: Vec<(Name, bool)>, wanted: Option<usize>, memory: MemoryPermit) -> Sort {
        Sort { keys, wanted, rows: BinaryHeap::new(), taken: 0, memory }
    }
}

impl Step for Sort {
    fn push(&mut self, row: Document, _next: Next<'_>) -> Result<bool, SearchError> {
        self.taken += 1;
        let entry = Entry::new(&self.keys, self.taken, row);
        if self.wanted.is_some_and(|wanted| self.rows.len() >= wanted) {
            let is_better = self.rows.peek().is_some_and(|last| entry < *last);
            if !is_better {
                return Ok(true);
            }
            self.memory.grow(entry.bytes)?;
            if let Some(last) = self.rows.pop() {
                self.memory.shrink(last.bytes);
            }
        } else {
            self.memory.grow(entry.bytes)?;
        }
        self.rows.push(entry);
        if self.wanted.is_none() && self.rows.len() > ROWS_MAX {
            let text =
                format!("sort holds at most {ROWS_MAX} rows: put head behind it, or narrow the search");
            return Err(SearchError::Refused(text));
        }
        Ok(true)
    }

    fn finish(&mut self, next: Next<'_>) -> Result<(), SearchError> {
        for entry in std::mem::take(&mut self.rows).into_sorted_vec() {
            let more = next(entry.row)?;
            self.memory.shrink(entry.bytes);
            if !more {
                break;
            }
        }
        Ok(())
    }
}

impl Entry {
    fn new(keys: &[(Name, bool)], number: u64, row: Document) -> Entry {
        let key = |(name, descending): &(Name, bool)| match (name.value(&row), descending) {
            (None, _) => Key::Missing,
            (Some((text, _)), false) => Key::Ascending(Value::new(text)),
            (Some((text, _)), true) => Key::Descending(Reverse(Value::new(text))),
        };
        let keys: Vec<Key> = keys.iter().map(key).collect();
        let of_keys: usize = keys.iter().map(Key::bytes).sum();
        let bytes = size_of::<Entry>() + of_keys + document_bytes(&row);
        Entry { keys, number, row, bytes }
    }
}

impl Key {
    fn bytes(&self) -> usize {
        let text = match self {
            Key::Ascending(value) | Key::Descending(Reverse(value)) => value.text.len(),
            Key::Missing => 0,
        };
        size_of::<Key>() + text
    }

    /// Returns the rank of the kind of value; missing values are last.
    fn rank(&self) -> u8 {
        u8::from(matches!(self, Key::Missing))
    }
}

impl Value {
    fn new(text: Vec<u8>) -> Value {
        Value { number: words::number(&text), text }
    }
}

/// Orders numbers by size, equal ones by their text; then texts, times among them by what they mean.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        let of_numbers = match (self.number, other.number) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        of_numbers.then_with(|| words::compare_texts(&self.text, &other.text))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Ascending(one), Key::Ascending(other)) => one.cmp(other),
            (Key::Descending(one), Key::Descending(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.keys.cmp(&other.keys).then_with(|| self.number.cmp(&other.number))
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

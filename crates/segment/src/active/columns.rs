//! The columns of an active segment.
//!
//! In: values, message by message. Out: distinct values and each document's value id; numbers by document.
//! Holds: eight bytes per value. Limits: [`NAMED_MAX`] names; values of further names go to one column of lists.

use super::terms::Terms;
use crate::memory;
use crate::{
    answers::column::Fixed,
    format::list::{self, Entry},
};
use lookup::pattern::number;
use message::{Stamp, ValueKind, ZoneQuality};
use std::collections::{HashMap, HashSet};

/// Most name-value columns of a segment. Each costs a directory entry and a dictionary; senders choose the names.
/// Elasticsearch has the same limit (`index.mapping.total_fields.limit`).
pub const NAMED_MAX: usize = 1000;
/// Most values of a document without a column for which the table that finds repeated ones is reused for the next.
const REST_SEEN_KEPT: usize = 1024;

/// Memory of a named column without values: its table of 64 slots, and the entries that refer to it.
const NAMED_BYTES: usize = 2304;
/// Memory of one value's id and document.
const VALUE_ID_BYTES: usize = 8;

/// Values of one column.
pub(crate) struct Column {
    pub(crate) values: Terms,
    /// The documents that have a value, ascending; none while it is every one from the first on.
    listed: Option<Vec<u32>>,
    /// Their value ids.
    pub(crate) value_ids: Vec<u32>,
    /// True when every value can be read as a number.
    pub(crate) numeric: bool,
}

impl Column {
    fn with_capacity(documents: usize) -> Column {
        let value_ids = memory::with_capacity(documents);
        Column { values: Terms::new(), listed: None, value_ids, numeric: true }
    }

    /// Bytes of memory in use.
    fn memory_bytes(&self) -> usize {
        let listed = self.listed.as_deref().map_or(0, size_of_val);
        self.values.memory_bytes() + listed + size_of_val(self.value_ids.as_slice())
    }

    /// The documents that have a value, ascending; `None` for all below the number of value ids.
    pub(crate) fn listed(&self) -> Option<&[u32]> {
        self.listed.as_deref()
    }

    /// How many documents below one have a value.
    pub(crate) fn count_below(&self, document: u32) -> usize {
        match &self.listed {
            Some(listed) => listed.partition_point(|known| *known < document),
            None => self.value_ids.len().min(document as usize),
        }
    }

    /// Returns true when a document has a value; no later document may have one.
    fn ends_with(&self, document: u32) -> bool {
        match &self.listed {
            Some(listed) => listed.last() == Some(&document),
            None => self.value_ids.len() == document as usize + 1,
        }
    }

    /// Returns the id of a value, assigning one if it is new.
    #[inline]
    pub(crate) fn intern(&mut self, value: &[u8]) -> u32 {
        let known = self.values.len();
        let id = self.values.intern(value);
        if id == known {
            self.numeric &= number(value).is_some();
        }
        id + 1
    }

    /// Sets the value id of a document; 0 is none. Returns false when it already has one, which is kept.
    #[inline]
    pub(crate) fn push(&mut self, document: u32, value_id: u32) -> bool {
        let is_new = value_id > 0 && !self.ends_with(document);
        if is_new {
            if self.listed.is_none() && self.value_ids.len() != document as usize {
                self.listed = Some((0..self.value_ids.len() as u32).collect());
            }
            if let Some(listed) = &mut self.listed {
                listed.push(document);
            }
            self.value_ids.push(value_id);
            debug_assert!(self.listed.as_ref().is_none_or(|listed| listed.len() == self.value_ids.len()));
        }
        is_new
    }

    /// Returns the value id of a document.
    pub(crate) fn value_id_of(&self, document: u32) -> u32 {
        let index = match &self.listed {
            Some(listed) => listed.binary_search(&document).ok(),
            None => Some(document as usize),
        };
        index.and_then(|index| self.value_ids.get(index)).copied().unwrap_or(0)
    }

    /// The value of a document; empty for none.
    pub(crate) fn value_of(&self, document: u32) -> &[u8] {
        self.string(self.value_id_of(document))
    }

    /// Returns the value of an id; empty for none.
    pub(crate) fn string(&self, value_id: u32) -> &[u8] {
        value_id.checked_sub(1).map_or(b"", |id| self.values.string(id))
    }
}

impl Drop for Column {
    fn drop(&mut self) {
        memory::recycle(std::mem::take(&mut self.value_ids));
    }
}

/// A column of name-value pairs of one name and type.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) kind: ValueKind,
    pub(crate) column: Column,
}

/// Numbers of each document.
pub(crate) struct Times {
    /// Received, ascending.
    pub(crate) received: Vec<i64>,
    pub(crate) event: Vec<i64>,
    /// Offset and quality of the event time, see [`zone_number`].
    pub(crate) zone: Vec<i64>,
    /// Start of the text, see `text`.
    pub(crate) text_start: Vec<i64>,
    pub(crate) text_tail: Vec<i64>,
}

impl Times {
    /// Bytes of memory in use.
    fn memory_bytes(&self) -> usize {
        let Times { received, event, zone, text_start, text_tail } = self;
        [received, event, zone, text_start, text_tail]
            .map(|numbers| size_of_val(numbers.as_slice()))
            .iter()
            .sum()
    }

    fn with_capacity(documents: usize) -> Times {
        Times {
            received: memory::with_capacity(documents),
            event: memory::with_capacity(documents),
            zone: memory::with_capacity(documents),
            text_start: memory::with_capacity(documents),
            text_tail: memory::with_capacity(documents),
        }
    }
}

impl Drop for Times {
    fn drop(&mut self) {
        let Times { received, event, zone, text_start, text_tail } = self;
        for numbers in [received, event, zone, text_start, text_tail] {
            memory::recycle(std::mem::take(numbers));
        }
    }
}

/// All columns.
pub(crate) struct Columns {
    pub(crate) fixed: [Column; Fixed::ALL.len()],
    pub(crate) named: Vec<Named>,
    pub(crate) times: Times,
    by_name: HashMap<Vec<u8>, usize>,
    /// Bytes of memory that the named columns use, counted as they grow: there are too many to ask each.
    named_bytes: usize,
    /// Values whose names arrived when there were already [`NAMED_MAX`] columns.
    uncolumned: u64,
    key: Vec<u8>,
    rest: Vec<u8>,
    /// The entries of `rest`.
    rest_seen: HashSet<Vec<u8>>,
}

impl Columns {
    /// Creates columns without values, with memory reserved for the numbers of `documents` documents.
    pub(crate) fn new(documents: usize) -> Columns {
        Columns {
            fixed: std::array::from_fn(|_| Column::with_capacity(documents)),
            named: Vec::new(),
            times: Times::with_capacity(documents),
            by_name: HashMap::new(),
            named_bytes: 0,
            uncolumned: 0,
            key: Vec::new(),
            rest: Vec::new(),
            rest_seen: HashSet::new(),
        }
    }

    /// Bytes of memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        let fixed: usize = self.fixed.iter().map(Column::memory_bytes).sum();
        fixed + self.named_bytes + self.times.memory_bytes()
    }

    /// Values that have no column of their name because there were [`NAMED_MAX`] already.
    pub(crate) fn uncolumned(&self) -> u64 {
        self.uncolumned
    }

    /// A fixed column.
    #[inline]
    pub(crate) fn of(&mut self, fixed: Fixed) -> &mut Column {
        &mut self.fixed[fixed as usize]
    }

    /// Sets a document's value of a fixed column; an empty value is none.
    #[inline]
    pub(crate) fn set(&mut self, fixed: Fixed, document: u32, value: &[u8]) {
        if !value.is_empty() {
            let column = self.of(fixed);
            let value_id = column.intern(value);
            column.push(document, value_id);
        }
    }

    /// Adds a name-value pair to a document. Returns false when it has this exact pair already. Structured data may
    /// repeat a name: the first value is in the column, the others in the list of values without a column.
    pub(crate) fn add_value(&mut self, document: u32, name: &str, kind: ValueKind, value: &[u8]) -> bool {
        self.key.clear();
        self.key.push(kind as u8);
        self.key.extend_from_slice(name.as_bytes());
        let index = match self.by_name.get(&self.key) {
            Some(index) => *index,
            None if self.named.len() < NAMED_MAX => {
                self.by_name.insert(self.key.clone(), self.named.len());
                self.named.push(Named { name: name.to_owned(), kind, column: Column::with_capacity(0) });
                self.named_bytes += NAMED_BYTES + 2 * name.len();
                self.named.len() - 1
            }
            None => {
                let is_new = self.add_rest(Entry { name: name.as_bytes(), kind, value });
                self.uncolumned += u64::from(is_new);
                return is_new;
            }
        };
        let column = &mut self.named[index].column;
        if column.ends_with(document) {
            let is_new = column.value_of(document) != value;
            return is_new && self.add_rest(Entry { name: name.as_bytes(), kind, value });
        }
        let before = column.values.memory_bytes();
        let value_id = column.intern(value);
        self.named_bytes += column.values.memory_bytes() - before + VALUE_ID_BYTES;
        column.push(document, value_id)
    }

    /// Adds a value without a column to the current document; returns false when it already has it.
    fn add_rest(&mut self, entry: Entry<'_>) -> bool {
        let start = self.rest.len();
        list::push(&mut self.rest, entry);
        // Searching the list would take quadratic time: the sender chooses how many values a message has.
        let is_new = self.rest_seen.insert(self.rest.get(start..).unwrap_or_default().to_vec());
        if !is_new {
            self.rest.truncate(start);
        }
        is_new
    }

    /// Ends a document: values without a column are stored as a list.
    pub(crate) fn end(&mut self, document: u32) {
        if !self.rest.is_empty() {
            let rest = std::mem::take(&mut self.rest);
            self.set(Fixed::Rest, document, &rest);
            self.rest = rest;
            self.rest.clear();
            self.rest_seen.clear();
            self.rest_seen.shrink_to(REST_SEEN_KEPT);
        }
    }
}

/// Offset and quality as one number.
pub(crate) fn zone_number(stamp: Stamp) -> i64 {
    i64::from(stamp.offset_s) * 4 + stamp.quality as i64
}

/// The stamp again.
pub(crate) fn stamp_of(unix_us: i64, zone: i64) -> Stamp {
    let quality = match zone.rem_euclid(4) {
        0 => ZoneQuality::Absent,
        1 => ZoneQuality::Known,
        2 => ZoneQuality::ZoneGuessed,
        _ => ZoneQuality::YearGuessed,
    };
    Stamp { unix_us, offset_s: zone.div_euclid(4) as i32, quality }
}

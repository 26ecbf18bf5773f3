//! Columns of text values and their queries, active or sealed.
//!
//! In: a column's distinct values and each document's value id. Out: documents with a matching value, counts.
//! A value id is the ordinal of a value plus one; 0 means that the document has none.
//! Limits: one counter per distinct value while counting.

mod marks;
mod value_ids;

use crate::format::list;
use lookup::{Bitmap, CancelToken, Column, Pattern, ReadError, pattern::Matcher};
pub(crate) use marks::ValueIdRange;
use message::{Facility, Severity, ValueKind};
use std::collections::HashMap;
pub(crate) use value_ids::ValueIds;

/// The columns that every segment has. The number is stored in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Fixed {
    Host = 0,
    Program = 1,
    Pid = 2,
    Msgid = 3,
    /// The priority in decimal: facility and severity are read from it.
    Pri = 4,
    Source = 5,
    Peer = 6,
    /// Lists of tags.
    Tags = 7,
    /// Lists of the values without a named column.
    Rest = 8,
}

impl Fixed {
    pub(crate) const ALL: [Fixed; 9] = [
        Fixed::Host,
        Fixed::Program,
        Fixed::Pid,
        Fixed::Msgid,
        Fixed::Pri,
        Fixed::Source,
        Fixed::Peer,
        Fixed::Tags,
        Fixed::Rest,
    ];
}

/// Documents and their value ids.
pub(crate) enum Run<'a> {
    /// Consecutive documents from `first` on; an id may be 0.
    Dense { first: u32, value_ids: &'a [u32] },
    /// Documents with a value.
    Sparse { documents: &'a [u32], value_ids: &'a [u32] },
}

/// Visits the id and the text of each value of a column.
pub(crate) type SeeValue<'a> = dyn FnMut(u32, &[u8]) -> Result<(), ReadError> + 'a;

/// A stored column.
pub(crate) trait Source {
    /// Number of distinct values.
    fn distinct(&self) -> u32;

    /// Calls `visit` with (id, value) of the values, each once; those that begin with none of the prefixes after
    /// lower-casing may be left out. The prefixes are in order, and none begins with another.
    fn values(
        &self,
        prefixes: &[Vec<u8>],
        cancel: &CancelToken,
        visit: &mut SeeValue<'_>,
    ) -> Result<(), ReadError>;

    /// The value of an id.
    fn value(&self, value_id: u32, value: &mut Vec<u8>) -> Result<(), ReadError>;

    /// Calls `visit` with all documents, ascending; those outside `within` may be left out.
    fn runs(
        &self,
        within: Option<&Bitmap>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(Run<'_>),
    ) -> Result<(), ReadError>;

    /// Adds the documents whose value id is in a range.
    fn add_value_ids(
        &self,
        value_ids: &ValueIdRange,
        cancel: &CancelToken,
        found: &mut Bitmap,
    ) -> Result<(), ReadError> {
        add_by_runs(self, value_ids, cancel, found)
    }

    /// Returns true when every value is one token and nothing else: then the order of values is that of tokens.
    fn is_of_tokens(&self, _watch: &CancelToken) -> Result<bool, ReadError> {
        Ok(false)
    }
}

/// How the values of a queried column are derived from stored ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shown {
    /// The stored values themselves.
    Whole,
    /// The facility's name of a priority.
    Facility,
    /// The severity's name of a priority.
    Severity,
    /// The tags of a list.
    Tags,
    /// The values of that name in a list.
    Named(String),
    /// Those of them that are numbers.
    Numbers(String),
}

/// Returns the column that holds the values of a queried one, and how they are derived.
pub(crate) fn resolve(column: &Column) -> (Option<Fixed>, Shown) {
    let fixed = match column {
        Column::Host => Fixed::Host,
        Column::Program => Fixed::Program,
        Column::Pid => Fixed::Pid,
        Column::Msgid => Fixed::Msgid,
        Column::Facility => return (Some(Fixed::Pri), Shown::Facility),
        Column::Severity => return (Some(Fixed::Pri), Shown::Severity),
        Column::Source => Fixed::Source,
        Column::Peer => Fixed::Peer,
        Column::Tags => return (Some(Fixed::Tags), Shown::Tags),
        Column::Named(name) => return (None, Shown::Named(name.clone())),
    };
    (Some(fixed), Shown::Whole)
}

impl Shown {
    /// Calls `visit` with each value derived from a stored value.
    fn of(&self, kept: &[u8], visit: &mut dyn FnMut(&[u8])) {
        let code = || std::str::from_utf8(kept).ok().and_then(|text| text.parse::<u16>().ok()).unwrap_or(0);
        match self {
            Shown::Whole => visit(kept),
            Shown::Facility => {
                let number = code() >> 3;
                match Facility(number).name() {
                    Some(name) => visit(name.as_bytes()),
                    None => visit(number.to_string().as_bytes()),
                }
            }
            Shown::Severity => visit(Severity((code() & 7) as u8).name().as_bytes()),
            Shown::Tags => list::entries(kept).flatten().for_each(|entry| visit(entry.name)),
            Shown::Named(name) => list::entries(kept)
                .flatten()
                .filter(|entry| entry.name == name.as_bytes())
                .for_each(|entry| visit(entry.value)),
            Shown::Numbers(name) => list::entries(kept)
                .flatten()
                .filter(|entry| entry.name == name.as_bytes() && is_numeric(entry.kind))
                .for_each(|entry| visit(entry.value)),
        }
    }

    /// Returns true when several stored values may yield the same value.
    fn is_shared(&self) -> bool {
        *self != Shown::Whole
    }
}

fn is_numeric(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Integer | ValueKind::Double | ValueKind::Datetime)
}

/// Adds the documents with a matching value. `kind` is the type of the column's values, when they have one.
pub(crate) fn find_typed(
    source: &dyn Source,
    kind: Option<ValueKind>,
    shown: &Shown,
    pattern: &Pattern,
    cancel: &CancelToken,
    found: &mut Bitmap,
) -> Result<(), ReadError> {
    match (pattern, kind, shown) {
        (_, Some(kind), _) => match pattern.of_kind(kind) {
            Some(pattern) => find(source, shown, &pattern, cancel, found),
            None => Ok(()),
        },
        (Pattern::Number(_), None, Shown::Named(name)) => {
            find(source, &Shown::Numbers(name.clone()), pattern, cancel, found)
        }
        (Pattern::Number(_), None, _) => Ok(()),
        _ => find(source, shown, pattern, cancel, found),
    }
}

/// Adds the documents with a matching value.
fn find(
    source: &dyn Source,
    shown: &Shown,
    pattern: &Pattern,
    cancel: &CancelToken,
    found: &mut Bitmap,
) -> Result<(), ReadError> {
    let mut matcher = Matcher::new(pattern);
    let prefixes = if shown.is_shared() { vec![Vec::new()] } else { matcher.prefixes() };
    find_where(source, &prefixes, cancel, found, |kept| {
        let mut any = false;
        shown.of(kept, &mut |value| any |= matcher.matches_value(value));
        any
    })
}

/// Adds the documents whose value passes a test.
fn find_where(
    source: &dyn Source,
    prefixes: &[Vec<u8>],
    cancel: &CancelToken,
    found: &mut Bitmap,
    mut test: impl FnMut(&[u8]) -> bool,
) -> Result<(), ReadError> {
    let mut hits: Vec<u32> = Vec::new();
    source.values(prefixes, cancel, &mut |value_id, value| {
        if test(value) {
            hits.push(value_id);
        }
        Ok(())
    })?;
    add_hits(source, &hits, cancel, found)
}

/// Adds the documents whose value id is in a list without duplicates.
pub(crate) fn add_hits(
    source: &dyn Source,
    hits: &[u32],
    cancel: &CancelToken,
    found: &mut Bitmap,
) -> Result<(), ReadError> {
    if hits.is_empty() {
        return Ok(());
    }
    if let Some(range) = ValueIdRange::of(hits) {
        return source.add_value_ids(&range, cancel, found);
    }
    let mut table = vec![false; source.distinct() as usize + 1];
    hits.iter().for_each(|value_id| table[*value_id as usize] = true);
    let length = found.len();
    source.runs(None, cancel, &mut |run| match run {
        Run::Dense { first, value_ids } => {
            let count = value_ids.len().min(length.saturating_sub(first) as usize);
            let is_wanted = |value_id| u8::from(table[value_id as usize]);
            add_dense(found, first, &value_ids[..count], |value_ids| {
                marks::gathered(&value_ids.map(is_wanted))
            });
        }
        Run::Sparse { documents, value_ids } => {
            let hits = documents.iter().zip(value_ids).filter(|(_, value_id)| table[**value_id as usize]);
            hits.filter(|(document, _)| **document < length).for_each(|(document, _)| found.add(*document));
        }
    })
}

/// Adds the documents whose value id is in a range, run by run.
pub(crate) fn add_by_runs<S: Source + ?Sized>(
    source: &S,
    range: &ValueIdRange,
    cancel: &CancelToken,
    found: &mut Bitmap,
) -> Result<(), ReadError> {
    let length = found.len();
    source.runs(None, cancel, &mut |run| match run {
        Run::Dense { first, value_ids } => {
            let count = value_ids.len().min(length.saturating_sub(first) as usize);
            add_dense(found, first, &value_ids[..count], |value_ids| range.marks(value_ids));
        }
        Run::Sparse { documents, value_ids } => {
            let hits = documents.iter().zip(value_ids).filter(|(_, value_id)| range.have(**value_id));
            hits.filter(|(document, _)| **document < length).for_each(|(document, _)| found.add(*document));
        }
    })
}

/// Adds wanted documents of a run, 64 at a time; a value id of 0, which means no value, is never wanted.
fn add_dense(found: &mut Bitmap, first: u32, value_ids: &[u32], marks: impl Fn(&[u32; 64]) -> u64) {
    let add = |found: &mut Bitmap, at: u32, mut word: u64| {
        if at.is_multiple_of(64) {
            found.words_mut()[(at >> 6) as usize] |= word;
            return;
        }
        while word != 0 {
            found.add(at + word.trailing_zeros());
            word &= word - 1;
        }
    };
    let (whole, rest) = value_ids.as_chunks::<64>();
    for (index, value_ids) in whole.iter().enumerate() {
        add(found, first + (index * 64) as u32, marks(value_ids));
    }
    if !rest.is_empty() {
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        add(found, first + (whole.len() * 64) as u32, marks(&last));
    }
}

/// Adds the count of each distinct value among the documents.
pub(crate) fn count(
    source: &dyn Source,
    shown: &Shown,
    documents: &Bitmap,
    cancel: &CancelToken,
    add: &mut dyn FnMut(&[u8], u64),
) -> Result<(), ReadError> {
    let counts = count_places(source, documents, cancel)?;
    let used = counts.iter().skip(1).filter(|count| **count > 0).count();
    let mut shared: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut give = |kept: &[u8], count: u64| {
        if shown.is_shared() {
            shown.of(kept, &mut |value| *shared.entry(value.to_vec()).or_default() += count);
        } else {
            add(kept, count);
        }
    };
    if used * 64 < counts.len() {
        let mut value = Vec::new();
        for (value_id, count) in counts.iter().enumerate().skip(1).filter(|(_, count)| **count > 0) {
            source.value(value_id as u32, &mut value)?;
            give(&value, *count);
        }
    } else {
        source.values(&[Vec::new()], cancel, &mut |value_id, value| {
            if let Some(count) = counts.get(value_id as usize).filter(|count| **count > 0) {
                give(value, *count);
            }
            Ok(())
        })?;
    }
    shared.iter().for_each(|(value, count)| add(value, *count));
    Ok(())
}

fn count_places(
    source: &dyn Source,
    documents: &Bitmap,
    cancel: &CancelToken,
) -> Result<Vec<u64>, ReadError> {
    let mut counts = vec![0u64; source.distinct() as usize + 1];
    // Successive documents often have the same value: with two counters, increments do not wait for each other.
    let mut others = counts.clone();
    source.runs(Some(documents), cancel, &mut |run| match run {
        Run::Dense { first, value_ids } if first.is_multiple_of(64) => {
            let words = &documents.words()[(first >> 6) as usize..];
            for (word, value_ids) in words.iter().zip(value_ids.chunks(64)) {
                count_word(*word, value_ids, &mut counts, &mut others);
            }
        }
        Run::Dense { first, value_ids } => {
            for (index, value_id) in value_ids.iter().enumerate() {
                counts[*value_id as usize] += u64::from(documents.has(first + index as u32));
            }
        }
        Run::Sparse { documents: these, value_ids } => {
            for (document, value_id) in these.iter().zip(value_ids) {
                counts[*value_id as usize] += u64::from(documents.has(*document));
            }
        }
    })?;
    counts.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
    Ok(counts)
}

/// Counts the value ids of the documents of one word.
#[inline]
fn count_word(word: u64, value_ids: &[u32], counts: &mut [u64], others: &mut [u64]) {
    if word == u64::MAX {
        for pair in value_ids.chunks(2) {
            counts[pair[0] as usize] += 1;
            if let Some(other) = pair.get(1) {
                others[*other as usize] += 1;
            }
        }
        return;
    }
    let mut rest = word;
    while rest != 0 {
        // A bitmap has no bits beyond its documents, and a run may have fewer value ids than documents.
        if let Some(value_id) = value_ids.get(rest.trailing_zeros() as usize) {
            counts[*value_id as usize] += 1;
        }
        rest &= rest - 1;
    }
}

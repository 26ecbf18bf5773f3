//! Compares a table with the same table from an earlier time.
//!
//! In: the rows of both, which columns are keys. Out: a row per key of either, with the values of both and the change;
//! the largest change first. A key that only one table has counts as zero in the other.

use crate::stage::{Name, change, earlier, number_kind, number_text};
use lookup::Document;
use message::ValueKind;
use std::collections::HashMap;

/// The values that identify a row in both tables.
type Key = Vec<Option<(Vec<u8>, ValueKind)>>;

pub(in crate::pipe) fn rows(
    now: Vec<Document>,
    before: &[Document],
    keys: &[Name],
    values: &[String],
) -> Vec<Document> {
    let key = |row: &Document| -> Key { keys.iter().map(|name| name.value(row)).collect() };
    let mut old: HashMap<Key, &Document> = before.iter().map(|row| (key(row), row)).collect();
    let mut rows: Vec<(f64, Document)> = Vec::with_capacity(now.len());
    for row in &now {
        rows.push(compared(row, old.remove(&key(row)), row, keys, values));
    }
    for row in before.iter().filter(|row| old.contains_key(&key(row))) {
        rows.push(compared(&Document::default(), Some(row), row, keys, values));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns one row, and how much its first value changed.
fn compared(
    now: &Document,
    before: Option<&Document>,
    keyed: &Document,
    keys: &[Name],
    values: &[String],
) -> (f64, Document) {
    let mut row = Document::default();
    for name in keys {
        if let Some((value, kind)) = name.value(keyed) {
            name.set(&mut row, value, kind);
        }
    }
    let mut largest = None;
    for value in values {
        let name = Name::made(value);
        let new = name.number(now).unwrap_or_default();
        let old = before.and_then(|row| name.number(row)).unwrap_or_default();
        largest.get_or_insert((new - old).abs());
        for (shown, number) in [(value.clone(), new), (earlier(value), old), (change(value), new - old)] {
            let text = number_text(number);
            Name::made(&shown).set(&mut row, text.as_bytes().to_vec(), number_kind(&text));
        }
    }
    (largest.unwrap_or_default(), row)
}

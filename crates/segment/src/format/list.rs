//! A list of (name, kind, value) as one byte string: tags of a message, and values beyond the column limit.
//!
//! In: entries. Out: bytes, and the entries again. Limits: none of its own.

use super::{Damage, FileSlice, put_bytes};
use message::ValueKind;

/// One entry. A tag is a name without value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: ValueKind,
    pub(crate) value: &'a [u8],
}

/// Appends an entry to a list.
pub(crate) fn push(list: &mut Vec<u8>, entry: Entry<'_>) {
    list.push(entry.kind as u8);
    put_bytes(list, entry.name);
    if entry.kind != ValueKind::Tag {
        put_bytes(list, entry.value);
    }
}

/// The entries of a list.
pub(crate) fn entries(list: &[u8]) -> impl Iterator<Item = Result<Entry<'_>, Damage>> {
    let mut reader = FileSlice::loose(list).reader();
    std::iter::from_fn(move || {
        if reader.is_done() {
            return None;
        }
        let mut entry = || {
            let kind = ValueKind::from_byte(reader.byte()?).ok_or_else(|| reader.damage("unknown kind"))?;
            let name = reader.bytes()?;
            let value = if kind == ValueKind::Tag { b"" } else { reader.bytes()? };
            Ok(Entry { name, kind, value })
        };
        Some(entry())
    })
}

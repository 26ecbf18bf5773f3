//! The first things read of a segment: counts, times, the directory of columns.
//!
//! In: the section's bytes. Out: the same as values. Limits: [`COLUMNS_MAX`], [`DOCUMENTS_MAX`].

use crate::{
    DOCUMENTS_MAX,
    format::{Damage, FileSlice, Reader},
};
use message::ValueKind;
use std::sync::OnceLock;

/// Most columns that a segment may say it has.
const COLUMNS_MAX: usize = 1 << 16;

/// One column.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its kind, with the number of a fixed column added.
    pub(crate) code: u8,
    /// Type of a name-value pair's values.
    pub(crate) kind: ValueKind,
    pub(crate) name: String,
    pub(crate) documents: u32,
    pub(crate) distinct: u32,
    pub(crate) numeric: bool,
    pub(crate) start: usize,
    pub(crate) size: usize,
    /// Remembers whether every value is one token; determined when a word is first searched.
    pub(crate) of_tokens: OnceLock<bool>,
}

/// Counts, times, columns.
#[derive(Debug)]
pub(crate) struct Meta {
    pub(crate) first_sequence: u64,
    pub(crate) length: u32,
    pub(crate) received: (i64, i64),
    pub(crate) columns: Vec<Entry>,
}

impl Meta {
    pub(crate) fn read(part: FileSlice<'_>) -> Result<Meta, Damage> {
        let mut reader = part.reader();
        let (first_sequence, length) = (reader.u64()?, reader.u32()?);
        if length > DOCUMENTS_MAX || first_sequence.checked_add(u64::from(length)).is_none() {
            return Err(reader.damage("more documents than a segment can have"));
        }
        let received = (reader.i64()?, reader.i64()?);
        let count = reader.varint_to(COLUMNS_MAX)?;
        let columns = (0..count).map(|_| Entry::read(&mut reader, length)).collect::<Result<_, _>>()?;
        Ok(Meta { first_sequence, length, received, columns })
    }
}

impl Entry {
    fn read(reader: &mut Reader<'_>, length: u32) -> Result<Entry, Damage> {
        let code = reader.byte()?;
        let kind =
            ValueKind::from_byte(reader.byte()?).ok_or_else(|| reader.damage("unknown type of value"))?;
        let name = String::from_utf8_lossy(reader.bytes()?).into_owned();
        let length = length as usize;
        Ok(Entry {
            code,
            kind,
            name,
            documents: reader.varint_to(length)? as u32,
            distinct: reader.varint_to(length)? as u32,
            numeric: reader.varint_to(1)? == 1,
            start: reader.varint_to(u32::MAX as usize)?,
            size: reader.varint_to(u32::MAX as usize)?,
            of_tokens: OnceLock::new(),
        })
    }
}

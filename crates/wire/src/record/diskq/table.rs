//! The name-value pairs of a message as syslog-ng keeps them: a table of offsets, and entries that are counted from the end.
//!
//! In: a serialized `NVTable`. Out: its pairs. Holds: slices of the bytes. Limits: offsets that point outside give an
//! error.

use super::{bytes::Bytes, error::SavedMessageError};
use message::ValueKind;

/// Names of the pairs that have a number instead of a name, from 1 on.
const FIXED: [&str; 8] =
    ["HOST", "HOST_FROM", "MESSAGE", "PROGRAM", "PID", "MSGID", "SOURCE", "LEGACY_MSGHDR"];

/// Most bytes of a table.
const TABLE_BYTES_MAX: usize = 256 << 20;

/// Flags of the table.
const BIG_ENDIAN: u8 = 1;
const KNOWS_UNSET: u8 = 2;

/// Flags of an entry.
const INDIRECT: u8 = 1;
const UNSET: u8 = 4;
const HAS_TYPE: u8 = 8;

/// One pair.
pub(super) struct Pair<'a> {
    pub(super) handle: u32,
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) kind: ValueKind,
}

/// Bytes of an entry before its name, or before the name of one that is a part of another.
const DIRECT_BYTES: usize = 12;
const INDIRECT_BYTES: usize = 21;

/// A table that was read.
pub(super) struct Table<'a> {
    flags: u8,
    fixed: Vec<u32>,
    named: Vec<(u32, u32)>,
    entries: &'a [u8],
}

/// The start of an entry.
struct Entry<'a> {
    flags: u8,
    kind: u8,
    name_bytes: usize,
    bytes: &'a [u8],
}

impl<'a> Table<'a> {
    /// Reads a table.
    pub(super) fn read(bytes: &mut Bytes<'a>) -> Result<Table<'a>, SavedMessageError> {
        // The magic word is written as a number of the machine.
        let magic = bytes.u32()?.to_le_bytes();
        let flags = bytes.u8()?;
        match &magic {
            b"NVT2" if flags & BIG_ENDIAN == 0 => {}
            b"2TVN" if flags & BIG_ENDIAN != 0 => return Err(SavedMessageError::BigEndian),
            _ => return Err(SavedMessageError::Table),
        }
        let (size, used) = (bytes.u32()? as usize, bytes.u32()? as usize);
        let (named, fixed) = (bytes.u16()?, bytes.u8()?);
        if size > TABLE_BYTES_MAX || used > size || usize::from(fixed) > FIXED.len() + 1 {
            return Err(SavedMessageError::Table);
        }
        let fixed = (0..fixed).map(|_| bytes.u32()).collect::<Result<_, _>>()?;
        let named = (0..named).map(|_| Ok((bytes.u32()?, bytes.u32()?))).collect::<Result<_, _>>()?;
        Ok(Table { flags, fixed, named, entries: bytes.take(used)? })
    }

    /// Returns the pairs in the order of the table: those with a number, then those with a name.
    pub(super) fn pairs(&self) -> Result<Vec<Pair<'a>>, SavedMessageError> {
        let numbered = self.fixed.iter().zip(1..).map(|(offset, handle)| (handle, *offset));
        let mut pairs = Vec::with_capacity(self.fixed.len() + self.named.len());
        for (handle, offset) in numbered.chain(self.named.iter().copied()).filter(|(_, offset)| *offset != 0)
        {
            let entry = self.entry(offset)?;
            if entry.flags & UNSET != 0 {
                continue;
            }
            let name = match entry.name_bytes {
                0 => FIXED.get(handle as usize - 1).ok_or(SavedMessageError::Table)?.as_bytes(),
                _ => self.name(&entry)?,
            };
            pairs.push(Pair { handle, name, value: self.value(&entry)?, kind: entry.kind() });
        }
        Ok(pairs)
    }

    /// Returns the entry that begins at a distance from the end.
    fn entry(&self, offset: u32) -> Result<Entry<'a>, SavedMessageError> {
        let from = self.entries.len().checked_sub(offset as usize).ok_or(SavedMessageError::Table)?;
        let bytes = &self.entries[from..];
        let (&flags, &name_bytes) = bytes.first().zip(bytes.get(1)).ok_or(SavedMessageError::Table)?;
        let known = if self.flags & KNOWS_UNSET == 0 { INDIRECT } else { u8::MAX };
        let flags = flags & known;
        let kind = match flags & HAS_TYPE {
            0 => 0,
            _ => *bytes.get(2).ok_or(SavedMessageError::Table)?,
        };
        Ok(Entry { flags, kind, name_bytes: usize::from(name_bytes), bytes })
    }

    fn name(&self, entry: &Entry<'a>) -> Result<&'a [u8], SavedMessageError> {
        let at = if entry.flags & INDIRECT == 0 { DIRECT_BYTES } else { INDIRECT_BYTES };
        entry.slice(at, entry.name_bytes)
    }

    /// Returns the value: its own, or a part of another one.
    fn value(&self, entry: &Entry<'a>) -> Result<&'a [u8], SavedMessageError> {
        if entry.flags & INDIRECT == 0 {
            return entry.own_value();
        }
        let (handle, from, length) = (entry.word(8)?, entry.word(12)? as usize, entry.word(16)? as usize);
        let offset = match self.fixed.get((handle as usize).wrapping_sub(1)) {
            Some(offset) => *offset,
            None => self.named.iter().find(|(known, _)| *known == handle).map_or(0, |(_, offset)| *offset),
        };
        if offset == 0 {
            return Ok(b"");
        }
        let other = self.entry(offset)?;
        if other.flags & INDIRECT != 0 {
            return Err(SavedMessageError::Table);
        }
        // A value that became shorter since gives what is left of the part.
        let whole = other.own_value()?;
        Ok(whole.get(from..).map_or(b"", |part| &part[..length.min(part.len())]))
    }
}

impl<'a> Entry<'a> {
    fn slice(&self, at: usize, length: usize) -> Result<&'a [u8], SavedMessageError> {
        let end = at.checked_add(length).ok_or(SavedMessageError::Table)?;
        self.bytes.get(at..end).ok_or(SavedMessageError::Table)
    }

    fn own_value(&self) -> Result<&'a [u8], SavedMessageError> {
        self.slice(DIRECT_BYTES + self.name_bytes + 1, self.word(8)? as usize)
    }

    fn word(&self, at: usize) -> Result<u32, SavedMessageError> {
        let bytes = self.bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(SavedMessageError::Table)?;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// Returns the type; text for types that are not known here.
    fn kind(&self) -> ValueKind {
        match self.kind {
            1 => ValueKind::Json,
            2 => ValueKind::Boolean,
            3 | 4 => ValueKind::Integer,
            5 => ValueKind::Double,
            6 => ValueKind::Datetime,
            7 => ValueKind::List,
            8 => ValueKind::Null,
            9 | 10 => ValueKind::Bytes,
            _ => ValueKind::String,
        }
    }
}

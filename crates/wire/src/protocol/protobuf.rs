//! The wire format of protocol buffers.
//!
//! In: bytes of one message. Out: its fields, with the ranges of their bytes; in the other direction, fields to bytes.
//! Holds: a position.
//! Limits: groups, which are not in use, are refused; a field number above 2^29 is an error.

mod push;

use std::{fmt, ops::Range};

pub use push::{push_bytes, push_fixed32, push_fixed64, push_message, push_varint};

/// Bytes that are no message of protocol buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtobufError {
    /// Offset of the byte that cannot be read.
    pub offset: usize,
    /// The fault at that byte.
    pub reason: &'static str,
}

impl fmt::Display for ProtobufError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for ProtobufError {}

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Field {
    /// A number or flag of up to ten bytes.
    Varint(u64),
    /// Eight bytes: a number or a double.
    Fixed64(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Text, bytes or a message: where it is.
    Bytes(Range<usize>),
}

impl Field {
    /// Returns the range of a text or message.
    pub fn bytes(self) -> Option<Range<usize>> {
        match self {
            Field::Bytes(range) => Some(range),
            _ => None,
        }
    }

    /// Returns a number of any form.
    pub fn number(&self) -> Option<u64> {
        match self {
            Field::Varint(number) | Field::Fixed64(number) => Some(*number),
            Field::Fixed32(number) => Some(u64::from(*number)),
            Field::Bytes(_) => None,
        }
    }
}

/// The fields of one message; ends after an error.
#[derive(Clone)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Fields<'a> {
    /// Returns the fields of the message at `range`, which must lie inside `bytes`.
    pub fn of(bytes: &'a [u8], range: Range<usize>) -> Fields<'a> {
        debug_assert!(range.end <= bytes.len());
        Fields { bytes, at: range.start, end: range.end.min(bytes.len()) }
    }

    fn wrong(&mut self, reason: &'static str) -> ProtobufError {
        let offset = self.at;
        self.at = self.end;
        ProtobufError { offset, reason }
    }

    fn varint(&mut self) -> Result<u64, ProtobufError> {
        let mut number = 0_u64;
        for step in 0..10 {
            if self.at >= self.end {
                break;
            }
            let byte = self.bytes[self.at];
            self.at += 1;
            number |= u64::from(byte & 0x7f) << (7 * step);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.wrong("no protobuf number"))
    }

    fn array<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], ProtobufError> {
        let bytes = self.bytes[self.at..self.end].first_chunk::<SIZE>().copied();
        let Some(bytes) = bytes else { return Err(self.wrong("the end of protobuf")) };
        self.at += SIZE;
        Ok(bytes)
    }

    fn field(&mut self) -> Result<(u32, Field), ProtobufError> {
        let key = self.varint()?;
        let Ok(number) = u32::try_from(key >> 3) else { return Err(self.wrong("no protobuf field")) };
        if number == 0 || number >= 1 << 29 {
            return Err(self.wrong("no protobuf field"));
        }
        let field = match key & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.array()?)),
            5 => Field::Fixed32(u32::from_le_bytes(self.array()?)),
            2 => {
                let size = self.varint()?;
                let start = self.at;
                let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size));
                let Some(end) = end.filter(|end| *end <= self.end) else {
                    return Err(self.wrong("protobuf that is cut off"));
                };
                self.at = end;
                Field::Bytes(start..end)
            }
            _ => return Err(self.wrong("no protobuf field")),
        };
        Ok((number, field))
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<(u32, Field), ProtobufError>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.end).then(|| self.field())
    }
}

#[cfg(test)]
mod tests;

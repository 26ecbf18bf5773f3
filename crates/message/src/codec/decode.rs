//! Bytes to batch.
//!
//! In: the bytes of [`super::encode()`]. Out: a batch of its own bytes, without a token.
//! Limits: every number is checked; memory stays within a small factor of the bytes given.

use super::{
    NUMBERED, START_BYTES, VERSION, flag,
    origin::take_origin,
    varint::{Taker, unzigzag},
};
use crate::{Batch, Format, Marks, Message, Priority, Span, Stamp, Value, ValueKind, ZoneQuality};
use std::{array, sync::Arc};

/// Error in the bytes of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodecError {
    /// A version that this program does not know.
    Version(u8),
    /// The bytes are cut short, or no version writes them.
    Malformed,
}

impl std::fmt::Display for CodecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CodecError::Version(version) => write!(f, "batch of format version {version}"),
            CodecError::Malformed => f.write_str("malformed batch"),
        }
    }
}

impl std::error::Error for CodecError {}

const FORMATS: [Format; 6] =
    [Format::Raw, Format::Rfc3164, Format::Rfc5424, Format::Internal, Format::DevKmsg, Format::Journal];

const QUALITIES: [ZoneQuality; 4] =
    [ZoneQuality::Absent, ZoneQuality::Known, ZoneQuality::ZoneGuessed, ZoneQuality::YearGuessed];

/// Reads a batch.
pub fn decode(bytes: &[u8]) -> Result<Batch, CodecError> {
    match bytes.first() {
        Some(&(VERSION | NUMBERED)) => read(bytes).ok_or(CodecError::Malformed),
        Some(&version) => Err(CodecError::Version(version)),
        None => Err(CodecError::Malformed),
    }
}

fn read(bytes: &[u8]) -> Option<Batch> {
    let fixed = bytes.first_chunk::<START_BYTES>()?;
    let four = |at: usize| u32::from_le_bytes(array::from_fn(|index| fixed[at + index]));
    let eight = |at: usize| u64::from_le_bytes(array::from_fn(|index| fixed[at + index]));
    let count = four(4) as usize;
    let mut rest = Taker(&bytes[START_BYTES..]);
    let mut origins = Taker(rest.bytes(four(8) as usize)?);
    let records = Taker(rest.bytes(four(12) as usize)?);
    let received_bytes = rest.bytes(four(16) as usize)?;
    let extra = rest.bytes(four(20) as usize)?;
    // The numbers are read by themselves, where they are needed.
    if rest.0.len() != u32::from_le_bytes([fixed[45], fixed[46], fixed[47], 0]) as usize {
        return None;
    }
    // The shortest record: two bytes of flags, one of time.
    let records_max = records.0.len() / 3;
    let received = Stamp {
        unix_us: eight(32) as i64,
        offset_s: four(40) as i32,
        quality: *QUALITIES.get(fixed[44] as usize)?,
    };
    let mut batch = Batch {
        received_bytes: Arc::new(received_bytes.to_vec()),
        extra: extra.to_vec(),
        messages: Vec::with_capacity(count.min(records_max)),
        received,
        rcptid: eight(24),
        ..Batch::default()
    };
    for _ in 0..u16::from_le_bytes([fixed[2], fixed[3]]) {
        batch.origins.push(Arc::new(take_origin(&mut origins)?));
    }
    let mut decoder = Decoder { records, batch, frame_end: 0, extra_end: 0 };
    decoder.messages(count)?;
    decoder.records.0.is_empty().then_some(decoder.batch)
}

struct Decoder<'a> {
    records: Taker<'a>,
    batch: Batch,
    /// End of the last frame in the received bytes.
    frame_end: usize,
    /// End of the last newly copied bytes among the made bytes.
    extra_end: usize,
}

impl Decoder<'_> {
    fn messages(&mut self, count: usize) -> Option<()> {
        let mut before = Message { event: self.batch.received, pri: Priority(0), ..Message::default() };
        for _ in 0..count {
            let (present, flags) = (self.records.byte()?, self.records.byte()?);
            let mut message = self.places(present)?;
            message.format = *FORMATS.get((flags & flag::FORMAT) as usize)?;
            message.event = before.event;
            let later = unzigzag(self.records.number()?);
            message.event.unix_us = before.event.unix_us.wrapping_add(later);
            if flags & flag::ZONE != 0 {
                message.event.offset_s = unzigzag(self.records.number()?) as i32;
                message.event.quality = *QUALITIES.get(self.records.byte()? as usize)?;
            }
            message.pri = before.pri;
            if flags & flag::PRI != 0 {
                message.pri = Priority(self.records.small()?);
            }
            (message.origin, message.utf8) = (before.origin, before.utf8);
            if flags & flag::ORIGIN != 0 {
                let origin: u32 = self.records.small()?;
                message.origin = u16::try_from(origin >> 1).ok()?;
                message.utf8 = origin & 1 == 1;
            }
            if message.origin as usize >= self.batch.origins.len() {
                return None;
            }
            if flags & flag::MARKS != 0 {
                message.marks = Marks(self.records.small()?);
            }
            if flags & flag::VALUES != 0 {
                message.values = self.batch.values.len() as u32 + 1;
                self.values(message.raw)?;
            }
            let Message { event, pri, origin, utf8, .. } = message;
            before = Message { event, pri, origin, utf8, ..before };
            self.batch.messages.push(message);
        }
        Some(())
    }

    fn places(&mut self, present: u8) -> Option<Message> {
        let mut spans = [Span::EMPTY; 8];
        if present & 1 != 0 {
            let (code, length) = (self.records.number()?, self.records.small()?);
            if code & 1 == 0 {
                let start = self.frame_end.checked_add(usize::try_from(code >> 1).ok()?)?;
                self.frame_end = start.checked_add(length)?;
                if self.frame_end > self.batch.received_bytes.len() {
                    return None;
                }
                spans[0] = Span::received(start, length);
            } else {
                spans[0] = self.copied(code >> 1, length)?;
            }
        }
        let raw = spans[0];
        for (slot, span) in spans.iter_mut().enumerate().skip(1) {
            if present >> slot & 1 != 0 {
                *span = self.place(raw)?;
            }
        }
        let [raw, host, program, pid, msgid, msghdr, sdata, text] = spans;
        Some(Message { raw, host, program, pid, msgid, msghdr, sdata, text, ..Message::default() })
    }

    /// Reads a span in the frame or among the made bytes.
    #[inline]
    fn place(&mut self, raw: Span) -> Option<Span> {
        let (code, length): (u64, usize) = (self.records.number()?, self.records.small()?);
        if code & 1 != 0 {
            return self.copied(code >> 1, length);
        }
        let start = usize::try_from(code >> 1).ok()?;
        if raw.is_extra() || start.checked_add(length)? > raw.len() {
            return None;
        }
        Some(Span::received(raw.start() + start, length))
    }

    fn copied(&mut self, back: u64, length: usize) -> Option<Span> {
        let start = self.extra_end.checked_sub(usize::try_from(back).ok()?)?;
        let end = start.checked_add(length)?;
        if back == 0 {
            self.extra_end = end;
        }
        (end <= self.batch.extra.len()).then(|| Span::extra(start, length))
    }

    fn values(&mut self, raw: Span) -> Option<()> {
        let count: usize = self.records.small()?;
        if count == 0 {
            return None;
        }
        for left in (0..count).rev() {
            let kind = ValueKind::from_byte(self.records.byte()?)?;
            let (name, value) = (self.place(raw)?, self.place(raw)?);
            // The pairs of a message are consecutive; the last has no older one.
            let next = if left > 0 { self.batch.values.len() as u32 + 2 } else { 0 };
            self.batch.values.push(Value { name, value, kind, next });
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;

//! Batch to bytes.
//!
//! In: a batch and a selection. Out: header, origins, one record per message, received bytes, made bytes.
//! A span inside the frame is stored relative to it; any other is copied to the made bytes. Limits: the caller
//! bounds the batch.

use super::{
    NUMBERED, START_BYTES, VERSION, flag,
    numbers::put_numbers,
    origin::put_origin,
    varint::{Short, put, zigzag},
};
use crate::{Batch, Message, Selection, Span, Stamp};

/// Most bytes between two frames (framing) that are copied along instead of starting a new piece.
const GAP_BYTES_MAX: usize = 32;

/// Size of the buffer for one record's numbers: eight spans of at most 6 + 5 bytes, and at most 40 bytes of the
/// rest.
const SHORT_BYTES: usize = 128;

/// Appends the selected messages of a batch.
pub fn encode(batch: &Batch, selection: &Selection, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + START_BYTES, 0);
    let origins = Origins::of(batch, selection);
    origins.used.iter().for_each(|&index| put_origin(out, &batch.origins[index as usize]));
    let records = out.len();
    let (first, count) = (selection.iter().next().unwrap_or(0), selection.count());
    let mut encoder = Encoder::new(batch, &origins.place);
    let mut last = first;
    for index in selection.iter() {
        encoder.message(index, out);
        last = index;
    }
    let records_end = out.len();
    encoder.flush_run();
    out.reserve(encoder.received_length);
    encoder.runs.iter().for_each(|&(from, to)| out.extend_from_slice(&batch.received_bytes[from..to]));
    let received_end = out.len();
    debug_assert_eq!(received_end - records_end, encoder.received_length, "pieces of another length");
    out.extend_from_slice(&encoder.extra);
    // Identifiers follow each other only in a selection without gaps.
    let dense = count > 0 && last - first + 1 == count;
    let rcptid = if dense { batch.rcptid_of(first) } else { 0 };
    let extra = out.len() - received_end;
    let extra_end = out.len();
    if let Some(numbering) = &batch.numbering {
        put_numbers(numbering, selection, out);
    }
    let numbers = out.len() - extra_end;
    let fixed = &mut out[start..start + START_BYTES];
    fixed[0] = if numbers == 0 { VERSION } else { NUMBERED };
    fixed[2..4].copy_from_slice(&(origins.used.len() as u16).to_le_bytes());
    fixed[4..8].copy_from_slice(&(count as u32).to_le_bytes());
    fixed[8..12].copy_from_slice(&((records - start - START_BYTES) as u32).to_le_bytes());
    fixed[12..16].copy_from_slice(&((records_end - records) as u32).to_le_bytes());
    fixed[16..20].copy_from_slice(&((received_end - records_end) as u32).to_le_bytes());
    fixed[20..24].copy_from_slice(&(extra as u32).to_le_bytes());
    fixed[24..32].copy_from_slice(&rcptid.to_le_bytes());
    fixed[32..40].copy_from_slice(&batch.received.unix_us.to_le_bytes());
    fixed[40..44].copy_from_slice(&batch.received.offset_s.to_le_bytes());
    fixed[44] = batch.received.quality as u8;
    // A batch has less than 16 MiB of numbers: a message takes at most 20 bytes of them, and more of its own.
    fixed[45..48].copy_from_slice(&(numbers as u32).to_le_bytes()[..3]);
}

/// The origins of the selected messages, and the number of each in the encoded list.
struct Origins {
    used: Vec<u16>,
    place: Vec<u16>,
}

impl Origins {
    fn of(batch: &Batch, selection: &Selection) -> Origins {
        if let [_] = batch.origins.as_slice() {
            return Origins { used: vec![0], place: vec![0] };
        }
        let mut origins = Origins { used: Vec::new(), place: vec![u16::MAX; batch.origins.len()] };
        for index in selection.iter() {
            let origin = batch.messages[index].origin;
            let place = &mut origins.place[origin as usize];
            if *place == u16::MAX {
                *place = origins.used.len() as u16;
                origins.used.push(origin);
            }
        }
        origins
    }
}

struct Encoder<'a> {
    batch: &'a Batch,
    origin_places: &'a [u16],
    short: Short<SHORT_BYTES>,
    /// The piece of received bytes that is growing, as start and end in the batch.
    run: (usize, usize),
    runs: Vec<(usize, usize)>,
    received_length: usize,
    extra: Vec<u8>,
    /// The last copied span of each field, and where it was copied to: successive messages often share one.
    copied: [(Span, usize); 8],
    event: Stamp,
    pri: u16,
    /// The origin's index, doubled, plus one when the text was found to be UTF-8.
    origin: u32,
}

impl<'a> Encoder<'a> {
    fn new(batch: &'a Batch, origin_places: &'a [u16]) -> Encoder<'a> {
        Encoder {
            batch,
            origin_places,
            short: Short::new(),
            run: (0, 0),
            runs: Vec::new(),
            received_length: 0,
            extra: Vec::new(),
            copied: [(Span::EMPTY, 0); 8],
            event: batch.received,
            pri: 0,
            origin: 0,
        }
    }

    fn message(&mut self, index: usize, out: &mut Vec<u8>) {
        let message = &self.batch.messages[index];
        self.short.clear();
        self.short.byte(0);
        self.short.byte(0);
        self.places(message);
        let mut flags = message.format as u8;
        self.short.number(zigzag(message.event.unix_us.wrapping_sub(self.event.unix_us)));
        if (message.event.offset_s, message.event.quality) != (self.event.offset_s, self.event.quality) {
            flags |= flag::ZONE;
            self.short.number(zigzag(i64::from(message.event.offset_s)));
            self.short.byte(message.event.quality as u8);
        }
        self.event = message.event;
        if message.pri.0 != self.pri {
            flags |= flag::PRI;
            self.short.number(u64::from(message.pri.0));
            self.pri = message.pri.0;
        }
        let origin = 2 * u32::from(self.origin_places[message.origin as usize]) + u32::from(message.utf8);
        if origin != self.origin {
            flags |= flag::ORIGIN;
            self.short.number(u64::from(origin));
            self.origin = origin;
        }
        if !message.marks.is_empty() {
            flags |= flag::MARKS;
            self.short.number(u64::from(message.marks.0));
        }
        if message.values == 0 {
            self.short.patch(1, flags);
            out.extend_from_slice(self.short.bytes());
            return;
        }
        flags |= flag::VALUES;
        self.short.patch(1, flags);
        out.extend_from_slice(self.short.bytes());
        self.values(index, out);
    }

    /// Writes the spans of the fields. Byte 0 has one bit for each field that is not empty.
    fn places(&mut self, message: &Message) {
        let raw = message.raw;
        let mut present = 0;
        if !raw.is_empty() {
            present |= 1;
            let frame = !raw.is_extra() && raw.start() + raw.len() <= self.batch.received_bytes.len();
            if frame { self.frame(raw) } else { self.copy(0, raw) }
        }
        let spans = [
            message.host,
            message.program,
            message.pid,
            message.msgid,
            message.msghdr,
            message.sdata,
            message.text,
        ];
        for (slot, span) in spans.into_iter().enumerate() {
            if span.is_empty() {
                continue;
            }
            present |= 2 << slot;
            if inside(raw, span) {
                self.short.number(((span.start() - raw.start()) as u64) << 1);
                self.short.number(span.len() as u64);
            } else {
                self.copy(slot + 1, span);
            }
        }
        self.short.patch(0, present);
    }

    /// Writes a frame of received bytes: the distance from the previous one, and the length.
    #[inline]
    fn frame(&mut self, raw: Span) {
        let (start, end) = (raw.start(), raw.start() + raw.len());
        let gap = start.wrapping_sub(self.run.1);
        if gap <= GAP_BYTES_MAX && self.run.1 > self.run.0 {
            self.run.1 = end;
            self.short.number((gap as u64) << 1);
        } else {
            self.flush_run();
            self.run = (start, end);
            self.short.number(0);
        }
        self.short.number(raw.len() as u64);
    }

    fn flush_run(&mut self) {
        self.runs.push(self.run);
        self.received_length += self.run.1 - self.run.0;
    }

    /// Writes a span outside the frame: its bytes are copied unless the previous message had the same span.
    fn copy(&mut self, slot: usize, span: Span) {
        let bytes = self.batch.bytes(span);
        if self.copied[slot].0 != span {
            self.copied[slot] = (span, self.extra.len());
            self.short.number(1);
            self.extra.extend_from_slice(bytes);
        } else {
            let back = self.extra.len() - self.copied[slot].1;
            self.short.number(2 * back as u64 + 1);
        }
        self.short.number(bytes.len() as u64);
    }

    /// Writes the pairs, newest first.
    fn values(&mut self, index: usize, out: &mut Vec<u8>) {
        let raw = self.batch.messages[index].raw;
        put(out, self.batch.list(index).count() as u64);
        for value in self.batch.list(index) {
            out.push(value.kind as u8);
            for span in [value.name, value.value] {
                let bytes = self.batch.bytes(span);
                if inside(raw, span) {
                    put(out, ((span.start() - raw.start()) as u64) << 1);
                } else {
                    put(out, 1);
                    self.extra.extend_from_slice(bytes);
                }
                put(out, bytes.len() as u64);
            }
        }
    }
}

/// Returns true when a span lies in the received frame.
#[inline]
fn inside(raw: Span, span: Span) -> bool {
    !raw.is_extra()
        && !span.is_extra()
        && span.start() >= raw.start()
        && span.start() + span.len() <= raw.start() + raw.len()
}

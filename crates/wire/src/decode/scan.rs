//! One message while it is read: its bytes, and the record being filled.
//!
//! In: a line. Out: the record; bytes made on the way. Holds: borrows of the decoder. Limits: see the dialects.

use super::{DecodeOptions, ParseFlags, StampReader};
use message::{Format, Mark, Message, Priority, Span, Stamp, ZoneQuality};

/// Priority of our own error messages: syslog.err.
const ERROR_PRI: Priority = Priority(43);
const ERROR_PROGRAM: &[u8] = b"syslog-ng";
const ERROR_TEXT: &[u8] = b"Error processing log message: ";

pub(super) struct Scan<'a> {
    pub(super) line: &'a [u8],
    /// Span of `line`.
    pub(super) raw: Span,
    /// Length of the batch's extra bytes; `made` comes after them.
    pub(super) extra_at: usize,
    pub(super) made: &'a mut Vec<u8>,
    pub(super) message: &'a mut Message,
    pub(super) options: &'a DecodeOptions,
    pub(super) stamps: &'a mut StampReader,
    pub(super) received: Stamp,
}

impl Scan<'_> {
    /// Reads the message in the dialect that the flags ask for.
    pub(super) fn message(&mut self) {
        if self.has(ParseFlags::NO_PARSE) {
            self.message.format = Format::Raw;
            self.message.pri = self.default_pri();
            self.no_event(self.received.offset_s);
            self.text(0);
        } else if self.has(ParseFlags::SYSLOG_PROTOCOL) {
            if let Err(at) = self.rfc5424() {
                self.failed(at);
            }
        } else {
            self.legacy();
        }
        if !self.options.keep_timestamp {
            let offset_s = self.stamps.offset_at(self.received);
            self.no_event(offset_s);
        }
    }

    #[inline]
    pub(super) fn has(&self, flag: ParseFlags) -> bool {
        self.options.flags.has(flag)
    }

    #[inline]
    pub(super) fn mark(&mut self, mark: Mark) {
        self.message.marks.add(mark);
    }

    /// Returns the span of a part of the line.
    #[inline]
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        self.raw.part(from, to)
    }

    /// Keeps bytes that are not a slice of the line.
    pub(super) fn make(&mut self, parts: &[&[u8]]) -> Span {
        let start = self.made.len();
        parts.iter().for_each(|part| self.made.extend_from_slice(part));
        Span::extra(self.extra_at + start, self.made.len() - start)
    }

    /// Returns the offset of the first byte at or after `at` that is not a blank.
    #[inline]
    pub(super) fn skip_blanks(&self, at: usize) -> usize {
        let mut at = at;
        while self.line.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// Returns the PRI of messages without one.
    pub(super) fn default_pri(&self) -> Priority {
        let kernel = self.has(ParseFlags::KERNEL).then_some(Priority(5));
        self.options.default_pri.or(kernel).unwrap_or(Priority::DEFAULT)
    }

    /// Sets the received time as the message's time, which is not known.
    pub(super) fn no_event(&mut self, offset_s: i32) {
        self.message.event = Stamp { unix_us: self.received.unix_us, offset_s, quality: ZoneQuality::Absent };
    }

    /// Makes an error message from a line whose header could not be read: the text has the line and the position of the
    /// error.
    fn failed(&mut self, at: usize) {
        let marks = self.message.marks;
        let origin = self.message.origin;
        *self.message = Message::default();
        self.message.marks = marks;
        self.message.origin = origin;
        self.message.raw = self.raw;
        self.mark(Mark::ParseError);
        self.no_event(self.received.offset_s);
        if !self.has(ParseFlags::PIGGYBACK_ERRORS) {
            self.message.pri = self.default_pri();
            self.text(0);
            return;
        }
        self.message.pri = ERROR_PRI;
        self.message.program = self.make(&[ERROR_PROGRAM]);
        let line = self.line;
        let (before, after) = line.split_at(at.saturating_sub(1).min(line.len()));
        let place: &[u8] = if at > 0 { b">@<" } else { b"" };
        self.message.text = self.make(&[ERROR_TEXT, before, place, after]);
    }
}

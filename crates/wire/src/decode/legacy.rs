//! RFC 3164, and its variants that devices send.
//!
//! In: `<PRI>Mmm dd hh:mm:ss host prog[pid]: text`, any part of it missing. Out: the message.
//! Reads Cisco's sequence numbers and clock marks, years, ISO times, AIX's and Solaris' forwarded and repeated
//! lines. Without a time, no host is expected: the first word is the program.
//! Limits: it never fails; parts that do not fit are text.

use super::{ParseFlags, priority, priority::Pri, scan::Scan, words};
use message::{Format, Mark, Span};

const AIX_FORWARDED: &[u8] = b"Message forwarded from ";
const REPEATED: &[u8] = b"last message repeated";
const KERNEL: &[u8] = b"kernel";
/// Longest octet count that may precede a message by mistake.
const STRAY_COUNT_DIGITS_MAX: usize = 10;

impl Scan<'_> {
    pub(super) fn legacy(&mut self) {
        self.message.format = Format::Rfc3164;
        let mut at = self.skip_stray_count();
        match priority::read(&self.line[at..]) {
            Pri::Of(pri, length) => {
                at += length;
                self.set_pri(pri);
            }
            Pri::Missing => {
                self.message.pri = self.default_pri();
                self.mark(Mark::MissingPri);
            }
            Pri::Malformed => {
                self.set_pri(None);
                self.no_event(self.received.offset_s);
                return self.text(at);
            }
        }
        if self.has(ParseFlags::NO_HEADER) {
            self.no_event(self.received.offset_s);
        } else {
            at = self.legacy_header(at);
        }
        self.text(at);
    }

    /// Takes a PRI; one out of range is replaced and marked.
    pub(super) fn set_pri(&mut self, pri: Option<message::Priority>) {
        match pri {
            Some(pri) => self.message.pri = pri,
            None => {
                self.message.pri = self.default_pri();
                self.mark(Mark::InvalidPri);
            }
        }
    }

    /// Passes over an octet count that the framing should have taken.
    pub(super) fn skip_stray_count(&mut self) -> usize {
        if !self.line.first().is_some_and(u8::is_ascii_digit) {
            return 0;
        }
        let digits = self.line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > STRAY_COUNT_DIGITS_MAX || self.line.get(digits) != Some(&b' ') {
            return 0;
        }
        self.mark(Mark::UnexpectedFraming);
        digits
    }

    /// Reads all between the PRI and the text; returns where the text begins.
    fn legacy_header(&mut self, at: usize) -> usize {
        let at = self.cisco_prefix(at);
        match self.stamps.legacy(self.line, at, self.received) {
            Some((stamp, after)) => {
                self.message.event = self.guessed(stamp);
                let at = self.skip_blanks(after);
                self.host_and_tag(at)
            }
            None => {
                let offset_s = self.stamps.offset_at(self.received);
                self.no_event(offset_s);
                self.mark(Mark::MissingTimestamp);
                if self.message.pri.facility().0 == 0
                    && (self.has(ParseFlags::LOCAL) || self.has(ParseFlags::KERNEL))
                {
                    self.message.program = self.make(&[KERNEL]);
                    return at;
                }
                self.mark(Mark::MissingHeader);
                self.tag(at)
            }
        }
    }

    /// `123: *` before a time: Cisco's sequence number and the mark of an unsynchronised clock. Both become
    /// structured data, as RFC 5424 has names for them.
    #[inline]
    fn cisco_prefix(&mut self, at: usize) -> usize {
        let digits = self.line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = &self.line[at + digits..];
        let sequence = rest.starts_with(b": ").then_some(&self.line[at..at + digits]);
        let mut next = if sequence.is_some() { at + digits + 1 } else { at };
        next = self.skip_blanks(next);
        let synced: Option<&[u8]> = match self.line.get(next) {
            Some(b'*') => Some(b"0"),
            Some(b'.') => Some(b"1"),
            _ => None,
        };
        if synced.is_some() {
            next += 1;
        }
        if sequence.is_some() || synced.is_some() {
            self.cisco_sdata(sequence, synced.filter(|_| self.options.keep_timestamp));
        }
        next
    }

    fn cisco_sdata(&mut self, sequence: Option<&[u8]>, synced: Option<&[u8]>) {
        let start = self.made.len();
        if let Some(sequence) = sequence {
            self.make(&[b"[meta sequenceId=\"", sequence, b"\"]"]);
        }
        if let Some(synced) = synced {
            self.make(&[b"[timeQuality isSynced=\"", synced, b"\"]"]);
        }
        self.message.sdata = Span::extra(self.extra_at + start, self.made.len() - start);
    }

    /// Reads `host prog[pid]: `; returns where the text begins.
    fn host_and_tag(&mut self, at: usize) -> usize {
        let mut at = at;
        let mut forwarded = false;
        if self.line[at..].starts_with(AIX_FORWARDED) {
            let start = at + AIX_FORWARDED.len();
            let end =
                memchr::memchr(b':', &self.line[start..]).map_or(self.line.len(), |found| start + found);
            self.message.host = self.span(start, end);
            forwarded = true;
            at = end;
            while matches!(self.line.get(at), Some(b' ' | b':')) {
                at += 1;
            }
        }
        let rest = &self.line[at..];
        if rest.starts_with(REPEATED) && rest.len() > REPEATED.len() {
            return at;
        }
        if !forwarded && self.has(ParseFlags::EXPECT_HOSTNAME) {
            match self.host_end(at, self.options.bad_hostname.as_ref()) {
                Some(end) => {
                    self.message.host = self.span(at, end);
                    at = end;
                }
                None => self.mark(Mark::InvalidHostname),
            }
            at = self.skip_blanks(at);
        }
        self.tag(at)
    }

    /// Reads `prog[pid]: `; returns where the text begins.
    fn tag(&mut self, start: usize) -> usize {
        let rest = &self.line[start..];
        let length = words::first_of([b' ', b'[', b':'], rest).unwrap_or(rest.len());
        if self.has(ParseFlags::CHECK_PROGRAM) && !is_program(&rest[..length]) {
            self.mark(Mark::InvalidProgram);
            return start;
        }
        self.message.program = self.span(start, start + length);
        let mut at = start + length;
        if self.line.get(at) == Some(&b'[') {
            let rest = &self.line[at..];
            let closed = words::first_of([b' ', b']', b':'], rest);
            if let Some(closed) = closed {
                self.message.pid = self.span(at + 1, at + closed);
            }
            at += closed.unwrap_or(rest.len());
            at += usize::from(self.line.get(at) == Some(&b']'));
        }
        at += usize::from(self.line.get(at) == Some(&b':'));
        at += usize::from(self.line.get(at) == Some(&b' '));
        self.message.msghdr =
            if self.has(ParseFlags::STORE_LEGACY_MSGHDR) { self.span(start, at) } else { Span::EMPTY };
        at
    }
}

/// Returns true when `check-program()` accepts a name.
fn is_program(name: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b".-_()/".contains(byte);
    name.iter().all(allowed) && name.iter().any(u8::is_ascii_alphabetic)
}

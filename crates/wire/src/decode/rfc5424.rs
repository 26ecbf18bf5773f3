//! RFC 5424.
//!
//! In: `<PRI>1 TIMESTAMP HOSTNAME APP-NAME PROCID MSGID [SDATA] MSG`. Out: the message; structured data stays as
//! received. Input without PRI and version is read as RFC 3164.
//! Limits: APP-NAME, PROCID and MSGID are cut at the RFC's lengths. An error names the position where reading ended.

use super::{ParseFlags, priority, priority::Pri, scan::Scan};
use crate::stamp::guess_zone;
use message::{Format, Mark, Span, Stamp};

const APP_NAME_BYTES_MAX: usize = 48;
const PROCID_BYTES_MAX: usize = 128;
const MSGID_BYTES_MAX: usize = 32;
const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Scan<'_> {
    /// Reads the message. An error is the offset of the first bad byte.
    pub(super) fn rfc5424(&mut self) -> Result<(), usize> {
        let Some(at) = self.pri_and_version() else {
            if self.has(ParseFlags::NO_RFC3164_FALLBACK) {
                return Err(0);
            }
            self.legacy();
            return Ok(());
        };
        self.message.format = Format::Rfc5424;
        self.message.msghdr = Span::EMPTY;
        let at = self.blank(at).ok_or(at)?;
        let at = self.timestamp(at)?;
        let at = self.header_fields(at)?;
        let at = self.sdata_column(at)?;
        self.message_column(at)
    }

    /// Reads `<PRI>1` and returns the offset after it.
    fn pri_and_version(&mut self) -> Option<usize> {
        let at = self.skip_stray_count();
        let Pri::Of(pri, length) = priority::read(&self.line[at..]) else { return None };
        let end = self.version(at + length)?;
        self.set_pri(pri);
        Some(end)
    }

    /// Checks that the version is 1; leading zeros are accepted.
    fn version(&self, at: usize) -> Option<usize> {
        let rest = &self.line[at..];
        let length = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
        let (last, zeros) = rest[..length].split_last()?;
        (*last == b'1' && zeros.iter().all(|byte| *byte == b'0')).then_some(at + length)
    }

    #[inline]
    fn blank(&self, at: usize) -> Option<usize> {
        (self.line.get(at) == Some(&b' ')).then_some(at + 1)
    }

    fn timestamp(&mut self, at: usize) -> Result<usize, usize> {
        if self.line.get(at) == Some(&b'-') {
            self.mark(Mark::MissingTimestamp);
            self.no_event(self.received.offset_s);
            return self.blank(at + 1).ok_or(at + 1);
        }
        let Some((stamp, end)) = self.stamps.rfc5424(self.line, at) else {
            self.mark(Mark::MissingTimestamp);
            return Err(at);
        };
        self.message.event = self.guessed(stamp);
        self.blank(end).ok_or_else(|| {
            self.mark(Mark::MissingHostname);
            end
        })
    }

    /// Moves a time to the zone that makes it now, with `guess-timezone`.
    #[inline]
    pub(super) fn guessed(&self, stamp: Stamp) -> Stamp {
        if self.has(ParseFlags::GUESS_TIMEZONE) { guess_zone(stamp, self.received) } else { stamp }
    }

    /// Reads HOSTNAME to MSGID; returns the offset of the structured data.
    fn header_fields(&mut self, at: usize) -> Result<usize, usize> {
        let Some(host_end) = self.host_end(at, None) else {
            self.mark(Mark::InvalidHostname);
            self.mark(Mark::MissingAppName);
            return Err(at + 1);
        };
        let host = self.span(at, host_end);
        if &self.line[at..host_end] != b"-" {
            self.message.host = host;
        }
        let (span, at) = self.column(host_end + 1, APP_NAME_BYTES_MAX, Mark::MissingProcid)?;
        if let Some(span) = span {
            self.message.program = span;
        }
        let (span, at) = self.column(at, PROCID_BYTES_MAX, Mark::MissingMsgid)?;
        if let Some(span) = span {
            self.message.pid = span;
        }
        let (span, at) = self.column(at, MSGID_BYTES_MAX, Mark::MissingSdata)?;
        if let Some(span) = span {
            self.message.msgid = span;
        }
        Ok(at)
    }

    /// Reads a field up to a blank. Returns its span, `None` for NIL, and the offset of the next one.
    #[inline]
    fn column(&mut self, at: usize, bytes_max: usize, missing: Mark) -> Result<(Option<Span>, usize), usize> {
        let rest = &self.line[at..];
        let Some(length) = rest.iter().position(|byte| *byte == b' ') else {
            self.mark(missing);
            return Err(self.line.len());
        };
        let nil = length == 1 && rest[0] == b'-';
        Ok(((!nil).then(|| self.span(at, at + length.min(bytes_max))), at + length + 1))
    }

    /// Reads NIL, elements, or nothing at all; returns the offset after them.
    fn sdata_column(&mut self, at: usize) -> Result<usize, usize> {
        match self.line.get(at) {
            Some(b'-') => Ok(at + 1),
            Some(b'[') => self.sdata(at).inspect_err(|_| self.message.marks.add(Mark::InvalidSdata)),
            _ => Ok(at),
        }
    }

    fn message_column(&mut self, at: usize) -> Result<(), usize> {
        let mut at = at;
        if at < self.line.len() {
            let Some(text) = self.blank(at) else {
                self.mark(Mark::MissingMessage);
                return Err(at);
            };
            at = text;
            if self.line[at..].starts_with(BOM) {
                at += BOM.len();
                self.message.utf8 = true;
            }
        }
        self.text(at);
        Ok(())
    }
}

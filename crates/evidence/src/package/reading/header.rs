//! Parses headers of RFC 5424 and RFC 3164 strictly.
//!
//! In: the bytes of a message, and its form. Out: fields, all of them slices of the bytes. Holds nothing.
//! Limits: `None` for bytes that do not have the form. Times without a zone are read as UTC and marked as local.

use super::bytes::ReceivedBytes;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use message::sd_params;
use std::borrow::Cow;

const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Most bytes of program, process id and message id in RFC 5424; longer ones are cut.
const COLUMN_BYTES_MAX: [usize; 3] = [48, 128, 32];
const PRIORITY_MAX: u64 = 191;

/// The sender's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    /// The sender gave none: the received time counts.
    Absent,
    /// Microseconds since 1970.
    Known(i64),
    /// Microseconds since 1970, of a clock in an unknown zone, read as UTC.
    Local(i64),
}

/// The fields of a message.
pub(super) struct Reading<'a> {
    pub(super) priority: Option<u64>,
    pub(super) time: Time,
    pub(super) host: &'a [u8],
    pub(super) program: &'a [u8],
    pub(super) pid: &'a [u8],
    pub(super) msgid: &'a [u8],
    pub(super) message: &'a [u8],
    pub(super) values: Vec<(String, Cow<'a, [u8]>)>,
}

impl<'a> Reading<'a> {
    fn text(line: &'a [u8]) -> Reading<'a> {
        let (host, program, pid, msgid): (&[u8], &[u8], &[u8], &[u8]) = (b"", b"", b"", b"");
        let (priority, time) = (None, Time::Absent);
        Reading { priority, time, host, program, pid, msgid, message: line, values: Vec::new() }
    }

    /// Parses a message in a form; unknown forms are only text.
    pub(super) fn of(form: &str, sealed: ReceivedBytes<'a>) -> Option<Reading<'a>> {
        let end = sealed.raw.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).map_or(0, |last| last + 1);
        let line = &sealed.raw[..end];
        match form {
            "rfc5424" => rfc5424(line),
            "rfc3164" => rfc3164(line, sealed.received_us, Hosts::Expected),
            "rfc3164-nohost" => rfc3164(line, sealed.received_us, Hosts::Absent),
            _ => Some(Reading::text(line)),
        }
    }
}

/// The presence of a host name after the time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hosts {
    Expected,
    Absent,
}

/// Reads `<0>` to `<191>`; returns the number and the rest.
fn priority(line: &[u8]) -> Option<(u64, &[u8])> {
    let rest = line.strip_prefix(b"<")?;
    let end = rest.iter().take(4).position(|byte| *byte == b'>')?;
    let number = digits(rest.get(..end)?)?;
    (number <= PRIORITY_MAX).then(|| (number, &rest[end + 1..]))
}

fn digits(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| text.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// Returns a word up to a space, and the rest after the space.
fn word(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b' ', rest)?;
    Some((&rest[..end], &rest[end + 1..]))
}

fn rfc5424(line: &[u8]) -> Option<Reading<'_>> {
    let (number, rest) = priority(line)?;
    let (time_text, rest) = word(rest.strip_prefix(b"1 ")?)?;
    let time = match time_text {
        b"-" => Time::Absent,
        text => iso(text).filter(|(_, rest)| rest.is_empty())?.0,
    };
    let (host, rest) = word(rest)?;
    let (program, rest) = word(rest)?;
    let (pid, rest) = word(rest)?;
    let (msgid, rest) = word(rest)?;
    let nil = |text| if text == b"-" { &b""[..] } else { text };
    let cut = |text: &[u8], most: usize| text.len().min(most);
    let (sdata, rest) = sdata(rest)?;
    let message = match rest {
        b"" => rest,
        rest => rest.strip_prefix(b" ").map(|text| text.strip_prefix(BOM).unwrap_or(text))?,
    };
    let [program_max, pid_max, msgid_max] = COLUMN_BYTES_MAX;
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let params = sd_params(sdata).filter(|param| !param.name.is_empty());
    let values =
        params.map(|param| (format!(".SDATA.{}.{}", name(param.id), name(param.name)), param.value()));
    Some(Reading {
        priority: Some(number),
        time,
        host: nil(host),
        program: &nil(program)[..cut(nil(program), program_max)],
        pid: &nil(pid)[..cut(nil(pid), pid_max)],
        msgid: &nil(msgid)[..cut(nil(msgid), msgid_max)],
        message,
        values: values.collect(),
    })
}

/// Returns the structured data, `-` or elements, and the rest.
fn sdata(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(behind) = rest.strip_prefix(b"-") {
        return Some((b"", behind));
    }
    let mut at = 0;
    while rest.get(at) == Some(&b'[') {
        at = element(rest, at + 1)?;
    }
    (at > 0).then(|| rest.split_at(at))
}

/// Returns the end of an element whose id begins at `at`.
fn element(rest: &[u8], at: usize) -> Option<usize> {
    let mut at = at + name(rest.get(at..)?)?;
    loop {
        match rest.get(at)? {
            b']' => return Some(at + 1),
            b' ' => at += 1,
            _ => return None,
        }
        at += name(rest.get(at..)?)?;
        if rest.get(at..at + 2)? != b"=\"" {
            return None;
        }
        at += 2;
        loop {
            match rest.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                b']' => return None,
                _ => at += 1,
            }
        }
        at += 1;
    }
}

/// Returns the length of a name: ASCII without `=`, space, `]` and `"`.
fn name(rest: &[u8]) -> Option<usize> {
    let length = rest.iter().take_while(|byte| byte.is_ascii() && !b"= ]\"".contains(byte)).count();
    (length > 0).then_some(length)
}

fn rfc3164(line: &[u8], received_us: i64, hosts: Hosts) -> Option<Reading<'_>> {
    let (number, mut rest) = match priority(line) {
        Some((number, rest)) => (Some(number), rest),
        None => (None, line),
    };
    let mut reading = Reading { priority: number, ..Reading::text(line) };
    match bsd(rest, received_us).or_else(|| iso(rest)) {
        Some((time, behind)) => {
            reading.time = time;
            rest = blanks(behind.strip_prefix(b":").unwrap_or(behind));
            let is_host =
                |host: &[u8]| !host.is_empty() && !host.iter().any(|byte| matches!(byte, b'[' | b':'));
            let host = word(rest).filter(|(host, _)| hosts == Hosts::Expected && is_host(host));
            if let Some((host, behind)) = host {
                reading.host = host;
                rest = blanks(behind);
            }
        }
        // Only a time can be followed by a host.
        None if hosts == Hosts::Expected => {}
        None => return None,
    }
    let end = |text: &[u8], ends: &[u8]| text.iter().position(|byte| ends.contains(byte));
    let length = end(rest, b" [:").unwrap_or(rest.len());
    reading.program = &rest[..length];
    rest = &rest[length..];
    if let Some(inner) = rest.strip_prefix(b"[") {
        let length = end(inner, b" ]:")?;
        reading.pid = &inner[..length];
        rest = &inner[length..];
        rest = rest.strip_prefix(b"]").unwrap_or(rest);
    }
    rest = rest.strip_prefix(b":").unwrap_or(rest);
    reading.message = rest.strip_prefix(b" ").unwrap_or(rest);
    Some(reading)
}

fn blanks(rest: &[u8]) -> &[u8] {
    &rest[rest.iter().take_while(|byte| **byte == b' ').count()..]
}

/// Reads `Nov 21 09:00:00`, with or without a fraction. The year is that of the received time, except around New Year.
fn bsd(rest: &[u8], received_us: i64) -> Option<(Time, &[u8])> {
    let (head, behind) = rest.split_at_checked(15)?;
    let month = MONTHS.iter().position(|month| head.starts_with(month))? as i8 + 1;
    let has_separators = head[3] == b' ' && head[6] == b' ';
    let day = if head[4] == b' ' { digits(&head[5..6])? } else { digits(&head[4..6])? };
    let time = clock(&head[7..])?;
    let now = Timestamp::from_microsecond(received_us).ok()?.to_zoned(TimeZone::UTC);
    let year = match (month, now.month()) {
        (12, 1) => now.year() - 1,
        (1, 12) => now.year() + 1,
        _ => now.year(),
    };
    let (micros, behind) = fraction(behind)?;
    let us = unix_us(year, month, day, time)?;
    has_separators.then_some((Time::Local(us + micros), behind))
}

/// Reads `2026-11-21T09:00:00`, with or without a fraction and a zone.
fn iso(rest: &[u8]) -> Option<(Time, &[u8])> {
    let (head, behind) = rest.split_at_checked(19)?;
    if (head[4], head[7], head[10]) != (b'-', b'-', b'T') {
        return None;
    }
    let year = i16::try_from(digits(&head[..4])?).ok()?;
    let month = digits(&head[5..7])? as i8;
    let us = unix_us(year, month, digits(&head[8..10])?, clock(&head[11..])?)?;
    let (micros, behind) = fraction(behind)?;
    let us = us + micros;
    if let Some(behind) = behind.strip_prefix(b"Z") {
        return Some((Time::Known(us), behind));
    }
    let sign = match behind.first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Some((Time::Local(us), behind)),
    };
    let (zone, behind) = behind.split_at_checked(6)?;
    if zone[3] != b':' {
        return None;
    }
    let minutes = (digits(&zone[1..3])? * 60 + digits(&zone[4..6])?) as i64;
    Some((Time::Known(us - sign * minutes * 60_000_000), behind))
}

/// Reads `hh:mm:ss`.
fn clock(text: &[u8]) -> Option<[i8; 3]> {
    let has_separators = text.get(2) == Some(&b':') && text.get(5) == Some(&b':');
    let number = |from: usize| Some(digits(text.get(from..from + 2)?)? as i8);
    has_separators.then_some([number(0)?, number(3)?, number(6)?])
}

/// Reads a fraction of a second in microseconds; further digits are ignored.
fn fraction(rest: &[u8]) -> Option<(i64, &[u8])> {
    let Some(text) = rest.strip_prefix(b".") else { return Some((0, rest)) };
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut padded = [b'0'; 6];
    let kept = length.min(6);
    padded[..kept].copy_from_slice(&text[..kept]);
    (length > 0).then(|| (digits(&padded).unwrap_or(0) as i64, &text[length..]))
}

/// Returns microseconds since 1970; `None` for a date or a time that does not exist.
fn unix_us(year: i16, month: i8, day: u64, [hour, minute, second]: [i8; 3]) -> Option<i64> {
    let time = DateTime::new(year, month, i8::try_from(day).ok()?, hour, minute, second, 0).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
}

#[cfg(test)]
mod tests;

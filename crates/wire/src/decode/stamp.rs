//! Times of headers: RFC 3164's, RFC 5424's, and those of devices in between.
//!
//! In: the bytes at the time's position, the received time. Out: the stamp and where it ends.
//! Holds: a cache of the last seconds by their text, because successive messages repeat it; the year to assume.
//! Limits: fields out of range roll over, as in syslog-ng (`14:99` is `15:39`); digits of a fraction beyond
//! microseconds are read over.

use super::words;
use crate::stamp::{Civil, offset_at, unix_s_of};
use jiff::{
    Timestamp,
    tz::{Offset, TimeZone},
};
use message::{Stamp, ZoneQuality};

/// Bytes of `Nov 1 09:00:00`.
const SHORTEST_BYTES: usize = 14;
/// Bytes of `Nov 21 09:00:00`.
const BSD_BYTES: usize = 15;
/// Bytes of `2026-11-21T09:00:00`.
const ISO_BYTES: usize = 19;
/// Longest text of a whole second that is cached, `Nov 21 2026 09:00:00`.
const TEXT_BYTES: usize = 20;
/// Number of cached seconds. The last digit of the text chooses the slot.
const KEPT: usize = 16;
/// Reader of the times of one source.
#[derive(Clone, Debug)]
pub(crate) struct StampReader {
    zone: TimeZone,
    kept: [Second; KEPT],
    /// The last reading of our clock, and its second, which `year` and `month` belong to.
    received_us: i64,
    received_s: i64,
    received_offset_s: i32,
    year: i32,
    /// Month of our clock, 1 to 12.
    month: i32,
}

/// A whole second as read.
#[derive(Clone, Copy, Debug, Default)]
struct Second {
    text: [u8; TEXT_BYTES],
    length: usize,
    /// The year of our clock that was the base of a guess.
    year: i32,
    month: i32,
    /// The reading taken as UTC.
    local_s: i64,
    /// The time in the source's zone.
    unix_s: i64,
    offset_s: i32,
}

impl StampReader {
    pub(crate) fn new(zone: TimeZone) -> StampReader {
        let kept = [Second::default(); KEPT];
        StampReader {
            zone,
            kept,
            received_us: i64::MIN,
            received_s: i64::MIN,
            received_offset_s: 0,
            year: 0,
            month: 0,
        }
    }

    /// Returns the offset of the source's zone when the message was received.
    pub(super) fn offset_at(&mut self, received: Stamp) -> i32 {
        self.follow(received);
        self.received_offset_s
    }

    /// Reads a time of RFC 3164 or a variant of it, at `at`.
    #[inline]
    pub(super) fn legacy(&mut self, line: &[u8], at: usize, received: Stamp) -> Option<(Stamp, usize)> {
        let bytes = line.get(at..)?;
        let head = bytes.first_chunk::<SHORTEST_BYTES>()?;
        let (stamp, mut length) = match Shape::of(head, bytes) {
            Shape::Iso => self.iso(bytes)?,
            Shape::Cisco => {
                let second = self.second(&bytes[..20], received, read_cisco)?;
                (zoned(&second, 0, ZoneQuality::ZoneGuessed), if bytes[20] == b':' { 21 } else { 20 })
            }
            Shape::Linksys => {
                // The year comes after the time: the text is too long and too rare to cache.
                let local_s = read_linksys(bytes)?;
                (zoned(&self.resolve(local_s), 0, ZoneQuality::ZoneGuessed), 20)
            }
            Shape::Bsd(length) => {
                let second = self.second(bytes.get(..length)?, received, read_bsd)?;
                let (micros, length) = fraction(bytes, length);
                (zoned(&second, micros, ZoneQuality::YearGuessed), length)
            }
            Shape::Other => return None,
        };
        // Cisco ends its times with a colon.
        length += usize::from(bytes.get(length) == Some(&b':'));
        Some((stamp, at + length))
    }

    /// Reads a time of RFC 5424 at `at`.
    #[inline]
    pub(crate) fn rfc5424(&mut self, line: &[u8], at: usize) -> Option<(Stamp, usize)> {
        let (stamp, length) = self.iso(line.get(at..)?)?;
        Some((stamp, at + length))
    }

    /// Reads `2026-11-21T09:00:00[.123456][Z|+01:00]`.
    #[inline]
    fn iso(&mut self, bytes: &[u8]) -> Option<(Stamp, usize)> {
        let second = self.second(bytes.get(..ISO_BYTES)?, Stamp::default(), read_iso)?;
        let (micros, length) = fraction(bytes, ISO_BYTES);
        let known = |offset_s: i32| {
            let unix_s = second.local_s - i64::from(offset_s);
            Stamp::known(unix_s * 1_000_000 + i64::from(micros), offset_s)
        };
        if bytes.get(length) == Some(&b'Z') {
            return Some((known(0), length + 1));
        }
        if let Some(offset_s) = zone_offset(&bytes[length..]) {
            return Some((known(offset_s), length + 6));
        }
        Some((zoned(&second, micros, ZoneQuality::ZoneGuessed), length))
    }

    /// Reads the second of a text: the cached one, or read now.
    #[inline]
    fn second(
        &mut self,
        text: &[u8],
        received: Stamp,
        read: fn(&[u8], i32, i32) -> Option<i64>,
    ) -> Option<Second> {
        let guesses_year = text.len() <= BSD_BYTES;
        if guesses_year {
            self.follow(received);
        }
        let place = usize::from(text[text.len() - 1]) % KEPT;
        let kept = &self.kept[place];
        let same = kept.text.get(..kept.length).is_some_and(|kept| words::is_same(kept, text));
        if same && (!guesses_year || (kept.year, kept.month) == (self.year, self.month)) {
            return Some(*kept);
        }
        let mut second = self.resolve(read(text, self.year, self.month)?);
        (second.year, second.month) = (self.year, self.month);
        if let Some(place_of_text) = second.text.get_mut(..text.len()) {
            place_of_text.copy_from_slice(text);
            second.length = text.len();
            self.kept[place] = second;
        }
        Some(second)
    }

    /// Resolves a wall clock reading in the source's zone.
    fn resolve(&self, local_s: i64) -> Second {
        let (unix_s, offset_s) = match self.zone.to_fixed_offset() {
            Ok(offset) => (local_s - i64::from(offset.seconds()), offset.seconds()),
            Err(_) => {
                let reading = Timestamp::from_second(local_s).unwrap_or(Timestamp::UNIX_EPOCH);
                let reading = Offset::UTC.to_datetime(reading);
                let unix = self.zone.to_ambiguous_timestamp(reading).compatible();
                let unix_s = unix.map_or(local_s, |unix| unix.as_second());
                (unix_s, offset_at(&self.zone, unix_s))
            }
        };
        Second { local_s, unix_s, offset_s, ..Second::default() }
    }

    /// Keeps the year and month of our clock, in the source's zone.
    #[inline]
    fn follow(&mut self, received: Stamp) {
        // All messages of a batch have the same received time.
        if self.received_us == received.unix_us {
            return;
        }
        self.received_us = received.unix_us;
        let received_s = received.unix_s();
        if self.received_s == received_s {
            return;
        }
        self.received_s = received_s;
        self.received_offset_s = offset_at(&self.zone, received_s);
        let now = Civil::of(received_s, self.received_offset_s);
        (self.year, self.month) = (now.year, i32::from(now.month));
    }
}

#[inline]
fn zoned(second: &Second, micros: u32, quality: ZoneQuality) -> Stamp {
    Stamp { unix_us: second.unix_s * 1_000_000 + i64::from(micros), offset_s: second.offset_s, quality }
}

/// The outline of a time.
enum Shape {
    /// `2026-11-21T09:00:00` or with a blank.
    Iso,
    /// `Nov 21 2026 09:00:00:` or with a blank at its end.
    Cisco,
    /// `Nov 21 09:00:00 2026 `.
    Linksys,
    /// `Nov 21 09:00:00`, or `Nov 1 09:00:00` without the blank that pads a day, and its length.
    Bsd(usize),
    Other,
}

impl Shape {
    /// Looks at as much as tells the outlines apart; their readers look at the rest.
    #[inline]
    fn of(head: &[u8; SHORTEST_BYTES], bytes: &[u8]) -> Shape {
        if head[3] == b' ' && head[6] == b' ' {
            if head[9] == b':' {
                return if is_linksys_year(bytes) { Shape::Linksys } else { Shape::Bsd(BSD_BYTES) };
            }
            return if is_cisco(bytes) { Shape::Cisco } else { Shape::Other };
        }
        if head[3] == b' ' && head[4].is_ascii_digit() && head[5] == b' ' {
            return Shape::Bsd(SHORTEST_BYTES);
        }
        if head[4] == b'-' { Shape::Iso } else { Shape::Other }
    }
}

fn is_cisco(bytes: &[u8]) -> bool {
    bytes.get(..21).is_some_and(|text| {
        text[7..11].iter().all(u8::is_ascii_digit) && text[11] == b' ' && matches!(text[20], b':' | b' ')
    })
}

#[inline]
fn is_linksys_year(bytes: &[u8]) -> bool {
    bytes.get(15..21).is_some_and(|text| {
        text[0] == b' '
            && text[1..5].iter().all(u8::is_ascii_digit)
            && matches!(text[5], b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
    })
}

fn read_bsd(text: &[u8], year: i32, month_now: i32) -> Option<i64> {
    let month = month(text)?;
    // In January messages of late December may still arrive; in December a clock may be ahead.
    let year = match (month, month_now) {
        (12, 1) => year - 1,
        (1, 12) => year + 1,
        _ => year,
    };
    let (day, time_text) = text.get(4..)?.split_at_checked(text.len() - 13)?;
    Some(unix_s_of([year, month, number(day)?], time(time_text.get(1..)?)?))
}

fn read_cisco(text: &[u8], _: i32, _: i32) -> Option<i64> {
    let date = [number(text.get(7..11)?)?, month(text)?, number(text.get(4..6)?)?];
    Some(unix_s_of(date, time(text.get(12..20)?)?))
}

fn read_linksys(text: &[u8]) -> Option<i64> {
    let date = [number(text.get(16..20)?)?, month(text)?, number(text.get(4..6)?)?];
    Some(unix_s_of(date, time(text.get(7..15)?)?))
}

fn read_iso(text: &[u8], _: i32, _: i32) -> Option<i64> {
    if text[4] != b'-' || text[7] != b'-' || !matches!(text[10], b'T' | b' ') {
        return None;
    }
    let date = [number(text.get(0..4)?)?, number(text.get(5..7)?)?, number(text.get(8..10)?)?];
    Some(unix_s_of(date, time(text.get(11..19)?)?))
}

/// Reads `hh:mm:ss`.
fn time(text: &[u8]) -> Option<[i32; 3]> {
    if text[2] != b':' || text[5] != b':' {
        return None;
    }
    Some([number(&text[..2])?, number(&text[3..5])?, number(&text[6..8])?])
}

/// Reads a number that fills its field, with blanks in front or nothing but blanks.
fn number(text: &[u8]) -> Option<i32> {
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    text[blanks..]
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i32::from(byte - b'0')))
}

/// Reads the name of a month, from 1. Its first letter is a capital, the others may be either.
fn month(text: &[u8]) -> Option<i32> {
    let rest = [text[1].to_ascii_lowercase(), text[2].to_ascii_lowercase()];
    Some(match (text[0], &rest) {
        (b'J', b"an") => 1,
        (b'F', b"eb") => 2,
        (b'M', b"ar") => 3,
        (b'A', b"pr") => 4,
        (b'M', b"ay") => 5,
        (b'J', b"un") => 6,
        (b'J', b"ul") => 7,
        (b'A', b"ug") => 8,
        (b'S', b"ep") => 9,
        (b'O', b"ct") => 10,
        (b'N', b"ov") => 11,
        (b'D', b"ec") => 12,
        _ => return None,
    })
}

/// Reads the fraction at `at`, after a point or (Aruba) a comma: microseconds, and the offset after it.
#[inline]
fn fraction(bytes: &[u8], at: usize) -> (u32, usize) {
    if !matches!(bytes.get(at), Some(b'.' | b',')) {
        return (0, at);
    }
    let (mut micros, mut unit, mut end) = (0, 100_000, at + 1);
    while let Some(digit) = bytes.get(end).filter(|byte| byte.is_ascii_digit()) {
        micros += u32::from(digit - b'0') * unit;
        unit /= 10;
        end += 1;
    }
    (micros, end)
}

/// Reads `+01:00` that no further digit follows.
#[inline]
fn zone_offset(bytes: &[u8]) -> Option<i32> {
    let text = bytes.first_chunk::<6>()?;
    let sign = match text[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let hours = digit(text[1])? * 10 + digit(text[2])?;
    let minutes = digit(text[4])? * 10 + digit(text[5])?;
    let ends = text[3] == b':' && !bytes.get(6).is_some_and(u8::is_ascii_digit);
    ends.then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests;

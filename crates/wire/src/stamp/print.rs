//! Prints stamps, caching the text of the last second.
//!
//! In: stamps, mostly of the same second. Out: their text, appended. Holds: one line of text and its second.
//! Limits: at most [`FRACTION_DIGITS_MAX`] digits of fraction, cut, not rounded.

use super::Civil;
use jiff::{Timestamp, tz::TimeZone};
use message::Stamp;

/// Most digits of a second's fraction: stamps hold microseconds.
pub const FRACTION_DIGITS_MAX: u8 = 6;

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// The forms of `ts-format()` and of the date macros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StampFormat {
    /// `Nov 21 09:00:00`: `$DATE`, `ts-format(rfc3164)`, `ts-format(bsd)`.
    Bsd,
    /// `2026-11-21T09:00:00+00:00`: `$ISODATE`, `ts-format(iso)`, `ts-format(rfc3339)`.
    Iso,
    /// `2026 Nov 21 09:00:00`: `$FULLDATE`, `ts-format(full)`.
    Full,
    /// `1795251600`: `$UNIXTIME`, `ts-format(unix)`, `ts-format(utc)`.
    Unix,
}

impl StampFormat {
    /// Returns the form of a name in `ts-format()`.
    pub fn from_name(name: &str) -> Option<StampFormat> {
        Some(match name {
            "rfc3164" | "bsd" => StampFormat::Bsd,
            "iso" | "rfc3339" => StampFormat::Iso,
            "full" => StampFormat::Full,
            "unix" | "utc" => StampFormat::Unix,
            _ => return None,
        })
    }
}

/// A printer of stamps in one form. Keep one per use: successive stamps mostly share their second.
#[derive(Clone, Debug)]
pub struct StampText {
    format: StampFormat,
    fraction_digits: u8,
    zone: Option<TimeZone>,
    /// The second and the stamp's own offset that `text` was printed for.
    printed: Option<(i64, i32)>,
    /// Text of the whole second.
    text: Vec<u8>,
    /// Offset in `text` of the fraction.
    fraction_at: usize,
}

impl StampText {
    /// Makes a printer. Without a zone, stamps are shown in the offset that they carry.
    pub fn new(format: StampFormat, fraction_digits: u8, zone: Option<TimeZone>) -> StampText {
        let fraction_digits = fraction_digits.min(FRACTION_DIGITS_MAX);
        StampText {
            format,
            fraction_digits,
            zone,
            printed: None,
            text: Vec::with_capacity(32),
            fraction_at: 0,
        }
    }

    /// Appends the text of a stamp.
    #[inline]
    pub fn append(&mut self, stamp: Stamp, out: &mut Vec<u8>) {
        let key = (stamp.unix_s(), stamp.offset_s);
        if self.printed != Some(key) {
            self.print(key.0, key.1);
        }
        if self.fraction_digits == 0 {
            out.extend_from_slice(&self.text);
            return;
        }
        let (before, after) = self.text.split_at(self.fraction_at);
        out.extend_from_slice(before);
        append_fraction(stamp.micros(), self.fraction_digits, out);
        out.extend_from_slice(after);
    }

    /// Renders the whole second.
    fn print(&mut self, unix_s: i64, own_offset_s: i32) {
        let offset_s = match &self.zone {
            Some(zone) => offset_at(zone, unix_s),
            None => own_offset_s,
        };
        let text = &mut self.text;
        text.clear();
        let civil = Civil::of(unix_s, offset_s);
        match self.format {
            StampFormat::Bsd => append_bsd(&civil, text),
            StampFormat::Full => {
                append_year(civil.year, text);
                text.push(b' ');
                append_bsd(&civil, text);
            }
            StampFormat::Iso => {
                append_year(civil.year, text);
                for (before, number) in [(b'-', civil.month), (b'-', civil.day)] {
                    text.push(before);
                    append_two(number, text);
                }
                text.push(b'T');
                append_time(&civil, text);
            }
            StampFormat::Unix => text.extend_from_slice(unix_s.to_string().as_bytes()),
        }
        self.fraction_at = text.len();
        if self.format == StampFormat::Iso {
            append_offset(offset_s, text);
        }
        self.printed = Some((unix_s, own_offset_s));
    }
}

/// Returns the offset of a zone from UTC at a moment, in seconds. Moments outside of the calendar count as 1970.
pub(crate) fn offset_at(zone: &TimeZone, unix_s: i64) -> i32 {
    zone.to_offset(Timestamp::from_second(unix_s).unwrap_or(Timestamp::UNIX_EPOCH)).seconds()
}

fn append_bsd(civil: &Civil, out: &mut Vec<u8>) {
    out.extend_from_slice(MONTHS[usize::from(civil.month - 1) % 12]);
    out.push(b' ');
    if civil.day < 10 {
        out.extend_from_slice(&[b' ', b'0' + civil.day]);
    } else {
        append_two(civil.day, out);
    }
    out.push(b' ');
    append_time(civil, out);
}

fn append_time(civil: &Civil, out: &mut Vec<u8>) {
    append_two(civil.hour, out);
    out.push(b':');
    append_two(civil.minute, out);
    out.push(b':');
    append_two(civil.second, out);
}

fn append_two(number: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + number / 10 % 10, b'0' + number % 10]);
}

fn append_year(year: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{year:04}").as_bytes());
}

/// Appends `+01:00`; seconds of an offset, which only zones before 1972 have, are left out.
pub(super) fn append_offset(offset_s: i32, out: &mut Vec<u8>) {
    let minutes = offset_s.unsigned_abs() / 60;
    out.push(if offset_s < 0 { b'-' } else { b'+' });
    append_two((minutes / 60) as u8, out);
    out.push(b':');
    append_two((minutes % 60) as u8, out);
}

fn append_fraction(micros: u32, digits: u8, out: &mut Vec<u8>) {
    let mut text = *b".000000";
    let mut rest = micros;
    for digit in text[1..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&text[..=usize::from(digits)]);
}

//! Times as shippers write them: RFC 3339, or seconds, milli-, micro- or nanoseconds since 1970.
//!
//! In: text. Out: a stamp. Holds nothing. Limits: the unit of a whole number follows from its size, which is correct
//! for times after 1973 in any unit and for seconds before the year 5138.

use crate::decode::StampReader;
use message::Stamp;

/// Reads a time.
pub(in crate::shipped) fn read(text: &[u8], stamps: &mut StampReader) -> Option<Stamp> {
    if let Some((stamp, end)) = stamps.rfc5424(text, 0) {
        let rest = &text[end..];
        return (rest.is_empty() || without_colon(rest).is_some())
            .then(|| without_colon(rest).map_or(stamp, |offset_s| moved(stamp, offset_s)));
    }
    number(text).map(|unix_us| Stamp::known(unix_us, 0))
}

/// Reads an offset as Java writes it: `+0100`.
fn without_colon(text: &[u8]) -> Option<i32> {
    let [sign @ (b'+' | b'-'), digits @ ..] = text else { return None };
    if digits.len() != 4 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let [h, hh, m, mm] = [0, 1, 2, 3].map(|at| i32::from(digits[at] - b'0'));
    let offset_s = (h * 10 + hh) * 3600 + (m * 10 + mm) * 60;
    Some(if *sign == b'-' { -offset_s } else { offset_s })
}

/// Moves a time that was read in a guessed zone to its own.
fn moved(stamp: Stamp, offset_s: i32) -> Stamp {
    let local_us = stamp.unix_us + i64::from(stamp.offset_s) * 1_000_000;
    Stamp::known(local_us - i64::from(offset_s) * 1_000_000, offset_s)
}

/// Microseconds since 1970 of a number with or without a fraction.
pub(in crate::shipped) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if text.contains(['e', 'E']) {
        let seconds: f64 = text.parse().ok().filter(|seconds: &f64| seconds.abs() < 1e18)?;
        return from_whole(seconds as i64);
    }
    let whole: i64 = whole.parse().ok()?;
    let unix_us = from_whole(whole)?;
    if fraction.is_empty() || whole.unsigned_abs() >= SECONDS_MAX {
        return Some(unix_us);
    }
    let mut micros = 0;
    for place in 0..6 {
        let digit = fraction.as_bytes().get(place).map_or(Some(0), |byte| char::from(*byte).to_digit(10))?;
        micros = micros * 10 + i64::from(digit);
    }
    Some(if text.starts_with('-') { unix_us - micros } else { unix_us + micros })
}

/// Whole numbers from here on are milliseconds, a thousand times higher microseconds, then nanoseconds.
const SECONDS_MAX: u64 = 100_000_000_000;

fn from_whole(whole: i64) -> Option<i64> {
    match whole.unsigned_abs() {
        size if size < SECONDS_MAX => whole.checked_mul(1_000_000),
        size if size < SECONDS_MAX * 1_000 => whole.checked_mul(1_000),
        size if size < SECONDS_MAX * 1_000_000 => Some(whole),
        _ => Some(whole / 1_000),
    }
}

/// Returns a time in nanoseconds since 1970, as in Loki and OTLP; `None` for 0 and below.
pub(in crate::shipped) fn from_nanos(nanos: u64) -> Option<Stamp> {
    let unix_us = i64::try_from(nanos / 1_000).ok().filter(|unix_us| *unix_us > 0)?;
    Some(Stamp::known(unix_us, 0))
}

#[cfg(test)]
mod tests;

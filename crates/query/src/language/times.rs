//! Times and durations as people write them in a query or a time picker.
//!
//! In: `now-1h`, `2026-03-01T10:00`, seconds since 1970, `5m`. Out: microseconds. Reads no clock: now is an
//! argument. Limits: years 1 to 9999, microseconds.

use jiff::{Timestamp, civil, tz::Offset};
use std::ops::Range;

const SECOND_US: i64 = 1_000_000;

/// The start of a time as written, in microseconds since 1970: ISO 8601 (with `offset_s` east of UTC when it
/// names no zone), seconds since 1970, or `now` with steps such as `-15m`, `-1h`, `-7d`.
pub fn parse_time(text: &str, now_us: i64, offset_s: i32) -> Option<i64> {
    time_span(text, now_us, offset_s).map(|span| span.start)
}

/// Returns the time that a text covers: a date its day, a time without seconds its minute, and so on.
pub(crate) fn time_span(text: &str, now_us: i64, offset_s: i32) -> Option<Range<i64>> {
    if let Some(steps) = text.strip_prefix("now") {
        let moment = if steps.is_empty() { now_us } else { now_us.checked_add(signed_steps(steps)?)? };
        return Some(moment..moment.checked_add(1)?);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return unix_seconds(text);
    }
    let width = written_width(text);
    let start = if let Ok(moment) = text.parse::<Timestamp>() {
        moment.as_microsecond()
    } else {
        let civil = match text.parse::<civil::DateTime>() {
            Ok(civil) if text.len() > 10 => civil,
            _ => text.parse::<civil::Date>().ok()?.to_datetime(civil::Time::midnight()),
        };
        let offset = Offset::from_seconds(offset_s).ok()?;
        offset.to_timestamp(civil).ok()?.as_microsecond()
    };
    Some(start..start.checked_add(width)?)
}

/// A time as text, ISO 8601 in UTC; beyond year 9999 its microseconds since 1970.
pub(crate) fn shown(us: i64) -> String {
    Timestamp::from_microsecond(us).map_or_else(|_| us.to_string(), |time| time.to_string())
}

/// A duration in microseconds: `5m`, `-1h30m`, `500ms`; a number without unit is seconds.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    if let Ok(seconds) = rest.parse::<u32>() {
        return Some(sign * i64::from(seconds) * SECOND_US);
    }
    Some(sign * steps(rest)?)
}

/// `-1h`, `+3d+12h`, `-1h30m`.
fn signed_steps(text: &str) -> Option<i64> {
    let mut total = 0i64;
    let mut rest = text;
    while !rest.is_empty() {
        let sign = match rest.as_bytes()[0] {
            b'-' => -1,
            b'+' => 1,
            _ => return None,
        };
        let end = rest[1..].find(['-', '+']).map_or(rest.len(), |at| at + 1);
        total = total.checked_add(sign * steps(&rest[1..end])?)?;
        rest = &rest[end..];
    }
    Some(total)
}

/// `1h30m`: numbers, each with its unit.
fn steps(text: &str) -> Option<i64> {
    let mut total = 0i64;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: i64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "us" => 1,
            "ms" => 1_000,
            "s" => SECOND_US,
            "m" => 60 * SECOND_US,
            "h" => 3_600 * SECOND_US,
            "d" => 86_400 * SECOND_US,
            "w" => 7 * 86_400 * SECOND_US,
            _ => return None,
        };
        total = total.checked_add(count.checked_mul(unit)?)?;
        rest = &rest[letters..];
    }
    Some(total)
}

/// Seconds since 1970 with a fraction of at most six digits.
fn unix_seconds(text: &str) -> Option<Range<i64>> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 6 || fraction.contains('.') {
        return None;
    }
    let start = whole.parse::<i64>().ok()?.checked_mul(SECOND_US)?;
    let width = 10i64.pow(6 - fraction.len() as u32);
    let micros = if fraction.is_empty() { 0 } else { fraction.parse::<i64>().ok()? * width };
    let start = start.checked_add(micros)?;
    Some(start..start.checked_add(width)?)
}

/// Returns the time that an ISO 8601 text covers, by its last written part.
fn written_width(text: &str) -> i64 {
    let Some(clock) = text.get(11..) else {
        return 86_400 * SECOND_US;
    };
    let clock = clock.split(['Z', 'z', '+', '-', '[']).next().unwrap_or_default();
    match clock.split_once(['.', ',']) {
        Some((_, fraction)) => 10i64.pow(6u32.saturating_sub(fraction.len() as u32)),
        None if clock.matches(':').count() >= 2 => SECOND_US,
        None if clock.contains(':') => 60 * SECOND_US,
        None => 3_600 * SECOND_US,
    }
}

#[cfg(test)]
mod tests;

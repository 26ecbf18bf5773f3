//! The timestamp of a frame, when it can be restored from the column of event times.
//!
//! In: the start of a text, an event time. Out: how the text spells that time, as one byte; the text again.
//! Limits: the forms below; any other spelling is treated as text.

use message::Stamp;

/// `Nov  1 10:00:00`.
pub(super) const BSD: u8 = 0;
/// `2026-11-01T10:00:00.123Z`: this, plus twice the number of decimals, plus 1 when the zone is an offset.
const ISO: u8 = 2;
const ISO_DIGITS_MAX: u8 = 6;
/// Forms that there are.
pub(super) const FORMS: u8 = ISO + 2 * ISO_DIGITS_MAX + 2;

const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
/// Bytes of `2026-11-01T10:00:00`.
const ISO_BYTES: usize = 19;

/// The form in which a text begins with a time, and how long that is. `buffer` is reused memory.
pub(super) fn recognise(text: &[u8], stamp: Stamp, buffer: &mut Vec<u8>) -> Option<(u8, usize)> {
    let form = match *text {
        [b'A'..=b'Z', _, _, b' ', ..] => BSD,
        [b'0'..=b'9', _, _, _, b'-', ..] => {
            let behind = text.get(ISO_BYTES..)?;
            let digits = match behind.strip_prefix(b".") {
                Some(rest) => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
                None => 0,
            };
            let digits = u8::try_from(digits).ok().filter(|digits| *digits <= ISO_DIGITS_MAX)?;
            let zone = behind.get(usize::from(digits) + usize::from(digits > 0));
            ISO + 2 * digits + u8::from(zone != Some(&b'Z'))
        }
        _ => return None,
    };
    buffer.clear();
    put(buffer, form, stamp);
    text.starts_with(buffer).then_some((form, buffer.len()))
}

/// Appends a time in a form.
pub(super) fn put(out: &mut Vec<u8>, form: u8, stamp: Stamp) {
    let local = stamp.unix_us.saturating_add(i64::from(stamp.offset_s) * 1_000_000);
    let (seconds, micros) = (local.div_euclid(1_000_000), local.rem_euclid(1_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let two = |out: &mut Vec<u8>, number: i64| {
        let number = number.rem_euclid(100);
        out.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
    };
    if form < ISO {
        let at = (month as usize - 1) * 3;
        out.extend_from_slice(&MONTHS[at..at + 3]);
        out.push(b' ');
        match day {
            0..10 => out.extend_from_slice(&[b' ', b'0' + day as u8]),
            _ => two(out, day),
        }
        out.push(b' ');
    } else {
        two(out, year / 100);
        two(out, year);
        out.push(b'-');
        two(out, month);
        out.push(b'-');
        two(out, day);
        out.push(b'T');
    }
    two(out, second / 3600);
    out.push(b':');
    two(out, second / 60 % 60);
    out.push(b':');
    two(out, second % 60);
    if form < ISO {
        return;
    }
    let (digits, has_offset) = ((form - ISO) / 2, (form - ISO) % 2 == 1);
    if digits > 0 {
        out.push(b'.');
        let all = [100_000, 10_000, 1_000, 100, 10, 1].map(|unit| b'0' + (micros / unit % 10) as u8);
        out.extend_from_slice(&all[..usize::from(digits.min(ISO_DIGITS_MAX))]);
    }
    if !has_offset {
        return out.push(b'Z');
    }
    let minutes = i64::from(stamp.offset_s).abs() / 60;
    out.push(if stamp.offset_s < 0 { b'-' } else { b'+' });
    two(out, minutes / 60);
    out.push(b':');
    two(out, minutes % 60);
}

/// Year, month and day of a day counted from 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last of a year; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

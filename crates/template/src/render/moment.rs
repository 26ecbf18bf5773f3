//! Functions of times: `format-date` and `stardate`.
//!
//! In: a message's time or a number of seconds. Out: text. Holds nothing.
//! Limits: years that a calendar has.

use crate::{renderer::Renderer, template::TimeFunction};
use jiff::{Timestamp, Zoned, fmt::strtime, tz::TimeZone};
use message::{Batch, Stamp};

/// Appends the text; nothing when the value is not a time.
pub(super) fn append(
    moment: &TimeFunction,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let local = renderer.site.zone.clone().unwrap_or(TimeZone::UTC);
    match moment {
        TimeFunction::Form { form, zone, time } => {
            let (stamp, own) = match time {
                Some(time) => match read(&time.value(batch, index, renderer)) {
                    Some((stamp, true)) => (stamp, fixed(stamp)),
                    Some((stamp, false)) => (stamp, local),
                    None => return,
                },
                None => {
                    let stamp = batch.messages[index].event;
                    (stamp, renderer.options.zone.clone().unwrap_or_else(|| fixed(stamp)))
                }
            };
            let shown = zoned(stamp, zone.clone().unwrap_or(own));
            out.extend_from_slice(strtime::format(form, &shown).unwrap_or_default().as_bytes());
        }
        TimeFunction::Stardate { digits, time } => {
            let Some((stamp, _)) = read(&time.value(batch, index, renderer)) else { return };
            let moment = zoned(stamp, local);
            let Ok(start) = moment.first_of_year().and_then(|first| first.start_of_day()) else { return };
            let passed = (moment.timestamp().as_second() - start.timestamp().as_second()) as f64;
            let length = f64::from(moment.days_in_year()) * 86_400.0;
            let scale = 10f64.powi(*digits as i32);
            let year = f64::from(moment.year()) + (passed / length * scale).floor() / scale;
            out.extend_from_slice(format!("{year:.digits$}").as_bytes());
        }
    }
}

fn fixed(stamp: Stamp) -> TimeZone {
    TimeZone::fixed(jiff::tz::Offset::from_seconds(stamp.offset_s).unwrap_or(jiff::tz::Offset::UTC))
}

fn zoned(stamp: Stamp, zone: TimeZone) -> Zoned {
    Timestamp::from_microsecond(stamp.unix_us).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(zone)
}

/// Reads `1653246684`, `1653246684.123` or `1653246684.123+02:00`, and returns whether there was a zone.
fn read(text: &[u8]) -> Option<(Stamp, bool)> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let zone_at = text.char_indices().skip(1).find(|(_, sign)| matches!(sign, '+' | '-')).map(|(at, _)| at);
    let (number, zone) = zone_at.map_or((text, None), |at| (&text[..at], Some(&text[at..])));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let seconds: i64 = whole.parse().ok()?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(6).collect();
    let micros: i64 = digits.parse().ok()?;
    let offset_s = match zone {
        Some(zone) => wire::zone_of(zone)?.to_offset(Timestamp::from_second(seconds).ok()?).seconds(),
        None => 0,
    };
    Some((Stamp::known(seconds.checked_mul(1_000_000)?.checked_add(micros)?, offset_s), zone.is_some()))
}

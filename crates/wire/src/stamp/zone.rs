//! Time zones by name: as `time-zone()` and its kin take them.
//!
//! In: `Europe/Budapest`, `UTC`, `+02:00`, `CET-1CEST,M3.5.0/2,M10.5.0/3`. Out: the zone. Holds nothing.
//! Limits: offsets below a day.

use jiff::tz::{Offset, TimeZone};

/// Returns the zone of a name of the zone database, of an offset, or of a rule as POSIX writes it.
pub fn zone_of(text: &str) -> Option<TimeZone> {
    let text = text.trim();
    if let Ok(zone) = TimeZone::get(text) {
        return Some(zone);
    }
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return TimeZone::posix(text).ok(),
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i32>().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse::<i32>().ok()?),
        _ => return None,
    };
    let offset = Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?;
    Some(TimeZone::fixed(offset))
}

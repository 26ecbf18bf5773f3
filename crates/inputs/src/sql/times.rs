//! Times in columns.
//!
//! In: values. Out: stamps. Holds: nothing. Limits: a value that is no time has none.

use jiff::{
    Timestamp,
    fmt::temporal::{Pieces, PiecesOffset},
    tz::TimeZone,
};
use message::Stamp;
use transport::sql::Value;

/// Whole numbers from here on are milliseconds since 1970: as seconds it would be the year 5138.
const MILLISECONDS_FROM: u128 = 100_000_000_000;
/// And from here on microseconds.
const MICROSECONDS_FROM: u128 = 100_000_000_000_000;

/// Returns the time that a value is; one without a zone is of `zone`.
pub(super) fn stamp(value: &Value, zone: &TimeZone) -> Option<Stamp> {
    match value {
        Value::Integer(number) => {
            let factor = match number.unsigned_abs() {
                MICROSECONDS_FROM.. => 1,
                MILLISECONDS_FROM.. => 1_000,
                _ => 1_000_000,
            };
            of(Timestamp::from_microsecond(i64::try_from(number.checked_mul(factor)?).ok()?).ok()?, zone)
        }
        // A cast to a whole number ends at its limits.
        Value::Double(seconds) => of(Timestamp::from_microsecond((seconds * 1e6) as i64).ok()?, zone),
        Value::Text(text) => of_text(text.trim(), zone),
        Value::Null | Value::Boolean(_) | Value::Bytes(_) => None,
    }
}

fn of(at: Timestamp, zone: &TimeZone) -> Option<Stamp> {
    Some(Stamp::known(at.as_microsecond(), zone.to_offset(at).seconds()))
}

/// Reads `2026-11-24 19:30:00.5+01`, as databases write it: with T or a blank, with or without fraction and zone.
fn of_text(text: &str, zone: &TimeZone) -> Option<Stamp> {
    let pieces = Pieces::parse(text).ok()?;
    let local = pieces.date().to_datetime(pieces.time().unwrap_or_default());
    match pieces.offset() {
        Some(PiecesOffset::Numeric(offset)) => {
            let offset = offset.offset();
            let at = offset.to_timestamp(local).ok()?;
            Some(Stamp::known(at.as_microsecond(), offset.seconds()))
        }
        Some(_) => Some(Stamp::known(TimeZone::UTC.to_timestamp(local).ok()?.as_microsecond(), 0)),
        None => of(zone.to_timestamp(local).ok()?, zone),
    }
}

#[cfg(test)]
mod tests {
    //! Times as databases write them.

    use super::*;
    use jiff::tz::offset;

    #[test]
    fn databases_write_times_in_many_ways() {
        let zone = TimeZone::fixed(offset(2));
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            (text("2026-11-24 19:30:00"), Some("1795541400.000000+02:00")),
            (text("2026-11-24 19:30:00.25"), Some("1795541400.250000+02:00")),
            (text("2026-11-24T19:30:00Z"), Some("1795548600.000000+00:00")),
            (text("2026-11-24 19:30:00+01"), Some("1795545000.000000+01:00")),
            (text("2026-11-24 19:30:00.123456-05:30"), Some("1795568400.123456-05:30")),
            (text("2026-11-24"), Some("1795471200.000000+02:00")),
            (Value::Integer(1_795_541_400), Some("1795541400.000000+02:00")),
            (Value::Integer(1_795_541_400_250), Some("1795541400.250000+02:00")),
            (Value::Integer(1_795_541_400_250_001), Some("1795541400.250001+02:00")),
            (Value::Double(1_795_541_400.5), Some("1795541400.500000+02:00")),
            (text("0000-00-00 00:00:00"), None),
            (text("yesterday"), None),
            (text(""), None),
            (Value::Integer(i128::MAX), None),
            (Value::Double(f64::MAX), None),
            (Value::Null, None),
        ];
        for (value, want) in rows {
            let found = stamp(&value, &zone).map(Stamp::to_text);
            assert_eq!(found.as_deref(), want, "{value:?}");
        }
    }
}

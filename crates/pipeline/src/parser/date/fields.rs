//! The fields of a time, as far as a text has them.
//!
//! In: fields. Out: a stamp, with missing fields taken from the received time. `None` when there is no such time.
//! Limits: none of its own.

use jiff::{
    Timestamp, civil,
    tz::{Offset, TimeZone},
};
use message::{Stamp, ZoneQuality};
use wire::Civil;

/// The fields that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) year: Option<i32>,
    /// From 1.
    pub(super) month: Option<i32>,
    /// From 1.
    pub(super) day: Option<i32>,
    /// From 1.
    pub(super) year_day: Option<i32>,
    pub(super) hour: Option<i32>,
    pub(super) minute: Option<i32>,
    pub(super) second: Option<i32>,
    pub(super) micros: u32,
    pub(super) afternoon: Option<bool>,
    pub(super) unix_s: Option<i64>,
    pub(super) offset_s: Option<i32>,
    pub(super) zone: Option<TimeZone>,
}

impl Fields {
    pub(super) fn stamp(&self, received: Stamp, zone: &TimeZone) -> Option<Stamp> {
        let own = self.offset_s.map(|offset_s| Offset::from_seconds(offset_s).map(TimeZone::fixed));
        let zone = match own {
            Some(fixed) => fixed.ok()?,
            None => self.zone.clone().unwrap_or_else(|| zone.clone()),
        };
        if let Some(unix_s) = self.unix_s {
            return Some(Stamp::known(self.micros_of(unix_s), offset_at(&zone, unix_s)));
        }
        let now = Civil::of(received.unix_s(), offset_at(&zone, received.unix_s()));
        let second = self.second.unwrap_or_default();
        let time = [self.hour24(), self.minute.unwrap_or_default(), second.min(59)].map(|part| part as i8);
        let read = self.date(&now)?.to_datetime(civil::Time::new(time[0], time[1], time[2], 0).ok()?);
        // The leap second is the one after.
        let unix_s = read.to_zoned(zone.clone()).ok()?.timestamp().as_second() + i64::from(second > 59);
        let quality = match (self.offset_s.is_some() || self.zone.is_some(), self.year) {
            (true, Some(_)) => ZoneQuality::Known,
            (false, Some(_)) => ZoneQuality::ZoneGuessed,
            (_, None) => ZoneQuality::YearGuessed,
        };
        Some(Stamp { unix_us: self.micros_of(unix_s), offset_s: offset_at(&zone, unix_s), quality })
    }

    fn micros_of(&self, unix_s: i64) -> i64 {
        unix_s * 1_000_000 + i64::from(self.micros)
    }

    fn hour24(&self) -> i32 {
        let hour = self.hour.unwrap_or_default();
        match self.afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        }
    }

    fn date(&self, now: &Civil) -> Option<civil::Date> {
        if let Some(year_day) = self.year_day.filter(|_| self.month.is_none()) {
            let first = civil::Date::new(self.year.unwrap_or(now.year) as i16, 1, 1).ok()?;
            let day = first.checked_add(jiff::Span::new().days(year_day - 1)).ok()?;
            return (day.year() == first.year()).then_some(day);
        }
        let tells_date = self.year.is_some() || self.month.is_some();
        let month = self.month.unwrap_or(if self.year.is_some() { 1 } else { i32::from(now.month) });
        let day = self.day.unwrap_or(if tells_date { 1 } else { i32::from(now.day) });
        let year = self.year.unwrap_or_else(|| nearest_year(month, now));
        civil::Date::new(year as i16, month as i8, day as i8).ok()
    }
}

/// Returns the year of a month without one: December in January is of last year, January in December of the next.
fn nearest_year(month: i32, now: &Civil) -> i32 {
    match (month, now.month) {
        (12, 1) => now.year - 1,
        (1, 12) => now.year + 1,
        _ => now.year,
    }
}

/// Returns the offset of a zone from UTC at a moment.
fn offset_at(zone: &TimeZone, unix_s: i64) -> i32 {
    zone.to_offset(Timestamp::from_second(unix_s).unwrap_or(Timestamp::UNIX_EPOCH)).seconds()
}

#[cfg(test)]
mod tests {
    //! Rows for years that a time does not tell.

    use super::*;

    #[test]
    fn a_month_is_of_the_year_around_it() {
        let check = |received_s: i64, month: i32, want: i32| {
            assert_eq!(nearest_year(month, &Civil::of(received_s, 0)), want, "{month} at {received_s}");
        };
        // The last second of 2025, and the one after.
        for (received_s, before, january) in [(1_767_225_599, 2025, 2026), (1_767_225_600, 2026, 2026)] {
            check(received_s, 1, january);
            check(received_s, 2, before);
            check(received_s, 11, before);
            check(received_s, 12, 2025);
        }
    }
}

//! The proleptic Gregorian calendar as plain arithmetic.
//!
//! In: seconds since 1970 and an offset, or calendar fields that may be out of range. Out: the other.
//! Holds nothing. Limits: years of an `i32`; out-of-range fields roll over, as `mktime` does.

/// A wall clock reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Civil {
    /// Year, for instance 2026.
    pub year: i32,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 (Sunday) to 6.
    pub weekday: u8,
    /// 1 to 366.
    pub year_day: u16,
}

const DAY_S: i64 = 86_400;

impl Civil {
    /// Returns the wall clock at a zone offset, for seconds since 1970.
    pub fn of(unix_s: i64, offset_s: i32) -> Civil {
        let local = unix_s + i64::from(offset_s);
        let (days, second) = (local.div_euclid(DAY_S), local.rem_euclid(DAY_S));
        let (year, month, day) = date_of(days);
        Civil {
            year,
            month,
            day,
            hour: (second / 3600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
            weekday: (days + 4).rem_euclid(7) as u8,
            year_day: (days - days_before_month(year, 0)) as u16 + 1,
        }
    }
}

/// Returns the days from 1970-01-01 to the first of a month; `month` counts from 0 and may be outside the year.
pub(crate) fn days_before_month(year: i32, month: i32) -> i64 {
    let year = i64::from(year) + i64::from(month.div_euclid(12));
    let month = i64::from(month.rem_euclid(12));
    // Years begin in March here, so that the leap day is the last one of a year.
    let year = year - i64::from(month < 2);
    let month = (month + 10) % 12;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the seconds since 1970 of a wall clock at offset 0. `month` and `day` count from 1; all fields may roll
/// over.
pub(crate) fn unix_s_of(date: [i32; 3], time: [i32; 3]) -> i64 {
    let days = days_before_month(date[0], date[1] - 1) + i64::from(date[2]) - 1;
    days * DAY_S + i64::from(time[0]) * 3600 + i64::from(time[1]) * 60 + i64::from(time[2])
}

/// Returns the year, month (from 1) and day (from 1) of a day counted from 1970-01-01.
fn date_of(days: i64) -> (i32, u8, u8) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year as i32, month as u8, day as u8)
}

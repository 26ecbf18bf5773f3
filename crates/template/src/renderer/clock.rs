//! Times as shown by date macros, cached for their second.
//!
//! In: a stamp and a date macro. Out: text, appended. Holds: for each of the four times of a message the
//! last second's printed forms and calendar fields. Limits: none.

use super::options::RenderOptions;
use jiff::{Timestamp, tz::TimeZone};
use message::Stamp;
use wire::{Civil, StampFormat, StampText};

/// The times of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageTime {
    /// `S_`, and macros without a prefix: the sender's.
    Sent = 0,
    /// `R_`: when it was received.
    Received = 1,
    /// `C_`: now.
    Current = 2,
    /// `P_`: when it is processed, which is now.
    Processed = 3,
}

/// The part of a time to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DatePart {
    /// A whole printed form.
    Form(StampFormat),
    /// `STAMP`: the form of `ts-format()`.
    Stamp,
    Year,
    YearDay,
    Month,
    MonthAbbrev,
    MonthName,
    MonthWeek,
    Week,
    IsoWeek,
    Day,
    WeekDay,
    WeekDayAbbrev,
    WeekDayName,
    Hour,
    Hour12,
    AmPm,
    Minute,
    Second,
    Milliseconds,
    Microseconds,
    Offset,
}

/// Names of the macros, without prefix.
pub(crate) const DATES: [(&str, DatePart); 26] = [
    ("DATE", DatePart::Form(StampFormat::Bsd)),
    ("FULLDATE", DatePart::Form(StampFormat::Full)),
    ("ISODATE", DatePart::Form(StampFormat::Iso)),
    ("STAMP", DatePart::Stamp),
    ("UNIXTIME", DatePart::Form(StampFormat::Unix)),
    ("YEAR", DatePart::Year),
    ("YEAR_DAY", DatePart::YearDay),
    ("MONTH", DatePart::Month),
    ("MONTH_ABBREV", DatePart::MonthAbbrev),
    ("MONTH_NAME", DatePart::MonthName),
    ("MONTH_WEEK", DatePart::MonthWeek),
    ("WEEK", DatePart::Week),
    ("ISOWEEK", DatePart::IsoWeek),
    ("DAY", DatePart::Day),
    ("WEEK_DAY", DatePart::WeekDay),
    ("WEEKDAY", DatePart::WeekDayAbbrev),
    ("WEEK_DAY_ABBREV", DatePart::WeekDayAbbrev),
    ("WEEK_DAY_NAME", DatePart::WeekDayName),
    ("HOUR", DatePart::Hour),
    ("HOUR12", DatePart::Hour12),
    ("AMPM", DatePart::AmPm),
    ("MIN", DatePart::Minute),
    ("SEC", DatePart::Second),
    ("MSEC", DatePart::Milliseconds),
    ("USEC", DatePart::Microseconds),
    ("TZ", DatePart::Offset),
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEK_DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The printed forms and calendar fields of the last seconds.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    zone: Option<TimeZone>,
    fraction_digits: u8,
    stamp_format: StampFormat,
    printers: [[Option<StampText>; 4]; 4],
    calendars: [Option<Calendar>; 4],
}

#[derive(Clone, Copy, Debug)]
struct Calendar {
    unix_s: i64,
    own_offset_s: i32,
    civil: Civil,
    offset_s: i32,
}

impl Clocks {
    pub(crate) fn new(options: &RenderOptions) -> Clocks {
        Clocks {
            zone: options.zone.clone(),
            fraction_digits: options.fraction_digits,
            stamp_format: options.stamp_format,
            printers: Default::default(),
            calendars: [None; 4],
        }
    }

    /// Appends a macro of a time.
    #[inline]
    pub(crate) fn append(&mut self, which: MessageTime, date: DatePart, stamp: Stamp, out: &mut Vec<u8>) {
        let form = match date {
            DatePart::Form(form) => form,
            DatePart::Stamp => self.stamp_format,
            _ => return self.append_field(which, date, stamp, out),
        };
        // One printer for each time and form: it remembers the last second, and neighbours are mostly of one.
        let slot = &mut self.printers[which as usize][form_index(form)];
        let printer =
            slot.get_or_insert_with(|| StampText::new(form, self.fraction_digits, self.zone.clone()));
        printer.append(stamp, out);
    }

    fn append_field(&mut self, which: MessageTime, date: DatePart, stamp: Stamp, out: &mut Vec<u8>) {
        let Calendar { civil, offset_s, .. } = self.calendar(which, stamp);
        let month = usize::from(civil.month.saturating_sub(1)) % 12;
        let week_day = usize::from(civil.weekday) % 7;
        let (number, width) = match date {
            DatePart::Year => (civil.year.unsigned_abs(), 4),
            DatePart::YearDay => (u32::from(civil.year_day), 3),
            DatePart::Month => (u32::from(civil.month), 2),
            DatePart::MonthWeek => (month_week(&civil), 1),
            DatePart::Week => (week_of(&civil), 2),
            DatePart::IsoWeek => (iso_week(&civil), 2),
            DatePart::Day => (u32::from(civil.day), 2),
            DatePart::WeekDay => (u32::from(civil.weekday) + 1, 1),
            DatePart::Hour => (u32::from(civil.hour), 2),
            DatePart::Hour12 => ((u32::from(civil.hour) + 11) % 12 + 1, 2),
            DatePart::Minute => (u32::from(civil.minute), 2),
            DatePart::Second => (u32::from(civil.second), 2),
            DatePart::Milliseconds => (stamp.micros() / 1000, 3),
            DatePart::Microseconds => (stamp.micros(), 6),
            DatePart::MonthName => return out.extend_from_slice(MONTHS[month].as_bytes()),
            DatePart::MonthAbbrev => return out.extend_from_slice(&MONTHS[month].as_bytes()[..3]),
            DatePart::WeekDayName => return out.extend_from_slice(WEEK_DAYS[week_day].as_bytes()),
            DatePart::WeekDayAbbrev => return out.extend_from_slice(&WEEK_DAYS[week_day].as_bytes()[..3]),
            DatePart::AmPm => return out.extend_from_slice(if civil.hour < 12 { b"AM" } else { b"PM" }),
            DatePart::Offset => return append_offset(offset_s, out),
            DatePart::Form(_) | DatePart::Stamp => return,
        };
        append_number(u64::from(number), width, out);
    }

    fn calendar(&mut self, which: MessageTime, stamp: Stamp) -> Calendar {
        let (unix_s, own_offset_s) = (stamp.unix_s(), stamp.offset_s);
        let slot = &mut self.calendars[which as usize];
        // Calendar fields cost divisions, and a zone a search: both are the same for all messages of a second.
        if let Some(known) = slot
            && known.unix_s == unix_s
            && known.own_offset_s == own_offset_s
        {
            return *known;
        }
        let offset_s = match &self.zone {
            Some(zone) => {
                let moment = Timestamp::from_second(unix_s).unwrap_or(Timestamp::UNIX_EPOCH);
                zone.to_offset(moment).seconds()
            }
            None => own_offset_s,
        };
        let fresh = Calendar { unix_s, own_offset_s, civil: Civil::of(unix_s, offset_s), offset_s };
        *slot = Some(fresh);
        fresh
    }
}

fn form_index(form: StampFormat) -> usize {
    match form {
        StampFormat::Bsd => 0,
        StampFormat::Iso => 1,
        StampFormat::Full => 2,
        StampFormat::Unix => 3,
    }
}

/// Appends a number with at least `width` digits.
pub(crate) fn append_number(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut rest = number;
    let mut at = digits.len();
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let first = at.min(digits.len() - width.clamp(1, digits.len()));
    out.extend_from_slice(&digits[first..]);
}

fn append_offset(offset_s: i32, out: &mut Vec<u8>) {
    let minutes = u64::from(offset_s.unsigned_abs() / 60);
    out.push(if offset_s < 0 { b'-' } else { b'+' });
    append_number(minutes / 60, 2, out);
    out.push(b':');
    append_number(minutes % 60, 2, out);
}

/// Returns the week of the month as syslog-ng counts it: full weeks so far, and one more when the week has begun.
fn month_week(civil: &Civil) -> u32 {
    let begun = civil.weekday > 0 && civil.day % 7 >= civil.weekday;
    u32::from(civil.day / 7) + u32::from(begun)
}

/// Returns the week of the year, weeks beginning on Monday, days before the first Monday in week 0.
fn week_of(civil: &Civil) -> u32 {
    let since_monday = (u32::from(civil.weekday) + 6) % 7;
    (u32::from(civil.year_day) + 6 - since_monday) / 7
}

/// Returns the week of the year of ISO 8601: the week of the year's first Thursday is week 1.
fn iso_week(civil: &Civil) -> u32 {
    let since_monday = (i32::from(civil.weekday) + 6) % 7;
    let thursday = i32::from(civil.year_day) - since_monday + 3;
    let leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in = |year: i32| if leap(year) { 366 } else { 365 };
    let day = if thursday < 1 {
        thursday + days_in(civil.year - 1)
    } else if thursday > days_in(civil.year) {
        thursday - days_in(civil.year)
    } else {
        thursday
    };
    (day as u32).div_ceil(7)
}

#[cfg(test)]
mod tests;

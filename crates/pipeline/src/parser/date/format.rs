//! Formats of times, as `strptime` reads them.
//!
//! In: `%Y-%m-%d %H:%M:%S`, once; a text, often. Out: the fields of a time. Holds: the parts of the format.
//! Limits: numbers of as many digits as they can have; names in English, in any case.

use super::fields::Fields;
use jiff::tz::TimeZone;
use std::fmt;

/// A format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DateFormat(Vec<FormatPart>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FormatPart {
    /// A character that must be there.
    Literal(char),
    /// Blanks, or none.
    Blanks,
    Year,
    /// Two digits: 69 to 99 are of the last century.
    ShortYear,
    Century,
    Month,
    MonthName,
    Day,
    YearDay,
    WeekdayName,
    /// A number that is not used: weekday, week of the year.
    Ignored(usize),
    Hour,
    /// With `am` and `pm`.
    Hour12,
    Minute,
    Second,
    Fraction,
    HalfDay,
    UnixSeconds,
    Offset,
    ZoneName,
}

/// Error in a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DateFormatError(String);

impl fmt::Display for DateFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no part of a format of times", self.0)
    }
}

impl std::error::Error for DateFormatError {}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// Abbreviations of zones, in seconds from UTC (RFC 822, section 5.1, and Europe's).
const ZONES: [(&str, i32); 19] = [
    ("utc", 0),
    ("gmt", 0),
    ("ut", 0),
    ("z", 0),
    ("est", -18_000),
    ("edt", -14_400),
    ("cst", -21_600),
    ("cdt", -18_000),
    ("mst", -25_200),
    ("mdt", -21_600),
    ("pst", -28_800),
    ("pdt", -25_200),
    ("cest", 7_200),
    ("cet", 3_600),
    ("eest", 10_800),
    ("eet", 7_200),
    ("bst", 3_600),
    ("west", 3_600),
    ("wet", 0),
];

impl DateFormat {
    /// Reads a format.
    pub fn parse(text: &str) -> Result<DateFormat, DateFormatError> {
        let mut parts = Vec::new();
        compile(text, &mut parts)?;
        Ok(DateFormat(parts))
    }

    /// Reads the fields of a text that has this format from its start to its end.
    pub(super) fn read(&self, text: &str) -> Option<Fields> {
        let mut fields = Fields::default();
        let mut rest = text;
        for part in &self.0 {
            rest = part.read(rest, &mut fields)?;
        }
        rest.is_empty().then_some(fields)
    }
}

fn compile(text: &str, parts: &mut Vec<FormatPart>) -> Result<(), DateFormatError> {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character.is_ascii_whitespace() {
            parts.push(FormatPart::Blanks);
            continue;
        }
        if character != '%' {
            parts.push(FormatPart::Literal(character));
            continue;
        }
        let letter = characters.next().ok_or_else(|| DateFormatError("%".to_owned()))?;
        // Modifiers of other alphabets and paddings do not matter for reading.
        let letter = if matches!(letter, 'E' | 'O' | '-' | '_') {
            characters.next().unwrap_or(letter)
        } else {
            letter
        };
        parts.push(match letter {
            '%' => FormatPart::Literal('%'),
            'n' | 't' => FormatPart::Blanks,
            'Y' | 'G' => FormatPart::Year,
            'y' | 'g' => FormatPart::ShortYear,
            'C' => FormatPart::Century,
            'm' => FormatPart::Month,
            'b' | 'B' | 'h' => FormatPart::MonthName,
            'd' | 'e' => FormatPart::Day,
            'j' => FormatPart::YearDay,
            'a' | 'A' => FormatPart::WeekdayName,
            'u' | 'w' => FormatPart::Ignored(1),
            'U' | 'W' | 'V' => FormatPart::Ignored(2),
            'H' | 'k' => FormatPart::Hour,
            'I' | 'l' => FormatPart::Hour12,
            'M' => FormatPart::Minute,
            'S' => FormatPart::Second,
            'f' => FormatPart::Fraction,
            'p' | 'P' => FormatPart::HalfDay,
            's' => FormatPart::UnixSeconds,
            'z' => FormatPart::Offset,
            'Z' => FormatPart::ZoneName,
            'c' => return joined("%a %b %d %H:%M:%S %Y", characters.as_str(), parts),
            'D' | 'x' => return joined("%m/%d/%y", characters.as_str(), parts),
            'F' => return joined("%Y-%m-%d", characters.as_str(), parts),
            'R' => return joined("%H:%M", characters.as_str(), parts),
            'r' => return joined("%I:%M:%S %p", characters.as_str(), parts),
            'T' | 'X' => return joined("%H:%M:%S", characters.as_str(), parts),
            other => return Err(DateFormatError(format!("%{other}"))),
        });
    }
    Ok(())
}

fn joined(short: &str, rest: &str, parts: &mut Vec<FormatPart>) -> Result<(), DateFormatError> {
    compile(short, parts)?;
    compile(rest, parts)
}

impl FormatPart {
    /// Reads a part; returns the rest of the text.
    fn read<'t>(self, text: &'t str, fields: &mut Fields) -> Option<&'t str> {
        let mut put = |field: fn(&mut Fields) -> &mut Option<i32>,
                       digits: usize,
                       range: std::ops::RangeInclusive<i32>| {
            let (value, rest) = number(text, digits)?;
            if !range.contains(&value) {
                return None;
            }
            *field(fields) = Some(value);
            Some(rest)
        };
        match self {
            FormatPart::Literal(character) => text.strip_prefix(character),
            FormatPart::Blanks => Some(text.trim_ascii_start()),
            FormatPart::Year => put(|fields| &mut fields.year, 4, 1..=9999),
            FormatPart::Century => {
                let (century, rest) = number(text, 2)?;
                fields.year = Some(century * 100 + fields.year.unwrap_or_default() % 100);
                Some(rest)
            }
            FormatPart::ShortYear => {
                let (year, rest) = number(text, 2)?;
                fields.year = Some(if year < 69 { 2000 + year } else { 1900 + year });
                Some(rest)
            }
            FormatPart::Month => put(|fields| &mut fields.month, 2, 1..=12),
            FormatPart::MonthName => {
                let (month, rest) = name(text, &MONTHS)?;
                fields.month = Some(month as i32 + 1);
                Some(rest)
            }
            FormatPart::Day => put(|fields| &mut fields.day, 2, 1..=31),
            FormatPart::YearDay => put(|fields| &mut fields.year_day, 3, 1..=366),
            FormatPart::WeekdayName => Some(name(text, &WEEKDAYS)?.1),
            FormatPart::Ignored(digits) => Some(number(text, digits)?.1),
            FormatPart::Hour => put(|fields| &mut fields.hour, 2, 0..=23),
            FormatPart::Hour12 => put(|fields| &mut fields.hour, 2, 1..=12),
            FormatPart::Minute => put(|fields| &mut fields.minute, 2, 0..=59),
            FormatPart::Second => put(|fields| &mut fields.second, 2, 0..=60),
            FormatPart::Fraction => fraction(text, fields),
            FormatPart::HalfDay => half_day(text, fields),
            FormatPart::UnixSeconds => {
                let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
                fields.unix_s = Some(text[..end].parse().ok().filter(|seconds| *seconds < 253_402_300_800)?);
                Some(&text[end..])
            }
            FormatPart::Offset => offset(text, fields),
            FormatPart::ZoneName => zone_name(text, fields),
        }
    }
}

/// Reads a number of at most `digits` digits; blanks may come before it.
fn number(text: &str, digits: usize) -> Option<(i32, &str)> {
    let text = text.trim_ascii_start();
    let length = text.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, &text[length..]))
}

/// Reads one of `names`, or its first three letters.
fn name<'t>(text: &'t str, names: &[&str]) -> Option<(usize, &'t str)> {
    let is_at = |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if let Some(at) = names.iter().position(|name| is_at(name)) {
        return Some((at, &text[names[at].len()..]));
    }
    let at = names.iter().position(|name| is_at(&name[..3]))?;
    Some((at, &text[3..]))
}

/// Digits of a fraction of a second; those beyond microseconds are skipped.
fn fraction<'t>(text: &'t str, fields: &mut Fields) -> Option<&'t str> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return None;
    }
    let kept = length.min(6);
    let scale = 10u32.pow(6 - kept as u32);
    fields.micros = text[..kept].parse::<u32>().ok()? * scale;
    Some(&text[length..])
}

fn half_day<'t>(text: &'t str, fields: &mut Fields) -> Option<&'t str> {
    let half = text.get(..2)?;
    fields.afternoon = Some(match half.to_ascii_lowercase().as_str() {
        "am" => false,
        "pm" => true,
        _ => return None,
    });
    Some(&text[2..])
}

/// Reads an offset: `+0200`, `+02:00`, `+02`, `Z`.
fn offset<'t>(text: &'t str, fields: &mut Fields) -> Option<&'t str> {
    let text = text.trim_ascii_start();
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        fields.offset_s = Some(0);
        return Some(rest);
    }
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return zone_name(text, fields),
    };
    let pair = |text: &str| {
        text.get(..2).filter(|pair| pair.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<i32>().ok()
    };
    let hours = pair(&text[1..])?;
    let rest = &text[3..];
    let after = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = match pair(after) {
        Some(minutes) => (minutes, &after[2..]),
        None => (0, rest),
    };
    if hours > 15 || minutes > 59 {
        return None;
    }
    fields.offset_s = Some(sign * (hours * 3600 + minutes * 60));
    Some(rest)
}

/// Reads the name of a zone: `UTC`, `CEST`, `Europe/Budapest`.
fn zone_name<'t>(text: &'t str, fields: &mut Fields) -> Option<&'t str> {
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '/' | '_' | '+' | '-');
    let end = text.find(|character: char| !is_name(character)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if let Some((_, offset_s)) = ZONES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        fields.offset_s = Some(*offset_s);
    } else {
        fields.zone = Some(TimeZone::get(name).ok().filter(|_| !name.is_empty())?);
    }
    Some(rest)
}

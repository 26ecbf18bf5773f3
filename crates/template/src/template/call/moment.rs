//! Functions of times: `format-date` and `stardate`.
//!
//! In: a message's time or a number of seconds. Out: text. Holds the form and the zone.
//! Limits: years that a calendar has; a form that cannot be printed is refused when it is read.

use super::{Scope, Word};
use crate::template::{Template, options::Options, parse::TemplateError, render::Renderer};
use jiff::{Timestamp, Zoned, fmt::strtime, tz::TimeZone};
use message::{Batch, Stamp};

/// Most digits of `stardate`, as syslog-ng has it.
const STARDATE_DIGITS_MAX: usize = 9;

/// A function that prints a time.
#[derive(Clone, Debug)]
pub(in crate::template) enum Moment {
    /// `format-date`: without a time of its own it shows the message's.
    Form { form: String, zone: Option<TimeZone>, time: Option<Template> },
    /// `stardate`: the year, and how much of it has passed.
    Stardate { digits: usize, time: Template },
}

impl Scope<'_> {
    /// Compiles `[--time-zone ZONE] FORM [SECONDS]`.
    pub(super) fn date(&self, words: &[Word]) -> Result<Moment, TemplateError> {
        let mut zone = None;
        let mut options = Options::new(words, &["time-zone"]);
        while let Some((_, name)) = options.next()? {
            match wire::zone_of(&name) {
                Some(found) => zone = Some(found),
                None => return self.wrong(format!("time zone {name} is not known")),
            }
        }
        let (form, time) = match options.rest() {
            [form] => (form, None),
            [form, time] => (form, Some(self.one(time)?)),
            rest => return self.wrong(format!("a form and maybe a time expected, {} given", rest.len())),
        };
        let sample = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        if let Err(error) = strtime::format(&form.text, &sample) {
            return self.wrong(format!("{} cannot be printed: {error}", form.text));
        }
        Ok(Moment::Form { form: form.text.clone(), zone, time })
    }

    /// Compiles `[--digits N] SECONDS`.
    pub(super) fn stardate(&self, words: &[Word]) -> Result<Moment, TemplateError> {
        let mut digits = 2;
        let mut options = Options::new(words, &["digits"]);
        while let Some((_, text)) = options.next()? {
            match text.parse() {
                Ok(number) if number <= STARDATE_DIGITS_MAX => digits = number,
                _ => return self.wrong(format!("--digits is 0 to {STARDATE_DIGITS_MAX}, not {text}")),
            }
        }
        Ok(Moment::Stardate { digits, time: self.only(options.rest())? })
    }
}

/// Appends the text; nothing when the value is not a time.
pub(super) fn append(
    moment: &Moment,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let local = renderer.site.zone.clone().unwrap_or(TimeZone::UTC);
    match moment {
        Moment::Form { form, zone, time } => {
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
        Moment::Stardate { digits, time } => {
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
pub(super) fn read(text: &[u8]) -> Option<(Stamp, bool)> {
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

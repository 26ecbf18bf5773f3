//! Functions of times: `format-date` and `stardate`.
//!
//! In: words. Out: the form, the zone, the time to print. Holds nothing.
//! Limits: a form that cannot be printed is refused.

use crate::{
    compile::{arguments::Word, call_compiler::CallCompiler, error::TemplateError, options::Options},
    template::TimeFunction,
};
use jiff::{Timestamp, fmt::strtime, tz::TimeZone};

/// Most digits of `stardate`, as syslog-ng has it.
const STARDATE_DIGITS_MAX: usize = 9;

impl CallCompiler<'_> {
    /// Compiles `[--time-zone ZONE] FORM [SECONDS]`.
    pub(super) fn date(&self, words: &[Word]) -> Result<TimeFunction, TemplateError> {
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
        Ok(TimeFunction::Form { form: form.text.clone(), zone, time })
    }

    /// Compiles `[--digits N] SECONDS`.
    pub(super) fn stardate(&self, words: &[Word]) -> Result<TimeFunction, TemplateError> {
        let mut digits = 2;
        let mut options = Options::new(words, &["digits"]);
        while let Some((_, text)) = options.next()? {
            match text.parse() {
                Ok(number) if number <= STARDATE_DIGITS_MAX => digits = number,
                _ => return self.wrong(format!("--digits is 0 to {STARDATE_DIGITS_MAX}, not {text}")),
            }
        }
        Ok(TimeFunction::Stardate { digits, time: self.only(options.rest())? })
    }
}

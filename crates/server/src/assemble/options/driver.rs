//! Options of a driver, over the global ones.
//!
//! In: a driver and the global options. Out: values. Old spellings are found under their new names.
//! Limits: values are valid, because the check has verified them; an invalid one counts as left out.

use super::{globals::Globals, spelling::present_name};
use config::options::{self, Row, Standing, ValueKind};
use config::tree::{Call, Kind};
use std::time::Duration;
use transport::shell::Environment;

/// The options of one driver.
#[derive(Clone, Copy)]
pub(crate) struct Options<'t> {
    pub(crate) call: &'t Call,
    pub(crate) globals: &'t Globals<'t>,
    tables: &'static [&'static [Row]],
    /// The options of one of its lanes, which replace its own.
    lane: Option<&'t Call>,
}

impl<'t> Options<'t> {
    pub(crate) fn new(kind: Kind, call: &'t Call, globals: &'t Globals<'t>) -> Options<'t> {
        let tables = options::driver(kind, &call.key()).map_or(&[] as &[_], |driver| driver.options);
        Options { call, globals, tables, lane: None }
    }

    /// Returns the options of one lane of the driver: those of `lane` replace its own.
    pub(crate) fn of_lane(&self, lane: Option<&'t Call>) -> Options<'t> {
        Options { lane, ..*self }
    }

    /// Returns the options inside of an option of the driver.
    pub(crate) fn nested(&self, call: &'t Call) -> Options<'t> {
        let tables = match options::row(self.tables, &call.key()).map(|row| row.kind) {
            Some(ValueKind::Options(tables)) => tables,
            _ => &[],
        };
        Options { call, globals: self.globals, tables, lane: None }
    }

    /// Returns whether the driver has an option of this name, written or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        options::row(self.tables, name).is_some()
    }

    /// Returns the driver's own option; the last one counts.
    pub(crate) fn own(&self, name: &str) -> Option<&'t Call> {
        self.all(name).last()
    }

    /// Returns every use of an option of the driver.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'t Call> {
        let (tables, globals) = (self.tables, self.globals);
        let name = name.to_owned();
        let written = self.call.options().chain(self.lane.into_iter().flat_map(Call::options));
        let wanted = written.filter(move |option| present_name(tables, &option.key()) == name);
        wanted.inspect(move |option| globals.mark_used(option))
    }

    /// Returns the supported options that were not read while the driver was made: they have no effect as
    /// written. `persist-name()` is left out: it only names the driver.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &'t Call> {
        let (tables, globals) = (self.tables, self.globals);
        self.call.options().filter(move |option| {
            let standing = options::row(tables, &option.key()).map(|row| row.standing);
            let works = matches!(standing, Some(Standing::Honoured | Standing::Renamed(_)));
            works && option.key() != "persist-name" && !globals.was_used(option)
        })
    }

    /// Returns the driver's own option, else the global one.
    pub(crate) fn any(&self, name: &str) -> Option<&'t Call> {
        self.own(name).or_else(|| self.globals.get(name))
    }

    /// Returns the value of a switch; `None` where it is left out.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        self.any(name).and_then(Call::truth)
    }

    /// Returns true for a switch that is on: one that is off by default.
    pub(crate) fn is_yes(&self, name: &str) -> bool {
        self.truth(name) == Some(true)
    }

    /// Returns true for a switch that is off: one that is on by default.
    pub(crate) fn is_no(&self, name: &str) -> bool {
        self.truth(name) == Some(false)
    }

    /// Returns the environment of a program, by `inherit-environment()`.
    pub(crate) fn environment(&self) -> Environment {
        match self.is_no("inherit-environment") {
            true => Environment::Empty,
            false => Environment::Inherited,
        }
    }

    /// Returns the first text of an option, of the driver or global.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.any(name).and_then(|option| option.texts().into_iter().next())
    }

    /// Returns the keyword of an option, of the driver or global, in lower case with hyphens.
    pub(crate) fn word(&self, name: &str) -> Option<String> {
        self.text(name).map(|word| word.replace('_', "-").to_ascii_lowercase())
    }

    /// Returns the first text of the driver's own option.
    pub(crate) fn own_text(&self, name: &str) -> Option<String> {
        self.own(name).and_then(|option| option.texts().into_iter().next())
    }

    /// Returns the number of an option, of the driver or global.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.any(name).and_then(Call::number)
    }

    /// Returns a number that cannot be negative.
    pub(crate) fn count(&self, name: &str, default: usize) -> usize {
        self.number(name).and_then(|number| usize::try_from(number).ok()).unwrap_or(default)
    }

    /// Returns a port, or that of a service by name, from the first of two options that is there.
    pub(crate) fn port(&self, names: [&str; 2], default: u16) -> u16 {
        let Some(written) = names.iter().find_map(|name| self.own(name)) else { return default };
        let named = || config::service_port(written.text()?);
        written.number().and_then(|port| u16::try_from(port).ok()).or_else(named).unwrap_or(default)
    }

    /// Returns a duration in seconds.
    pub(crate) fn seconds(&self, name: &str) -> Option<Duration> {
        let seconds = self.any(name).and_then(Call::decimal)?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Returns a duration in seconds, where 0 means never.
    pub(crate) fn seconds_or_never(&self, name: &str, default: Option<Duration>) -> Option<Duration> {
        match self.any(name) {
            Some(_) => self.seconds(name).filter(|pause| !pause.is_zero()),
            None => default,
        }
    }

    /// Returns the first argument that is not an option.
    pub(crate) fn plain(&self) -> Option<String> {
        self.plain_at(0)
    }

    /// Returns an argument that is not an option, by position.
    pub(crate) fn plain_at(&self, index: usize) -> Option<String> {
        use config::tree::Arg;
        self.call.plain().nth(index).and_then(|arg| match arg {
            Arg::Number(number, _) => Some(number.to_string()),
            Arg::Float(number, _) => Some(number.to_string()),
            arg => arg.text().map(str::to_owned),
        })
    }

    /// Returns the words of `flags()`, in lower case with hyphens.
    pub(crate) fn flags(&self) -> Vec<String> {
        let words = self.all("flags").flat_map(Call::texts);
        words
            .map(|word| word.replace('_', "-").to_ascii_lowercase())
            .filter(|word| !word.is_empty())
            .collect()
    }
}

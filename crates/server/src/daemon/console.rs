//! The server's own messages on standard error.
//!
//! In: severities and sentences. Out: stamped lines. Holds: the level, which can be changed while the server
//! runs.

use crate::terminal;
use message::Severity;
use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

/// The level of our own log, changeable while the server runs: an index into [`NAMES`].
#[derive(Clone, Default)]
pub(crate) struct Levels(Arc<AtomicU8>);

/// The levels by name, in the order of [`Level`].
const NAMES: [&str; 4] = ["DEFAULT", "VERBOSE", "DEBUG", "TRACE"];

/// The levels of our own log. `Trace` writes as much as `Debug`.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    Default,
    Verbose,
    Debug,
    Trace,
}

impl Levels {
    /// Starts at a level.
    pub(crate) fn at(level: Level) -> Levels {
        Levels(Arc::new(AtomicU8::new(level as u8)))
    }

    /// Sets the level of a name; false for an unknown one.
    pub(crate) fn set(&self, name: &str) -> bool {
        let found = NAMES.iter().zip(0..).find(|(known, _)| **known == name);
        if let Some((_, level)) = found {
            self.0.store(level, Ordering::Relaxed);
        }
        found.is_some()
    }

    /// Sets the level below the one of a name; false for an unknown one.
    pub(crate) fn set_below(&self, name: &str) -> bool {
        NAMES.windows(2).find(|pair| pair[1] == name).is_some_and(|pair| self.set(pair[0]))
    }

    /// Returns the level: 0 default, 1 verbose, 2 debug, 3 trace.
    pub(crate) fn number(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    fn says(&self, severity: Severity) -> bool {
        severity.0 <= 5 + self.number().min(2)
    }
}

/// Standard error, with a level.
pub(crate) struct Console {
    levels: Levels,
}

impl Console {
    pub(crate) fn new(levels: Levels) -> Console {
        Console { levels }
    }

    /// Writes one line, if its severity belongs to the level.
    pub(crate) fn write(&self, severity: Severity, text: &str) {
        if !self.levels.says(severity) {
            return;
        }
        let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string();
        // A closed console must not stop the server.
        let _ = writeln!(terminal::errors(), "[{now}] {}", terminal::line(text));
    }
}

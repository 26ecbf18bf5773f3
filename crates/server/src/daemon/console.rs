//! The server's own messages on standard error.
//!
//! In: severities and sentences. Out: stamped lines. Holds: how much is said, which can be changed while it runs.

use message::Severity;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

/// Least severity that is said: its code, changeable while the server runs.
#[derive(Clone)]
pub(crate) struct Levels(Arc<AtomicU8>);

const NAMES: &[(&str, u8)] = &[("DEFAULT", 5), ("VERBOSE", 6), ("DEBUG", 7), ("TRACE", 7)];

impl Default for Levels {
    fn default() -> Levels {
        Levels(Arc::new(AtomicU8::new(5)))
    }
}

impl Levels {
    /// From the options `--verbose` and `--debug`.
    pub(crate) fn new(verbose: bool, debug: bool) -> Levels {
        let level = match (verbose, debug) {
            (_, true) => 7,
            (true, false) => 6,
            (false, false) => 5,
        };
        Levels(Arc::new(AtomicU8::new(level)))
    }

    /// Sets the level of a name; false for an unknown one.
    pub(crate) fn set(&self, name: &str) -> bool {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        if let Some((_, level)) = found {
            self.0.store(*level, Ordering::Relaxed);
        }
        found.is_some()
    }

    /// Whether what a level adds is said.
    pub(crate) fn says(&self, name: &str) -> bool {
        let level = self.0.load(Ordering::Relaxed);
        NAMES.iter().any(|(known, least)| *known == name && level >= *least)
    }

    /// The name of the level.
    pub(crate) fn name(&self) -> &'static str {
        let level = self.0.load(Ordering::Relaxed);
        NAMES.iter().find(|(_, known)| *known == level).map_or("DEFAULT", |(name, _)| name)
    }
}

/// Standard error.
pub(crate) struct Console {
    levels: Levels,
}

impl Console {
    pub(crate) fn new(levels: Levels) -> Console {
        Console { levels }
    }

    /// Writes one line, when its severity is to be said.
    pub(crate) fn write(&self, severity: Severity, text: &str) {
        if severity.0 > self.levels.0.load(Ordering::Relaxed) {
            return;
        }
        let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string();
        // A console that is gone must not stop the server.
        let _ = writeln!(io::stderr().lock(), "[{now}] {text}");
    }
}

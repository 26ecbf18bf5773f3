//! The words of librdkafka in our own log.
//!
//! In: its lines. Out: lines of ours. Holds: when the last one was written.
//! Limits: one line in [`SAID_EVERY`], which says how many it stands for; [`WORDS_CHARACTERS_MAX`].

use crate::{InternalLog, LogPause};
use rdkafka::config::RDKafkaLogLevel;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Least time between two lines of our log about librdkafka.
const SAID_EVERY: Duration = Duration::from_secs(10);
/// Longest text of librdkafka that is kept.
const WORDS_CHARACTERS_MAX: usize = 300;

/// Makes one line of words that are not ours.
pub fn plain(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(WORDS_CHARACTERS_MAX).collect()
}

/// Writes what a client of librdkafka says to our log.
pub struct LibraryLog {
    log: InternalLog,
    pause: Mutex<LogPause>,
}

impl LibraryLog {
    /// Makes the log of one client.
    pub fn new(log: InternalLog) -> LibraryLog {
        LibraryLog { log, pause: Mutex::new(LogPause::new(SAID_EVERY)) }
    }

    /// Writes a line, if it is a warning or worse and one is due.
    pub fn tell(&self, level: RDKafkaLogLevel, words: &str) {
        if (level as i32) > (RDKafkaLogLevel::Warning as i32) {
            return;
        }
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = pause.count(1, Instant::now()) else { return };
        let text = format!("librdkafka: {}; lines='{count}'", plain(words));
        match level {
            RDKafkaLogLevel::Warning => self.log.warning(&text),
            _ => self.log.error(&text),
        }
    }
}

#[cfg(test)]
mod tests;

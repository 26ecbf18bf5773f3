//! The program's own messages on their way to `internal()`.
//!
//! In: a severity and a sentence, from any thread. Out: entries for the `internal()` sources, and an echo (the
//! console) at once. Holds: a bounded list; without an `internal()` source it keeps the newest entries.
//! Limits: [`ENTRIES_MAX`]; above it the oldest are dropped and counted, and the next entry says how many. Events
//! that others can cause at any rate are logged with a [`LogPause`].

use message::{Batch, Severity};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};
use tokio::sync::Notify;

/// Most entries that wait for a reader.
const ENTRIES_MAX: usize = 10_000;

/// One message of our own.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When it was written.
    pub at: SystemTime,
    /// Its severity.
    pub severity: Severity,
    /// The sentence and its fields.
    pub text: String,
}

/// A function that gets every message at once.
pub type Echo = Box<dyn Fn(Severity, &str) + Send + Sync>;

/// The log of the program's own messages. Clones share it.
#[derive(Clone)]
pub struct InternalLog(Arc<Shared>);

struct Shared {
    program: String,
    echo: Option<Echo>,
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Default)]
struct Waiting {
    entries: VecDeque<Entry>,
    /// Messages that parsers made.
    batches: VecDeque<Batch>,
    lost: u64,
}

impl InternalLog {
    /// Creates a log whose messages have that `${PROGRAM}`, and also go to `echo`.
    pub fn new(program: &str, echo: Option<Echo>) -> InternalLog {
        InternalLog(Arc::new(Shared {
            program: program.to_owned(),
            echo,
            waiting: Mutex::default(),
            wake: Notify::new(),
        }))
    }

    /// Writes a message: a fixed sentence plus fields (`; key='value'`), as syslog-ng's.
    pub fn write(&self, severity: Severity, text: &str) {
        if let Some(echo) = &self.0.echo {
            echo(severity, text);
        }
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.entries.len() >= ENTRIES_MAX {
            waiting.entries.pop_front();
            waiting.lost += 1;
        }
        waiting.entries.push_back(Entry { at: SystemTime::now(), severity, text: text.to_owned() });
        drop(waiting);
        self.0.wake.notify_one();
    }

    /// Adds messages that a parser made: `inject-mode(internal)`.
    pub fn inject(&self, batch: Batch) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let held: usize = waiting.batches.iter().map(Batch::len).sum();
        if held + batch.len() > ENTRIES_MAX
            && let Some(oldest) = waiting.batches.pop_front()
        {
            waiting.lost += oldest.len() as u64;
        }
        waiting.batches.push_back(batch);
        drop(waiting);
        self.0.wake.notify_one();
    }

    /// Takes the oldest batch of messages that a parser made.
    pub fn take_injected(&self) -> Option<Batch> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).batches.pop_front()
    }

    /// The `${PROGRAM}` of its messages.
    pub fn program(&self) -> &str {
        &self.0.program
    }

    /// Writes a message of severity `err`.
    pub fn error(&self, text: &str) {
        self.write(Severity::ERROR, text);
    }

    /// Writes a message of severity `warning`.
    pub fn warning(&self, text: &str) {
        self.write(Severity::WARNING, text);
    }

    /// Writes a message of severity `notice`.
    pub fn notice(&self, text: &str) {
        self.write(Severity::NOTICE, text);
    }

    /// Takes at most `most` entries, and how many were lost before them.
    pub fn take(&self, most: usize) -> (Vec<Entry>, u64) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = most.min(waiting.entries.len());
        (waiting.entries.drain(..count).collect(), std::mem::take(&mut waiting.lost))
    }

    /// Waits for entries.
    pub async fn written(&self) {
        self.0.wake.notified().await;
    }
}

/// Keeps something that happens often to one line in a while.
pub struct LogPause {
    pause: Duration,
    next: Option<Instant>,
    unreported: usize,
}

impl LogPause {
    /// One line in `pause`.
    pub fn new(pause: Duration) -> LogPause {
        LogPause { pause, next: None, unreported: 0 }
    }

    /// Counts events. Returns the number for a log line, when one is due.
    pub fn count(&mut self, events: usize, now: Instant) -> Option<usize> {
        self.unreported += events;
        if self.unreported == 0 || self.next.is_some_and(|next| now < next) {
            return None;
        }
        self.next = Some(now + self.pause);
        Some(std::mem::take(&mut self.unreported))
    }
}

#[cfg(test)]
mod tests;

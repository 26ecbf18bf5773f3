//! The program's own messages on their way to `internal()`.
//!
//! In: a severity and a sentence, from any thread. Out: entries for the `internal()` sources, and an echo (the
//! console) at once. Holds: a bounded list; without an `internal()` source it keeps the newest entries.
//! Limits: [`ENTRIES_MAX`]; above it the oldest go and are counted, and the next entry says how many.

use message::{Batch, Severity};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};
use tokio::sync::Notify;

/// Most entries that wait for a reader.
const ENTRIES_MAX: usize = 10_000;

/// One message of our own.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: SystemTime,
    pub(crate) severity: Severity,
    pub(crate) text: String,
}

/// What else sees every message at once.
pub type Echo = Box<dyn Fn(Severity, &str) + Send + Sync>;

/// Where the program writes its own messages. Clones share it.
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
    /// Whole messages that somebody made.
    batches: VecDeque<Batch>,
    lost: u64,
}

impl InternalLog {
    /// A log whose messages have that `${PROGRAM}`, and also go to `echo`.
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

    /// Hands over messages that a parser made: `inject-mode(internal)`.
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

    /// Takes the oldest of the messages that were made.
    pub(crate) fn take_made(&self) -> Option<Batch> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).batches.pop_front()
    }

    pub(crate) fn program(&self) -> &str {
        &self.0.program
    }

    pub(crate) fn error(&self, text: &str) {
        self.write(Severity(3), text);
    }

    pub(crate) fn warning(&self, text: &str) {
        self.write(Severity(4), text);
    }

    pub(crate) fn notice(&self, text: &str) {
        self.write(Severity(5), text);
    }

    /// Takes at most `most` entries, and how many were lost before them.
    pub(crate) fn take(&self, most: usize) -> (Vec<Entry>, u64) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = most.min(waiting.entries.len());
        (waiting.entries.drain(..count).collect(), std::mem::take(&mut waiting.lost))
    }

    /// Waits for entries.
    pub(crate) async fn written(&self) {
        self.0.wake.notified().await;
    }
}

//! A measured program, which stores messages and answers queries about them.
//!
//! In: the plain file, queries. Out: what both cost. Each engine runs alone, one after the other.

use super::{plain::Corpus, questions::Question};
use std::{io, process::Command};

/// The cost of storing the messages.
pub(crate) struct Intake {
    /// From the first byte until the last message can be found.
    pub(crate) seconds: f64,
    /// Until no work is left: everything is sealed, merged, recoded.
    pub(crate) settled_s: f64,
    /// CPU seconds until then, all threads; nothing if they cannot be separated.
    pub(crate) cpu_s: Option<f64>,
    /// Peak memory.
    pub(crate) memory_mib: Option<f64>,
    /// Bytes per message on disk, the index included.
    pub(crate) message_bytes: f64,
    /// Remarks.
    pub(crate) note: String,
}

/// One answer.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) total: u64,
    /// From the first byte of the query to the last byte of the answer.
    pub(crate) ms: f64,
}

/// An engine.
pub(crate) trait Engine {
    /// In tables.
    fn name(&self) -> String;
    /// Starts empty and stores the corpus.
    fn take_in(&mut self, corpus: &Corpus) -> io::Result<Intake>;
    /// Starts on the corpus of an earlier run; returns false when there is none.
    fn take_up(&mut self, _corpus: &Corpus) -> io::Result<bool> {
        Ok(false)
    }
    /// Answers with the exact count, 30 bars and the newest 200 messages, or with the most common values;
    /// nothing if it cannot.
    fn ask(&mut self, question: &'static Question) -> io::Result<Option<Answer>>;
    /// Peak memory since it was started.
    fn memory_mib(&self) -> Option<f64>;
    /// Ends its process, so that none of it stays in memory.
    fn pause(&mut self) -> io::Result<()>;
    /// Restarts on its stored data.
    fn resume(&mut self) -> io::Result<()>;
    /// Stops it so that a later run can continue with its data.
    fn leave(self: Box<Self>) -> io::Result<()> {
        self.remove()
    }
    /// Ends it and removes its data.
    fn remove(self: Box<Self>) -> io::Result<()>;
}

/// Drops the page cache; fails if that is not allowed.
pub(crate) fn drop_caches() -> io::Result<()> {
    let done = Command::new("sync").status()?;
    if !done.success() {
        return Err(io::Error::other("sync failed"));
    }
    std::fs::write("/proc/sys/vm/drop_caches", "3").map_err(|error| {
        io::Error::new(error.kind(), format!("cannot drop caches, which takes root: {error}"))
    })
}

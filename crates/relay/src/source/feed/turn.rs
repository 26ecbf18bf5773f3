//! Whose turn it is on a thread of readers, and whether that one may write what it hands on.
//!
//! In: a word of each reader that hands a batch on. Out: whether the batch may be written on the spot.
//! One thread that reads, decodes, renders and writes what is still in its cache needs less of the processor than two that
//! hand batches over and wake each other; but while it writes it reads nothing, and while it waits for the disk nobody
//! else on its thread does. So it may write only when it has had the thread for itself for [`TURNS_MIN`] turns in a row
//! and its path [costs little](CHEAP): behind parsers and rewrites the next batch is worked on while a thread of its own
//! writes this one. A reader of datagrams, which nobody holds back for it, and one that decrypts write nothing.
//! Holds: for each thread, whose turn it was last. Limits: none.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Batches in a row of one reader, before it may write.
const TURNS_MIN: u32 = 16;
/// What the steps of a path may take for each message before another thread writes. Nothing but
/// destinations takes a twentieth of it, filters nearly all, a pattern database twice as much, parsers and rewrites more.
const CHEAP: Duration = Duration::from_nanos(100);

static READERS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The reader that had the last turn, and how many it has had in a row.
    static LAST: Cell<(u64, u32)> = const { Cell::new((u64::MAX, 0)) };
    /// The turn that goes on, of a patient reader that is alone.
    static PRESENT: Cell<Option<Present>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Present {
    /// When it began; later by what writing has taken since.
    since: Instant,
    /// What its path may take.
    cheap: Duration,
}

/// One of a thread's readers.
pub(crate) struct Reader {
    number: u64,
    is_patient: bool,
}

/// It lasts while a batch is handed on.
pub(crate) struct Turn(());

impl Reader {
    /// Whoever sends to a patient one can be held back.
    pub(crate) fn new(is_patient: bool) -> Reader {
        Reader { number: READERS.fetch_add(1, Ordering::Relaxed), is_patient }
    }

    /// Leaves all writing to others from now on.
    pub(crate) fn write_nothing(&mut self) {
        self.is_patient = false;
    }

    /// Begins its turn, with a batch of so many messages.
    pub(crate) fn turn(&self, messages: usize) -> Turn {
        let (last, count) = LAST.get();
        let count = if last == self.number { count.saturating_add(1) } else { 0 };
        LAST.set((self.number, count));
        let may = self.is_patient && count >= TURNS_MIN;
        let cheap = CHEAP * u32::try_from(messages).unwrap_or(u32::MAX);
        PRESENT.set(may.then(|| Present { since: Instant::now(), cheap }));
        Turn(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        PRESENT.set(None);
    }
}

/// Whether this thread is to write what it hands on.
pub(crate) fn may_write() -> bool {
    PRESENT.get().is_some_and(|turn| turn.since.elapsed() <= turn.cheap)
}

/// Says that this thread has written for so long.
pub(crate) fn wrote(time: Duration) {
    PRESENT.set(PRESENT.get().map(|turn| Present { since: turn.since + time, ..turn }));
}

#[cfg(test)]
mod tests;

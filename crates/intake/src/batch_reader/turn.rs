//! Tracks the turns of readers on a thread, and decides whether destinations may write a forwarded batch there.
//!
//! In: a call of each reader before it forwards a batch. Out: the [`WriteBudget`] that goes with the batch.
//! One thread that reads, decodes, renders and writes what is still in its cache needs less of the processor than two that
//! pass batches on and wake each other; but while it writes it reads nothing, and while it waits for the disk no
//! other reader on its thread does. So it may write only after having the thread to itself for [`TURNS_MIN`] turns in
//! a row and its path [costs little](CHEAP): after parsers and rewrites, the next batch is processed while a separate
//! thread writes this one. Readers of datagrams, which cannot be held back, and readers that decrypt never write.
//! Holds: for each thread, whose turn it was last. Limits: none.

use message::WriteBudget;
use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Batches in a row of one reader, before it may write.
const TURNS_MIN: u32 = 16;
/// Time that the steps of a path may take for each message above which another thread writes. Only
/// destinations takes a twentieth of it, filters nearly all, a pattern database twice as much, parsers and rewrites more.
const CHEAP: Duration = Duration::from_nanos(100);

static READERS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The reader that had the last turn on this thread, and how many it has had in a row.
    static LAST: Cell<(u64, u32)> = const { Cell::new((u64::MAX, 0)) };
}

/// The turns of one reader among those of its thread.
pub(crate) struct ReaderTurns {
    number: u64,
    can_write: bool,
}

impl ReaderTurns {
    /// Creates the turns of a reader whose sender can be held back: only such a reader may write.
    pub(crate) fn new() -> ReaderTurns {
        ReaderTurns { number: READERS.fetch_add(1, Ordering::Relaxed), can_write: true }
    }

    /// Leaves all writing to the destinations' threads from now on.
    pub(crate) fn disable(&mut self) {
        self.can_write = false;
    }

    /// Begins its turn, with a batch of `messages`. Returns what destinations may write of it on this thread.
    pub(crate) fn begin(&self, messages: usize, now: impl FnOnce() -> Instant) -> WriteBudget {
        let (last, count) = LAST.get();
        let count = if last == self.number { count.saturating_add(1) } else { 0 };
        LAST.set((self.number, count));
        if !(self.can_write && count >= TURNS_MIN) {
            return WriteBudget::none();
        }
        WriteBudget::until(now() + CHEAP * u32::try_from(messages).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests;

//! Whose turn it is on a thread of readers, and whether that one may wait for a disk.
//!
//! In: a word of each reader that hands a batch on. Out: whether the batch may be written on the spot. One thread that
//! reads, decodes, renders and writes what is still in its cache needs a third less of the processor than two that hand
//! batches over; but while it waits for the disk, it reads nothing. So only a reader that has had the thread for itself
//! may do so, for [`TURNS_MIN`] turns in a row, and never one of datagrams, which nobody holds back for it.
//! Holds: for each thread, whose turn it was last. Limits: none.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

/// Batches in a row of one reader, before it may wait.
const TURNS_MIN: u32 = 16;

static READERS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The reader that had the last turn, and how many it has had in a row.
    static LAST: Cell<(u64, u32)> = const { Cell::new((u64::MAX, 0)) };
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
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

    /// Begins its turn.
    pub(crate) fn turn(&self) -> Turn {
        let (last, count) = LAST.get();
        let count = if last == self.number { count.saturating_add(1) } else { 0 };
        LAST.set((self.number, count));
        MAY_WAIT.set(self.is_patient && count >= TURNS_MIN);
        Turn(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        MAY_WAIT.set(false);
    }
}

/// Whether this thread hands on a batch whose reader may wait.
pub(crate) fn may_wait() -> bool {
    MAY_WAIT.get()
}

#[cfg(test)]
mod tests;

//! Moves between a logspace and its archive that somebody waits for.
//!
//! In: what an operator asks for. Out: the same for the sealer; what was moved for who asked.
//! Limits: [`WAITING_MAX`] wait at once.

use std::sync::{
    Mutex, PoisonError,
    mpsc::{self, Receiver, SyncSender},
};

/// Most moves that wait at once: an operator asks for them.
const WAITING_MAX: usize = 16;

/// A move that somebody asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// Into the archive: segments whose newest message is at least so old, in microseconds.
    Archive(i64),
    /// Back from it: segments with messages received in a range.
    Restore(i64, i64),
}

/// The segments that were moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moved {
    /// Segments.
    pub segments: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The channel on which the asker waits for the answer.
pub(crate) type Answer = SyncSender<Result<Moved, String>>;

/// Who waits for a move.
#[derive(Default)]
pub(crate) struct Moves {
    waiting: Mutex<Vec<(Move, Answer)>>,
}

impl Moves {
    /// Asks for a move; none when too many wait.
    pub(crate) fn ask(&self, what: Move) -> Option<Receiver<Result<Moved, String>>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= WAITING_MAX {
            return None;
        }
        let (done, receiver) = mpsc::sync_channel(1);
        waiting.push((what, done));
        Some(receiver)
    }

    /// Takes what waits, with who is to hear how it went.
    pub(crate) fn take(&self) -> Vec<(Move, Answer)> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

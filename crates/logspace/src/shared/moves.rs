//! Moves between a logspace and its archive that somebody waits for.
//!
//! In: what an operator asks for. Out: the same for the sealer; what was moved for who asked.
//! Limits: [`WAITING_MAX`] wait at once.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, SyncSender},
    },
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

/// Why segments were not moved, or not all of them.
#[derive(Debug)]
pub enum MoveError {
    /// As many moves wait as may wait at once.
    TooMany,
    /// It takes longer than the caller waits: it is finished all the same.
    InBackground,
    /// The logspace has no archive.
    NoArchive,
    /// The archive is not attached.
    Away {
        /// The file that is wanted of it.
        path: PathBuf,
    },
    /// A segment cannot be moved to the archive.
    Archive {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A segment cannot be brought back.
    Restore {
        /// The path that it is to have.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::TooMany => f.write_str("too many moves are waiting"),
            MoveError::InBackground => f.write_str("the move goes on in the background"),
            MoveError::NoArchive => {
                f.write_str("the logspace has no archive: add archive-to(\"DIR\") to its options")
            }
            MoveError::Away { path } => write!(f, "{} is not attached", path.display()),
            MoveError::Archive { path, source } => write!(f, "cannot archive {}: {source}", path.display()),
            MoveError::Restore { path, source } => write!(f, "cannot restore {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for MoveError {}

/// The channel on which the asker waits for the answer.
pub(crate) type Answer = SyncSender<Result<Moved, MoveError>>;

/// Who waits for a move.
#[derive(Default)]
pub(crate) struct Moves {
    waiting: Mutex<Vec<(Move, Answer)>>,
}

impl Moves {
    /// Asks for a move; none when too many wait.
    pub(crate) fn ask(&self, what: Move) -> Option<Receiver<Result<Moved, MoveError>>> {
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

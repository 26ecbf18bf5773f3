//! Moves between a logspace and its archive that a caller waits for.
//!
//! In: requests of an operator. Out: the same for the sealer; the results for the callers.
//! Limits: [`WAITING_MAX`] wait at once.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, SyncSender},
    },
};

/// Most moves that wait at once: they are requested by operators, so few are needed.
const WAITING_MAX: usize = 16;

/// A requested move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// To the archive: segments whose newest message is at least this old, in microseconds.
    Archive(i64),
    /// Back from it: segments with messages received in a range.
    Restore(i64, i64),
}

/// The segments that were moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moved {
    /// Number of segments.
    pub segments: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A reason why segments, or some of them, were not moved.
#[derive(Debug)]
pub enum MoveError {
    /// Too many moves are waiting already.
    TooMany,
    /// The move takes longer than the caller waits; it is completed in the background.
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
        /// The path that it should get.
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

/// The channel on which the caller waits for the answer.
pub(crate) type Answer = SyncSender<Result<Moved, MoveError>>;

/// The moves that wait, with their callers.
#[derive(Default)]
pub(crate) struct Moves {
    waiting: Mutex<Vec<(Move, Answer)>>,
}

impl Moves {
    /// Requests a move; none when too many wait.
    pub(crate) fn ask(&self, what: Move) -> Option<Receiver<Result<Moved, MoveError>>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= WAITING_MAX {
            return None;
        }
        let (done, receiver) = mpsc::sync_channel(1);
        waiting.push((what, done));
        Some(receiver)
    }

    /// Takes the waiting moves, with the channels for their results.
    pub(crate) fn take(&self) -> Vec<(Move, Answer)> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    //! Moves that wait, and why some fail.

    use super::*;

    #[test]
    fn moves_are_bounded_and_taken_once() {
        let moves = Moves::default();
        let asked: Vec<_> =
            (0..WAITING_MAX as i64).map(|age| moves.ask(Move::Archive(age)).unwrap()).collect();
        assert!(moves.ask(Move::Restore(1, 2)).is_none());
        let taken = moves.take();
        let wanted: Vec<Move> = (0..WAITING_MAX as i64).map(Move::Archive).collect();
        assert!(taken.iter().map(|(what, _)| what).eq(&wanted));
        assert!(moves.take().is_empty());
        let moved = Moved { segments: 1, bytes: 2 };
        taken[3].1.try_send(Ok(moved)).unwrap();
        assert_eq!(asked[3].try_recv().unwrap().unwrap(), moved);
        assert!(moves.ask(Move::Restore(1, 2)).is_some());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let (path, why) = (|| PathBuf::from("/a/x.ds"), || io::Error::other("why"));
        let rows = [
            (MoveError::TooMany, "too many moves are waiting"),
            (MoveError::InBackground, "the move goes on in the background"),
            (MoveError::NoArchive, "the logspace has no archive: add archive-to(\"DIR\") to its options"),
            (MoveError::Away { path: path() }, "/a/x.ds is not attached"),
            (MoveError::Archive { path: path(), source: why() }, "cannot archive /a/x.ds: why"),
            (MoveError::Restore { path: path(), source: why() }, "cannot restore /a/x.ds: why"),
        ];
        for (error, want) in rows {
            assert_eq!(error.to_string(), want);
        }
    }
}

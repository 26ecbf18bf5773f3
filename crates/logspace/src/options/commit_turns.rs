//! Turns of the journals of several logspaces to write to their disk.
//!
//! In: a journal that has messages to commit. Out: its turn. Holds: the number of free turns. Limits: as many at once
//! as are given; one that waited for [`PATIENCE`] goes on without a turn, so that a disk that does not answer stops
//! only the logspaces that are on it.
//!
//! Messages that arrive for a logspace while it waits are part of the same commit. So the more logspaces are written to
//! at a time, the larger their commits are, instead of more.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(1);

/// The turns that logspaces of one server share.
#[derive(Debug)]
pub struct CommitTurns {
    free: Mutex<usize>,
    freed: Condvar,
}

impl CommitTurns {
    /// Creates turns for that many commits at a time, at least one.
    pub fn new(at_once: usize) -> CommitTurns {
        CommitTurns { free: Mutex::new(at_once.max(1)), freed: Condvar::new() }
    }

    /// Waits for a turn.
    pub(crate) fn take(self: &Arc<CommitTurns>) -> CommitTurn {
        let until = Instant::now() + PATIENCE;
        let mut free = self.locked();
        while *free == 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return CommitTurn(None);
            }
            free = self.freed.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        drop(free);
        CommitTurn(Some(Arc::clone(self)))
    }

    fn locked(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for CommitTurns {
    fn default() -> CommitTurns {
        CommitTurns::new(1)
    }
}

/// A turn; it ends when this is dropped.
pub(crate) struct CommitTurn(Option<Arc<CommitTurns>>);

impl Drop for CommitTurn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            *turns.locked() += 1;
            turns.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[test]
    fn as_many_go_at_once_as_there_are_turns() {
        let turns = Arc::new(CommitTurns::new(2));
        let (first, second) = (turns.take(), turns.take());
        let (sender, got) = mpsc::channel();
        let waiting = {
            let turns = Arc::clone(&turns);
            thread::spawn(move || sender.send(turns.take().0.is_some()).unwrap())
        };
        assert!(got.try_recv().is_err(), "no turn is free");
        drop(first);
        assert_eq!(got.recv(), Ok(true));
        waiting.join().unwrap();
        drop(second);
        assert_eq!(*turns.locked(), 2);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let turns = Arc::new(CommitTurns::new(0));
        let stuck = turns.take();
        assert!(turns.take().0.is_none(), "goes on without a turn");
        assert_eq!(*turns.locked(), 0, "which does not make one free");
        drop(stuck);
        assert_eq!(*turns.locked(), 1);
    }
}

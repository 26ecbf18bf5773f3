//! The end of waiting for processes: a configuration that is being replaced, or a server that stops.
//!
//! In: the wish to end. Out: deadlines for calls of user code. Holds: when it was wished.
//! Limits: from then on, a call may take [`GRACE`], and all of them together what was wished.

use std::{
    io,
    pin::pin,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::time::{Instant, timeout_at};

/// Longest call of user code while its configuration ends.
const GRACE: Duration = Duration::from_secs(3);
/// Time after which a wait looks whether its configuration ends.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Why a call of user code has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// It takes too long.
    Late,
    /// Its process does not answer any more.
    Io(io::Error),
}

/// The patience of the parsers of a configuration, which they share.
#[derive(Clone, Default)]
pub struct Patience(Arc<OnceLock<Ending>>);

struct Ending {
    since: Instant,
    over: Instant,
}

impl Patience {
    /// Wishes an end: calls that hang are cut short, and after `within` messages are given up. The first wish counts.
    pub fn end(&self, within: Duration) {
        let since = Instant::now();
        // A second wish comes when a stop follows a reload: it ends nothing earlier.
        let _ = self.0.set(Ending { since, over: since + within });
    }

    /// Returns the deadline of a call that began at some time and may take a while.
    pub(crate) fn deadline(&self, began: Instant, limit: Duration) -> Instant {
        match self.0.get() {
            None => began + limit,
            Some(ending) => (began + limit).min(began.max(ending.since) + GRACE).min(ending.over),
        }
    }

    /// Does some work for a call of user code that began at some time, as long as it may take.
    pub(crate) async fn within<T>(
        &self,
        began: Instant,
        limit: Duration,
        work: impl Future<Output = io::Result<T>>,
    ) -> Result<T, CallError> {
        let mut work = pin!(work);
        loop {
            let deadline = self.deadline(began, limit);
            let look = deadline.min(Instant::now() + LOOK_AGAIN);
            if let Ok(result) = timeout_at(look, &mut work).await {
                return result.map_err(CallError::Io);
            }
            if Instant::now() >= deadline {
                return Err(CallError::Late);
            }
        }
    }

    /// Returns true when an end is wished.
    pub(crate) fn is_ending(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns true when messages are given up.
    pub(crate) fn is_over(&self) -> bool {
        self.0.get().is_some_and(|ending| Instant::now() >= ending.over)
    }
}

#[cfg(test)]
mod tests;

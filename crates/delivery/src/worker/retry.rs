//! Decides whether and when a failed write is retried.
//!
//! In: errors, how much is left, the time. Out: the time of the next attempt, or none.
//! Holds: since when the target has taken nothing. Limits: before a stop there is always another attempt.

use std::{
    io,
    time::{Duration, Instant},
};

/// At the stop, a target that accepts nothing for this long is given up.
const STALLED_AT_STOP: Duration = Duration::from_secs(2);

/// One write, from its first attempt on.
pub(crate) struct Retry {
    /// Bytes that are left.
    left: usize,
    /// When that last decreased.
    since: Instant,
}

impl Retry {
    /// Begins a write of `left` bytes.
    pub(crate) fn new(left: usize, now: Instant) -> Retry {
        Retry { left, since: now }
    }

    /// Returns when a write that failed with `left` bytes remaining is retried: after a pause, or at once when the
    /// target is only slow. `None`: a stop need not wait any longer for a target that cannot be reached or accepts
    /// nothing more.
    pub(crate) fn next(
        &mut self,
        (error, left): (io::ErrorKind, usize),
        pause: Duration,
        stop_at: Option<Instant>,
        now: Instant,
    ) -> Option<Instant> {
        if left != self.left {
            *self = Retry::new(left, now);
        }
        let is_slow = error == io::ErrorKind::WouldBlock;
        let is_hopeless = !is_slow || now.saturating_duration_since(self.since) >= STALLED_AT_STOP;
        if stop_at.is_some() && is_hopeless {
            return None;
        }
        Some(if is_slow { now } else { now + pause })
    }
}

#[cfg(test)]
mod tests;

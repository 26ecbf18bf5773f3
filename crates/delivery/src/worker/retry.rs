//! The decision whether and when a write that failed is tried again.
//!
//! In: errors, how much is left, the time. Out: the time of the next try, or that there is none.
//! Holds: since when the target has taken nothing. Limits: before a stop there is always another try.

use std::{
    io,
    time::{Duration, Instant},
};

/// At the stop, a target that takes nothing for so long does not hold up the end.
const STALLED_AT_STOP: Duration = Duration::from_secs(2);

/// One write, from its first try on.
pub(crate) struct Retry {
    /// Bytes that are left.
    left: usize,
    /// When they became fewer.
    since: Instant,
}

impl Retry {
    /// The first try, with so many bytes to write.
    pub(crate) fn new(left: usize, now: Instant) -> Retry {
        Retry { left, since: now }
    }

    /// Returns when a write is tried again that failed with `left` bytes: after a pause, but at once when the target is
    /// only slow. `None`: a stop need not wait for the target any longer, which cannot be reached, or takes nothing more.
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

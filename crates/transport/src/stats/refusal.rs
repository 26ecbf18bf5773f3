//! Refused connections: the reasons, the number, and since when.
//!
//! In: refusals. Out: counts by reason, and whether refusals continue. Holds: counts, and the current streak.
//! Limits: a streak ends [`QUIET_AFTER`] the last refusal; it is reported in the health after [`LASTING_AFTER`].

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A streak of refusals is over after this long without any.
const QUIET_AFTER: Duration = Duration::from_secs(30);
/// Refusals that last this long are not a passing burst.
const LASTING_AFTER: Duration = Duration::from_secs(60);

/// The reason why a connection was refused, or closed for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalReason {
    /// `max-connections()` of the listener.
    MaxConnections,
    /// `max-connections-per-address()`.
    PerAddress,
    /// `max-handshakes()`, `max-handshakes-per-address()`.
    Handshakes,
    /// The share of the open files that all listeners have together.
    OpenFiles,
}

/// All reasons, in the order of their numbers.
pub const REFUSAL_REASONS: [RefusalReason; 4] = [
    RefusalReason::MaxConnections,
    RefusalReason::PerAddress,
    RefusalReason::Handshakes,
    RefusalReason::OpenFiles,
];

impl RefusalReason {
    /// The reason as a label of metrics.
    pub fn name(self) -> &'static str {
        match self {
            RefusalReason::MaxConnections => "max_connections",
            RefusalReason::PerAddress => "max_connections_per_address",
            RefusalReason::Handshakes => "handshakes",
            RefusalReason::OpenFiles => "open_files",
        }
    }
}

/// The refusals of one listener.
#[derive(Debug, Default)]
pub struct RefusalCounts {
    counts: [AtomicU64; REFUSAL_REASONS.len()],
    streak: Mutex<Option<Streak>>,
}

#[derive(Clone, Copy, Debug)]
struct Streak {
    reason: RefusalReason,
    since: Instant,
    last: Instant,
}

impl RefusalCounts {
    /// Connections that were refused for a reason.
    pub fn count(&self, reason: RefusalReason) -> u64 {
        self.counts[reason as usize].load(Ordering::Relaxed)
    }

    /// Connections that were refused for any reason.
    pub fn total(&self) -> u64 {
        REFUSAL_REASONS.into_iter().map(|reason| self.count(reason)).sum()
    }

    /// Returns the last reason and for how long connections have been refused, when that lasts.
    pub fn lasting(&self, now: Instant) -> Option<(RefusalReason, Duration)> {
        let streak = (*self.streak.lock().unwrap_or_else(PoisonError::into_inner))?;
        let lasted = streak.last.saturating_duration_since(streak.since);
        let is_over = now.saturating_duration_since(streak.last) > QUIET_AFTER;
        (!is_over && lasted >= LASTING_AFTER).then_some((streak.reason, lasted))
    }

    pub(super) fn add(&self, reason: RefusalReason, now: Instant) {
        self.counts[reason as usize].fetch_add(1, Ordering::Relaxed);
        let mut streak = self.streak.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |known: &Streak| now.saturating_duration_since(known.last) <= QUIET_AFTER;
        let since = (*streak).filter(goes_on).map_or(now, |known| known.since);
        *streak = Some(Streak { reason, since, last: now });
    }

    pub(super) fn reset(&self) {
        self.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    //! Refusals under a clock of the test.

    use super::*;

    #[test]
    fn refusals_that_go_on_are_lasting_until_they_stop() {
        let (refusals, start) = (RefusalCounts::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        for second in (0..=40).step_by(20) {
            refusals.add(RefusalReason::Handshakes, at(second));
            assert_eq!(refusals.lasting(at(second)), None, "{second} s");
        }
        refusals.add(RefusalReason::OpenFiles, at(65));
        assert_eq!(refusals.lasting(at(65)), Some((RefusalReason::OpenFiles, Duration::from_secs(65))));
        assert_eq!(refusals.lasting(at(95)), Some((RefusalReason::OpenFiles, Duration::from_secs(65))));
        assert_eq!(refusals.lasting(at(96)), None, "none for more than half a minute");
        refusals.add(RefusalReason::OpenFiles, at(100));
        assert_eq!(refusals.lasting(at(100)), None, "a new streak");
        assert_eq!((refusals.count(RefusalReason::Handshakes), refusals.total()), (3, 5));
        refusals.reset();
        assert_eq!(refusals.total(), 0);
    }
}

//! Time as the caller tells it.
//!
//! In: nanoseconds since a start that the caller has chosen. Out: differences. Limits: it saturates; 584 years.

use std::ops::Add;
use std::time::Duration;

/// A point in time, since any start that stays the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Time(u64);

impl Time {
    /// Makes one from nanoseconds since the start.
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }

    /// Returns the nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the time from an earlier point to this one; none if that is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// Returns a point before this one, at most as far as the start.
    pub fn before(self, by: Duration) -> Time {
        Time(self.0.saturating_sub(nanos(by)))
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, by: Duration) -> Time {
        Time(self.0.saturating_add(nanos(by)))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

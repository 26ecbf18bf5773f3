//! The received time: one reading of the clock per batch.
//!
//! In: the machine's clock and zone. Out: stamps. Holds: the zone's offset of the current quarter of an hour, the
//! grid on which zones change. Limits: none.

use jiff::{Timestamp, tz::TimeZone};
use message::Stamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Offsets from UTC change on this grid.
const GRID_S: i64 = 900;

/// The clock of one reader.
pub struct Clock {
    zone: TimeZone,
    quarter: i64,
    offset_s: i32,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new()
    }
}

impl Clock {
    /// A clock in the zone that the machine has now.
    pub fn new() -> Clock {
        Clock { zone: TimeZone::system(), quarter: i64::MIN, offset_s: 0 }
    }

    /// The time now, in the machine's zone.
    #[inline]
    pub fn now(&mut self) -> Stamp {
        self.stamp(SystemTime::now())
    }

    /// A time of the machine's clock, in its zone.
    #[inline]
    pub fn stamp(&mut self, at: SystemTime) -> Stamp {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let unix_us = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        let quarter = unix_us / 1_000_000 / GRID_S;
        if quarter != self.quarter {
            self.quarter = quarter;
            let at = Timestamp::from_microsecond(unix_us).unwrap_or_default();
            self.offset_s = self.zone.to_offset(at).seconds();
        }
        Stamp::known(unix_us, self.offset_s)
    }
}

#[cfg(test)]
mod tests;

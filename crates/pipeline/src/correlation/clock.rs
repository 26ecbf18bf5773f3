//! The time of a correlation: it follows the messages, so that old logs are correlated as when they were new.
//!
//! In: times of messages, the current time. Out: one time that never goes back. A message from the future does not
//! move it past the present. While no message comes, it advances with the present.
//! Holds: two numbers, shared by all cores. Limits: whole seconds.

use message::Stamp;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// The time of one correlation.
#[derive(Debug)]
pub(crate) struct Clock {
    now_s: AtomicI64,
    /// The present when the time was last moved.
    moved_s: AtomicI64,
}

/// Before every message.
const NEVER: i64 = i64::MIN;

impl Default for Clock {
    fn default() -> Clock {
        Clock { now_s: AtomicI64::new(NEVER), moved_s: AtomicI64::new(NEVER) }
    }
}

impl Clock {
    /// Moves to the time of a message. Returns the time if it has moved.
    #[inline]
    pub(crate) fn follow(&self, message: Stamp, present: Stamp) -> Option<i64> {
        let present_s = present.unix_s();
        if self.moved_s.load(Relaxed) != present_s {
            self.moved_s.store(present_s, Relaxed);
        }
        let wanted = message.unix_s().min(present_s);
        (wanted > self.now_s.load(Relaxed)).then(|| self.now_s.fetch_max(wanted, Relaxed).max(wanted))
    }

    /// Moves with the present when no message comes. Returns the time if it has moved.
    pub(crate) fn tick(&self, present: Stamp) -> Option<i64> {
        let present_s = present.unix_s();
        let before = self.moved_s.swap(present_s, Relaxed);
        let now = self.now_s.load(Relaxed);
        if before == NEVER || now == NEVER || present_s <= before {
            return None;
        }
        let wanted = now.saturating_add(present_s - before);
        Some(self.now_s.fetch_max(wanted, Relaxed).max(wanted))
    }

    /// Returns the time; 0 before the first message.
    pub(crate) fn now_s(&self) -> i64 {
        match self.now_s.load(Relaxed) {
            NEVER => 0,
            now => now,
        }
    }
}

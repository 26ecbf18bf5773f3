//! The time that a reader's thread may spend on a batch and still write it itself.
//!
//! In: a deadline from the source that passes the batch on. Out: the answer to a destination that could write
//! immediately.
//! Holds: the deadline. It goes with one batch as an argument, cannot cross threads, and ends with the call.
//! Limits: none. Reads no clock: the caller passes the time.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// The permission to write a batch on the thread that delivers it.
#[derive(Debug)]
pub struct WriteBudget(Cell<Option<Instant>>);

impl WriteBudget {
    /// Allows nothing: every write is left to the destination's own thread.
    pub const fn none() -> WriteBudget {
        WriteBudget(Cell::new(None))
    }

    /// Allows writes that begin at `deadline` or earlier.
    pub const fn until(deadline: Instant) -> WriteBudget {
        WriteBudget(Cell::new(Some(deadline)))
    }

    /// Returns true when a write may begin now. The clock is read only when there is a deadline.
    #[inline]
    pub fn allows(&self, now: impl FnOnce() -> Instant) -> bool {
        self.0.get().is_some_and(|deadline| now() <= deadline)
    }

    /// Moves the deadline by the duration of a write: the budget covers only what happens before writing.
    #[inline]
    pub fn extend(&self, time: Duration) {
        self.0.set(self.0.get().map(|deadline| deadline + time));
    }
}

#[cfg(test)]
mod tests {
    //! A budget under a clock that the test controls.

    use super::WriteBudget;
    use std::time::{Duration, Instant};

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "an Instant has no other beginning; the time is not read again"
    )]
    fn allows_writes_until_its_deadline() {
        let start = Instant::now();
        let after = |seconds| move || start + Duration::from_secs(seconds);
        let budget = WriteBudget::until(after(10)());
        assert!(budget.allows(after(10)) && !budget.allows(after(11)));
        budget.extend(Duration::from_secs(5));
        assert!(budget.allows(after(15)) && !budget.allows(after(16)));
        let none = WriteBudget::none();
        none.extend(Duration::from_secs(5));
        assert!(!none.allows(|| unreachable!("no deadline, no look at the clock")));
    }
}

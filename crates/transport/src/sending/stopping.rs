//! Signals a thread of a destination to stop, wherever it waits.
//!
//! In: a flag that the queue sets with the command to stop. Out: its state, for functions that this thread calls.
//! Holds: a flag per thread, and when the thread first saw it. Limits: a thread without a flag never stops early.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Once a destination must stop, connecting and shaking hands may take this long in all: enough for a server that
/// answers, and short for one that does not.
const LAST_TRY: Duration = Duration::from_millis(700);

#[derive(Default)]
struct Stop {
    flag: Option<Arc<AtomicBool>>,
    seen: Option<Instant>,
}

thread_local! {
    static STOP: RefCell<Stop> = const { RefCell::new(Stop { flag: None, seen: None }) };
}

/// Makes this thread obey a flag from now on.
pub fn obey(flag: Arc<AtomicBool>) {
    STOP.set(Stop { flag: Some(flag), seen: None });
}

/// Returns whether this thread is to stop.
pub fn has_begun() -> bool {
    STOP.with_borrow(|stop| stop.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Returns when this thread stops waiting for a server's answer: at `deadline`, or earlier once it must stop.
pub fn limit(deadline: Instant) -> Instant {
    STOP.with_borrow_mut(|stop| {
        if !stop.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return deadline;
        }
        let seen = *stop.seen.get_or_insert_with(Instant::now);
        deadline.min(seen + LAST_TRY)
    })
}

/// Returns how long the thread of a destination still waits for a server to accept a connection: until `deadline`,
/// and at most 700 ms more once the destination must stop. Zero: no longer.
pub fn patience(deadline: Instant) -> Duration {
    limit(deadline).saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests;

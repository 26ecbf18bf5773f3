//! Says to a thread of a destination, wherever it waits, that it is to stop.
//!
//! In: a flag that the queue sets with the command to stop. Out: its state, to what this thread calls.
//! Holds: a flag a thread. Limits: a thread without a flag never stops early.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// From now on this thread obeys a flag.
pub(super) fn obey(flag: Arc<AtomicBool>) {
    FLAG.set(Some(flag));
}

/// Says whether the destination of this thread is to stop.
pub(super) fn is_stopping() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

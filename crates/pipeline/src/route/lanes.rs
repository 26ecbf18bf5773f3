//! The threads of `parallelize()`, and of paths with parsers that wait, as the paths see them.
//!
//! In: jobs. Out: the same, run in order by one of several threads. Holds nothing: this is the interface.
//! Limits: those of the threads; a full one is waited for. At most one tick waits for the thread of a path.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Some work for a lane.
pub type Job = Box<dyn FnOnce() + Send>;

/// Threads that work side by side; each does its jobs in order.
pub trait Lanes: Send + Sync {
    /// Returns the number of lanes.
    fn count(&self) -> usize;
    /// Passes a job to one of them; waits while it has too many.
    fn send(&self, lane: usize, job: Job);
}

/// The thread of a path: the first of some lanes.
#[derive(Clone)]
pub struct PathThread {
    lanes: Arc<dyn Lanes>,
    tick_waits: Arc<AtomicBool>,
}

impl fmt::Debug for PathThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PathThread")
    }
}

impl PathThread {
    /// Makes one of lanes that never let the sender wait.
    pub fn new(lanes: Arc<dyn Lanes>) -> PathThread {
        PathThread { lanes, tick_waits: Arc::default() }
    }

    pub(super) fn send(&self, job: Job) {
        self.lanes.send(0, job);
    }

    /// Passes a tick to it, unless one waits there.
    pub(super) fn send_tick(&self, tick: Job) {
        if self.tick_waits.swap(true, Relaxed) {
            return;
        }
        let waits = self.tick_waits.clone();
        self.send(Box::new(move || {
            waits.store(false, Relaxed);
            tick();
        }));
    }
}

//! The threads of `parallelize()`, as the paths see them.
//!
//! In: jobs. Out: the same, run in order by one of several threads. Holds nothing: this is the interface.
//! Limits: those of the threads; a full one is waited for.

/// Some work for a lane.
pub type Job = Box<dyn FnOnce() + Send>;

/// Threads that work side by side; each does its jobs in order.
pub trait Lanes: Send + Sync {
    /// Returns the number of lanes.
    fn count(&self) -> usize;
    /// Passes a job to one of them; waits while it has too many.
    fn send(&self, lane: usize, job: Job);
}

//! Stops walks over documents, and shares the processor among them.
//!
//! In: a flag, a deadline, a pace. Out: whether the walk may continue. Holds: references to all three.
//! Limits: a walk checks at least every few milliseconds.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// The reason why a walk ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The client disconnected.
    Cancelled,
    /// The time limit passed.
    TimedOut,
}

/// Signals a walk when to stop.
#[derive(Clone, Debug)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    pace: Option<Arc<dyn Pace>>,
}

/// Shares the processor among walks: called at each check of the token, while no lock is held that others wait for.
pub trait Pace: Send + Sync + std::fmt::Debug {
    /// Returns when the walk may continue; fails as soon as `check` does.
    fn pause(&self, check: &dyn Fn() -> Result<(), Stop>) -> Result<(), Stop>;

    /// Notes that the walk waits for something other than the processor from now on.
    fn block(&self);

    /// Notes that the walk no longer waits.
    fn unblock(&self);
}

impl CancelToken {
    /// A cancel token with a deadline, cancelled by setting the flag.
    pub fn new(cancelled: Arc<AtomicBool>, deadline: Option<Instant>) -> CancelToken {
        CancelToken { cancelled, deadline, pace: None }
    }

    /// A cancel token that never stops anything.
    pub fn unlimited() -> CancelToken {
        CancelToken { cancelled: Arc::default(), deadline: None, pace: None }
    }

    /// Returns the same token with a pace, for a walk that shares the processor.
    pub fn paced(self, pace: Arc<dyn Pace>) -> CancelToken {
        CancelToken { pace: Some(pace), ..self }
    }

    /// Returns the pace by which the walk shares the processor.
    pub fn pace(&self) -> Option<&dyn Pace> {
        self.pace.as_deref()
    }

    /// The same without its deadline.
    pub fn without_deadline(&self) -> CancelToken {
        CancelToken { deadline: None, ..self.clone() }
    }

    /// Fails when the walk must stop; may block while other walks have their turn.
    pub fn check(&self) -> Result<(), Stop> {
        self.check_stop()?;
        match &self.pace {
            Some(pace) => pace.pause(&|| self.check_stop()),
            None => Ok(()),
        }
    }

    fn check_stop(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::TimedOut),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;

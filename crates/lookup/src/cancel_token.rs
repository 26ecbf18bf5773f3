//! Tells a walk over documents when to stop, and shares the processor among walks.
//!
//! In: a flag, a deadline, a pace. Out: whether the walk may go on. Holds: references to all three.
//! Limits: a walk asks at least every few milliseconds.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// Why a walk ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The asker went away.
    Cancelled,
    /// The time limit passed.
    TimedOut,
}

/// Tells a walk when to stop.
#[derive(Clone, Debug)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    pace: Option<Arc<dyn Pace>>,
}

/// Shares the processor among walks: asked at each look at the token, under no lock that others wait for.
pub trait Pace: Send + Sync + std::fmt::Debug {
    /// Returns when the walk may go on; `check` fails when it is to end instead.
    fn pause(&self, check: &dyn Fn() -> Result<(), Stop>) -> Result<(), Stop>;

    /// The walk waits for something else than the processor from now on.
    fn block(&self);

    /// It waits no more.
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

    /// The same for a walk that shares the processor with others.
    pub fn paced(self, pace: Arc<dyn Pace>) -> CancelToken {
        CancelToken { pace: Some(pace), ..self }
    }

    /// The way in which the walk shares the processor.
    pub fn pace(&self) -> Option<&dyn Pace> {
        self.pace.as_deref()
    }

    /// The same without its deadline.
    pub fn without_deadline(&self) -> CancelToken {
        CancelToken { deadline: None, ..self.clone() }
    }

    /// Fails when the walk must stop; may hold it up while others have their turn.
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

//! The acknowledgement that flows back: one token per batch, shared by all that handle it.
//!
//! In: clones of the token, dropped as work completes. Out: one call of the source's [`AckSink`], when the last
//! clone is gone. Holds: the sink and a flag that a holder failed. Limits: none.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The outcome of a batch, as reported to its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every destination did what its acknowledgement level requires.
    Done,
    /// At least one destination gave up: the source may send again.
    Failed,
}

/// The source's side of an acknowledgement: frees its window, answers a RELP frame, saves a file position.
pub trait AckSink: Send + Sync {
    /// Called once per batch, from any thread; must not block.
    fn acknowledge(&self, outcome: Outcome);
}

/// One holder's share of a batch's token. The batch is acknowledged when the last clone is dropped.
#[derive(Clone, Default)]
pub struct Ack(Option<Arc<Guard>>);

struct Guard {
    sink: Box<dyn AckSink>,
    failed: AtomicBool,
}

impl Ack {
    /// Makes a token for one batch.
    pub fn new(sink: Box<dyn AckSink>) -> Ack {
        Ack(Some(Arc::new(Guard { sink, failed: AtomicBool::new(false) })))
    }

    /// Returns a token that no source waits for.
    pub fn none() -> Ack {
        Ack(None)
    }

    /// Returns whether both are shares of one batch's token.
    pub fn is_same(&self, other: &Ack) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Records that this holder gave up on the batch.
    pub fn fail(&self) {
        if let Some(guard) = &self.0 {
            guard.failed.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let outcome = if *self.failed.get_mut() { Outcome::Failed } else { Outcome::Done };
        self.sink.acknowledge(outcome);
    }
}

impl std::fmt::Debug for Ack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Ack(pending)" } else { "Ack(none)" })
    }
}

//! How a receiver gathers messages, and how long it tries them: options that most drivers have.
//!
//! In: `batch-lines()`, `batch-bytes()`, `batch-timeout()`, `workers()`, `retries()`. Out: the limits of its requests.
//! Holds: nothing that runs. Limits: a request has at least one row, and a destination at least one worker.

use delivery::RequestLimits;
use std::time::Duration;

/// The options of a driver about batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batches {
    /// `batch-lines()`: messages that are sent without waiting for each other; 0 counts as 1.
    pub lines: usize,
    /// `batch-bytes()`: most bytes of them; 0 is no limit.
    pub bytes: usize,
    /// `batch-timeout()`: how long a batch waits to become full.
    pub wait: Option<Duration>,
    /// `workers()`: connections, or requests at a time; 0 counts as 1.
    pub workers: usize,
    /// `retries()` when it is written.
    pub retries: Option<u32>,
}

impl Batches {
    /// Returns the limits of a request.
    pub(crate) fn limits(&self) -> RequestLimits {
        RequestLimits { rows: self.lines.max(1), bytes: self.bytes, wait: self.wait }
    }

    /// Returns the number of connections, or of requests at a time.
    pub(crate) fn workers(&self) -> usize {
        self.workers.max(1)
    }
}

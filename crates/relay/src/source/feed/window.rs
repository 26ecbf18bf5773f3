//! Flow control of one connection or file: what it may have in work.
//!
//! In: batches that go out, acknowledgements that come back. Out: leave to read. Holds: two counts.
//! Limits: [`Window`]; the batch that crosses a limit still goes out. Reading starts again when half of the
//! window is free, so that a slow destination does not wake the reader for every batch.

use super::super::options::Window;
use message::{Ack, AckSink, Outcome};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// What a source wants to know of its batches: file positions move.
pub(crate) trait Completion: Send + Sync {
    /// A batch is done or failed.
    fn complete(&self, outcome: Outcome);
}

/// The window of one connection.
#[derive(Default)]
pub(crate) struct Gate {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    limit: Mutex<Window>,
    freed: Notify,
}

struct Share {
    gate: Arc<Gate>,
    messages: usize,
    bytes: usize,
    completion: Option<Box<dyn Completion>>,
}

impl Gate {
    pub(crate) fn new(limit: Window) -> Arc<Gate> {
        let gate = Gate::default();
        gate.resize(limit);
        Arc::new(gate)
    }

    /// Changes the limits.
    pub(crate) fn resize(&self, limit: Window) {
        let limit = Window { messages: limit.messages.max(Window::MESSAGES_MIN), bytes: limit.bytes.max(1) };
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = limit;
    }

    fn is_below(&self, part: usize) -> bool {
        let limit = *self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        self.messages.load(Ordering::Acquire) < limit.messages.div_ceil(part)
            && self.bytes.load(Ordering::Acquire) < limit.bytes.div_ceil(part)
    }

    /// Waits until reading is allowed.
    pub(crate) async fn opened(&self) {
        if self.is_below(1) {
            return;
        }
        loop {
            let freed = self.freed.notified();
            if self.is_below(2) {
                return;
            }
            freed.await;
        }
    }

    /// Takes window for a batch; its token gives it back.
    pub(crate) fn ticket(
        self: &Arc<Gate>,
        messages: usize,
        bytes: usize,
        completion: Option<Box<dyn Completion>>,
    ) -> Ack {
        self.messages.fetch_add(messages, Ordering::AcqRel);
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
        Ack::new(Box::new(Share { gate: self.clone(), messages, bytes, completion }))
    }
}

impl AckSink for Share {
    fn acknowledge(&self, outcome: Outcome) {
        if let Some(completion) = &self.completion {
            completion.complete(outcome);
        }
        self.gate.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
        self.gate.messages.fetch_sub(self.messages, Ordering::AcqRel);
        if self.gate.is_below(2) {
            self.gate.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;

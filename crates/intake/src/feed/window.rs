//! Flow control of one connection or file: what it may have in work.
//!
//! In: batches that go out, acknowledgements that come back. Out: leave to read. Holds: two counts, and that of all
//! readers of the source together.
//! Limits: [`Window`]; the batch that crosses a limit still goes out. Reading starts again when half of the
//! window is free, so that a slow destination does not wake the reader for every batch. When the readers of a source
//! have [`SHARED_BYTES`] in work, each of them has one read at a time in work, a small one: what is in work then stays in
//! the processor's cache, and hundreds of connections do not fill the memory.

use crate::options::Window;
use message::{Ack, AckSink, Outcome};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// Bytes in work that all readers of a source may have before each is held to its fair part: with more of them,
/// what one thread has read has left the cache before the next one writes it.
const SHARED_BYTES: usize = 8 << 20;
/// Bytes in work of all readers of a source.
pub(crate) type InWork = Arc<AtomicUsize>;

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
    /// Nothing for readers that nobody can hold back.
    shared: Option<InWork>,
    freed: Notify,
}

struct Share {
    gate: Arc<Gate>,
    messages: usize,
    bytes: usize,
    completion: Option<Box<dyn Completion>>,
}

impl Gate {
    pub(crate) fn new(limit: Window, shared: Option<InWork>) -> Arc<Gate> {
        let gate = Gate { shared, ..Gate::default() };
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
        let bytes = self.bytes.load(Ordering::Acquire);
        self.messages.load(Ordering::Acquire) < limit.messages.div_ceil(part)
            && bytes < limit.bytes.div_ceil(part)
            && (bytes == 0 || self.all_bytes() < SHARED_BYTES / part)
    }

    /// Bytes in work of all readers. Whoever is held back by them has bytes of its own in work, and looks again
    /// when those are done with.
    fn all_bytes(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.load(Ordering::Acquire))
    }

    /// Whether the readers of the source have so much in work that each of them is to read little.
    pub(crate) fn is_crowded(&self) -> bool {
        self.all_bytes() >= SHARED_BYTES
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
        if let Some(shared) = &self.shared {
            shared.fetch_add(bytes, Ordering::AcqRel);
        }
        Ack::new(Box::new(Share { gate: self.clone(), messages, bytes, completion }))
    }
}

impl AckSink for Share {
    fn acknowledge(&self, outcome: Outcome) {
        if let Some(completion) = &self.completion {
            completion.complete(outcome);
        }
        if let Some(shared) = &self.gate.shared {
            shared.fetch_sub(self.bytes, Ordering::AcqRel);
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

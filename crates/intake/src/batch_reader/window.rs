//! Flow control of one connection or file: how much it may have in flight, received and not yet acknowledged.
//!
//! In: forwarded batches, returned acknowledgements. Out: permission to read. Holds: two counts, and that of all
//! readers of the source together.
//! Limits: [`Window`]; the batch that crosses a limit still goes out. Reading starts again when half of the
//! window is free, so that a slow destination does not wake the reader for every batch. When the readers of a source
//! have [`SHARED_BYTES`] in flight, each of them has one read at a time in flight, a small one: that stays in the
//! processor's cache, and hundreds of connections do not fill the memory.

use crate::{options::Window, source::InFlight};
use message::{Ack, AckSink, Outcome};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// Bytes that all readers of a source may have in flight before each is held to its fair part: with more of them,
/// what one thread has read has left the cache before the next one writes it.
const SHARED_BYTES: usize = 8 << 20;

/// Notified when a batch is acknowledged, to advance file positions.
pub trait Completion: Send + Sync {
    /// A batch is done or failed.
    fn complete(&self, outcome: Outcome);
}

/// The window of one connection.
#[derive(Default)]
pub struct FlowWindow {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    limit: Mutex<Window>,
    /// `None` for readers that cannot be held back.
    shared: Option<InFlight>,
    freed: Notify,
}

/// The part of a window that a batch takes until it is acknowledged.
struct WindowPermit {
    window: Arc<FlowWindow>,
    messages: usize,
    bytes: usize,
    completion: Option<Box<dyn Completion>>,
}

impl FlowWindow {
    pub(crate) fn new(limit: Window, shared: Option<InFlight>) -> Arc<FlowWindow> {
        let window = FlowWindow { shared, ..FlowWindow::default() };
        window.resize(limit);
        Arc::new(window)
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

    /// Bytes that all readers have in flight. A reader that is held back by them has bytes of its own in flight, and
    /// checks again when those are acknowledged.
    fn all_bytes(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.load(Ordering::Acquire))
    }

    /// Returns true when the readers of the source have so much in flight that each must read little.
    pub(crate) fn is_crowded(&self) -> bool {
        self.all_bytes() >= SHARED_BYTES
    }

    /// Returns how many bytes are in flight.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    /// Returns whether reading is allowed.
    pub fn has_room(&self) -> bool {
        self.is_below(1)
    }

    /// Waits until reading is allowed.
    pub async fn wait_for_room(&self) {
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

    /// Acquires a part of the window for a batch; its token releases it.
    pub(crate) fn acquire(
        self: &Arc<FlowWindow>,
        messages: usize,
        bytes: usize,
        completion: Option<Box<dyn Completion>>,
    ) -> Ack {
        self.messages.fetch_add(messages, Ordering::AcqRel);
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
        if let Some(shared) = &self.shared {
            shared.fetch_add(bytes, Ordering::AcqRel);
        }
        Ack::new(Box::new(WindowPermit { window: self.clone(), messages, bytes, completion }))
    }
}

impl AckSink for WindowPermit {
    fn acknowledge(&self, outcome: Outcome) {
        if let Some(completion) = &self.completion {
            completion.complete(outcome);
        }
        if let Some(shared) = &self.window.shared {
            shared.fetch_sub(self.bytes, Ordering::AcqRel);
        }
        self.window.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
        self.window.messages.fetch_sub(self.messages, Ordering::AcqRel);
        if self.window.is_below(2) {
            self.window.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests;

//! A point at which messages can be observed while the server runs: `duramen ctl tap` opens it.
//!
//! In: batches that pass. Out: copies of some of their messages, for the viewers. Holds: the viewers. Without a
//! viewer, a batch costs one load of a counter.
//! Limits: a [`Viewer`] bounds what it copies; it never waits.

use message::{Batch, Selection};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// An observer of messages.
pub trait Viewer: Send + Sync {
    /// Called when messages pass. Copies as many as fit, counts the rest, and never waits.
    fn look(&self, batch: &Batch, selection: &Selection);
}

/// A point that messages pass.
#[derive(Default)]
pub struct TapPoint {
    open: AtomicUsize,
    viewers: Mutex<Vec<Arc<dyn Viewer>>>,
}

impl std::fmt::Debug for TapPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TapPoint({} open)", self.open.load(Ordering::Relaxed))
    }
}

impl TapPoint {
    /// Returns true when there is a viewer.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// Passes messages to the viewers.
    #[inline]
    pub fn pass(&self, batch: &Batch, selection: &Selection) {
        if self.is_open() {
            self.show(batch, selection);
        }
    }

    #[cold]
    fn show(&self, batch: &Batch, selection: &Selection) {
        if selection.is_empty() {
            return;
        }
        let viewers = self.viewers.lock().unwrap_or_else(PoisonError::into_inner);
        viewers.iter().for_each(|viewer| viewer.look(batch, selection));
    }

    /// Adds a viewer.
    pub fn open(&self, viewer: Arc<dyn Viewer>) {
        let mut viewers = self.viewers.lock().unwrap_or_else(PoisonError::into_inner);
        viewers.push(viewer);
        self.open.store(viewers.len(), Ordering::Relaxed);
    }

    /// Removes a viewer.
    pub fn close(&self, viewer: &Arc<dyn Viewer>) {
        let mut viewers = self.viewers.lock().unwrap_or_else(PoisonError::into_inner);
        viewers.retain(|known| !Arc::ptr_eq(known, viewer));
        self.open.store(viewers.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;

//! The active segment: messages can be searched as soon as they are appended.
//!
//! In: batches, from one thread. Out: views of its contents, for any number of threads; a sealed file.
//! Holds: the segment in memory behind a lock that a query takes for a slice of its walk at a time.
//! Limits: see [`DOCUMENTS_MAX`] and [`BYTES_MAX`]; the owner asks [`Active::is_full`].

mod batch;
mod blocks;
pub(crate) mod builder;
mod capacity_hint;
mod columns;
mod compress_pool;
mod index;
mod learned;
mod received;
mod terms;
mod view;
mod word_scan;

use crate::documents::kept::KeptBlocks;
use builder::Builder;
use lookup::{Document, SegmentView};
use message::{Batch, Selection};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use zstd::zstd_safe::DDict;

pub use builder::{BYTES_MAX, DOCUMENTS_MAX};

pub use columns::NAMED_MAX;
pub(crate) use columns::{Column, stamp_of};
pub(crate) use index::Index;
pub use learned::Learned;
pub(crate) use terms::Terms;
pub(crate) use view::ActiveView;

/// A segment being built. Its one owner appends; views are for everyone.
pub struct Active {
    shared: Arc<Shared>,
}

/// State that the owner and the views share.
pub(crate) struct Shared {
    builder: RwLock<Builder>,
    /// Dictionary that blocks are decompressed with; made when the first one is.
    decoder: OnceLock<Option<DDict<'static>>>,
    kept: KeptBlocks,
}

impl Shared {
    fn new(builder: Builder) -> Shared {
        Shared { builder: RwLock::new(builder), decoder: OnceLock::new(), kept: KeptBlocks::new() }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Builder> {
        self.builder.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Builder> {
        self.builder.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Active {
    /// Creates an empty segment whose first message has this sequence number. `learned` from the previous segment
    /// saves learning again.
    pub fn new(first_sequence: u64, learned: Option<Learned>) -> Active {
        Active { shared: Arc::new(Shared::new(Builder::new(first_sequence, learned))) }
    }

    /// Learns after this many messages.
    #[cfg(test)]
    pub(crate) fn learn_after(&mut self, documents: u32) {
        self.shared.write().learn_after(documents);
    }

    /// Appends the selected messages of a batch; they can be searched from now on.
    pub fn append(&mut self, batch: &Batch, selection: &Selection) {
        batch::append(&mut self.shared.write(), batch, selection);
    }

    /// Appends a stored message, for rebuilding an index.
    pub fn append_document(&mut self, document: &Document) {
        batch::append_document(&mut self.shared.write(), document);
    }

    /// Number of messages.
    pub fn len(&self) -> u32 {
        self.shared.read().length
    }

    /// Returns true when there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true when the segment must be sealed before more is appended.
    pub fn is_full(&self) -> bool {
        self.shared.read().is_full()
    }

    /// Estimates the bytes of memory that the segment uses.
    pub fn memory_bytes(&self) -> u64 {
        self.shared.read().memory_bytes()
    }

    /// Returns the number of values that have no column of their name: a segment has at most [`NAMED_MAX`] of these.
    pub fn values_without_column(&self) -> u64 {
        self.shared.read().columns.uncolumned()
    }

    /// Sequence number of the first message.
    pub fn first_sequence(&self) -> u64 {
        self.shared.read().first_sequence
    }

    /// Received times of the first and the last message, microseconds since 1970; zeros when there is none.
    pub fn received_range(&self) -> (i64, i64) {
        let builder = self.shared.read();
        let received = &builder.columns.times.received;
        (received.first().copied().unwrap_or(0), received.last().copied().unwrap_or(0))
    }

    /// Returns the knowledge that the next segment starts with; `None` when it should learn by itself.
    pub fn learned(&self) -> Option<Learned> {
        let builder = self.shared.read();
        builder.learned.as_ref().and_then(|learned| learned.next(builder.capacity_hint()))
    }

    /// A view of the messages that are there now. It does not grow.
    pub fn view(&self) -> Arc<dyn SegmentView> {
        Arc::new(ActiveView::new(Arc::clone(&self.shared)))
    }

    /// Completes the blocks, and returns the builder to seal. Nothing may be appended any more.
    pub(crate) fn complete(&self) -> RwLockReadGuard<'_, Builder> {
        self.shared.write().finish();
        self.shared.read()
    }
}

//! The blocks of an active segment: an open one, full ones, and those that are compressed.
//!
//! In: frames and texts. Out: compressed blocks; access to any block; the tree over the messages' hashes. Until a
//! dictionary is learned, full blocks wait uncompressed; then threads compress and hash them, see
//! [`compress_pool`], while they stay readable here. The results are put back in order.
//! Holds: about a fifth of the received bytes, [`BLOCK_BYTES`] of the open block, and full blocks being compressed:
//! at most [`PRESSING_MAX`]. Limits: a frame of any size fits, in a block of its own if need be.

use super::{
    compress_pool::{self, CompressedBlock, PendingBlock},
    received::Received,
};
use crate::format::frame::Frames;
use crate::memory;
use evidence::merkle::Tree;
use std::{collections::VecDeque, sync::Arc};

/// Bytes of frames after which a block is full. Larger ones compress better and cost more to open for one row.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;
/// Most full blocks being compressed. The threads take fewer at once; this bounds results that arrive out of order.
const PRESSING_MAX: usize = 64;

/// A compressed block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    /// Its first document.
    pub(crate) first: u32,
    /// Offset among the compressed bytes.
    pub(crate) offset: u64,
    pub(crate) stored_bytes: u32,
    pub(crate) plain_bytes: u32,
}

/// A block of an active segment in any of its states.
pub(crate) enum FoundBlock<'a> {
    Plain(&'a Frames),
    Compressed(&'a [u8], Stored),
}

/// A full block.
struct Full {
    /// Its first document.
    first: u32,
    received: Arc<Received>,
    /// Its compressed form, once the threads have made it; none while it waits for a dictionary.
    pending: Option<PendingBlock>,
}

/// The frames of a segment being built.
pub(crate) struct Blocks {
    first_sequence: u64,
    /// Dictionary that blocks are compressed with, empty for none; `None` until it is learned.
    dictionary: Option<Arc<Vec<u8>>>,
    /// Full blocks that are not compressed yet; all after the compressed ones.
    full: VecDeque<Full>,
    open: Received,
    /// First document of the open block.
    open_first: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) stored: Vec<Stored>,
    /// Hashes of the messages of the compressed blocks.
    pub(crate) tree: Tree,
    /// Memory to reuse.
    spare: Vec<Received>,
}

impl Blocks {
    /// Creates an empty set of blocks, with memory reserved for some compressed bytes. Without a dictionary, full
    /// blocks wait until one is learned.
    pub(crate) fn new(first_sequence: u64, dictionary: Option<Arc<Vec<u8>>>, capacity: usize) -> Blocks {
        let mut open = Received::default();
        open.begin(first_sequence);
        Blocks {
            first_sequence,
            dictionary,
            full: VecDeque::new(),
            open,
            open_first: 0,
            bytes: memory::with_capacity(capacity),
            stored: Vec::new(),
            tree: Tree::default(),
            spare: Vec::new(),
        }
    }

    /// Adds the next frame, see [`Received::push`].
    pub(crate) fn push(&mut self, raw: &[u8], received_us: i64, peer_id: u32, peer: &[u8]) {
        self.open.push(raw, received_us, peer_id, peer);
    }

    /// Stores the text of the frame just pushed.
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        self.open.frames.push_text(text);
    }

    /// Ends the open block when it is full; the next frame is of the document after `document`.
    pub(crate) fn end_document(&mut self, document: u32) {
        if self.open.frames.size() >= BLOCK_BYTES {
            self.end_block(document + 1);
        }
    }

    fn end_block(&mut self, next: u32) {
        let mut open = self.spare.pop().unwrap_or_default();
        open.begin(self.first_sequence + u64::from(next));
        let received = Arc::new(std::mem::replace(&mut self.open, open));
        let first = std::mem::replace(&mut self.open_first, next);
        let pending = self.dictionary.as_ref().map(|dictionary| compress_pool::send(&received, dictionary));
        self.full.push_back(Full { first, received, pending });
        self.collect(PRESSING_MAX);
    }

    /// Uses a dictionary from now on, also for waiting blocks.
    pub(crate) fn learn(&mut self, dictionary: &Arc<Vec<u8>>) {
        assert!(self.dictionary.is_none(), "the blocks are compressed already");
        self.dictionary = Some(Arc::clone(dictionary));
        for full in &mut self.full {
            full.pending = Some(compress_pool::send(&full.received, dictionary));
        }
    }

    /// Compresses everything; nothing may be added afterwards.
    pub(crate) fn finish(&mut self, length: u32) {
        if self.dictionary.is_none() {
            self.learn(&Arc::default());
        }
        if self.open.frames.len() > 0 {
            self.end_block(length);
        }
        self.collect(0);
        assert!(self.full.is_empty(), "{} blocks are not compressed", self.full.len());
    }

    /// Collects finished blocks from the threads, waiting until at most `left` are unfinished.
    fn collect(&mut self, left: usize) {
        while let Some(Full { pending: Some(pending), .. }) = self.full.front() {
            if !pending.is_ready() && self.full.len() <= left {
                return;
            }
            pending.wait();
            if let Some(full) = self.full.pop_front() {
                self.store(full);
            }
        }
    }

    fn store(&mut self, full: Full) {
        let Full { first, received, pending } = full;
        let dictionary = self.dictionary.as_ref().expect("a dictionary was there when it was sent");
        let pending = match pending.filter(|pending| pending.wait().is_some()) {
            Some(pending) => pending,
            // The thread that had it failed: if the block is the cause, this call fails as well and reports it.
            None => compress_pool::compress(&received, dictionary),
        };
        let CompressedBlock { bytes, plain_bytes, leaves } = pending.wait().expect("it was done just now");
        debug_assert!(self.stored.last().is_none_or(|last| last.first < first), "blocks in order");
        let (offset, stored_bytes) = (self.bytes.len() as u64, bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.stored.push(Stored { first, offset, stored_bytes, plain_bytes: *plain_bytes });
        leaves.iter().for_each(|leaf| self.tree.push(*leaf));
        if self.spare.len() < PRESSING_MAX {
            self.spare.extend(Arc::into_inner(received));
        }
    }

    /// The block of a document, and its first document.
    pub(crate) fn find(&self, document: u32) -> (FoundBlock<'_>, u32) {
        if document >= self.open_first {
            return (FoundBlock::Plain(&self.open.frames), self.open_first);
        }
        if let Some(index) = self.full.partition_point(|full| full.first <= document).checked_sub(1) {
            let full = &self.full[index];
            return (FoundBlock::Plain(&full.received.frames), full.first);
        }
        let index = self.stored.partition_point(|stored| stored.first <= document).saturating_sub(1);
        let stored = self.stored[index];
        let start = stored.offset as usize;
        let bytes = &self.bytes[start..start + stored.stored_bytes as usize];
        (FoundBlock::Compressed(bytes, stored), stored.first)
    }

    /// Returns the first document after the block that begins with `first`.
    pub(crate) fn end_of(&self, first: u32, length: u32) -> u32 {
        let stored = self.stored.iter().map(|stored| stored.first);
        let full = self.full.iter().map(|full| full.first);
        let mut firsts = stored.chain(full).chain([self.open_first]);
        firsts.find(|known| *known > first).unwrap_or(length).min(length)
    }

    /// Returns the dictionary that blocks are decompressed with.
    pub(crate) fn dictionary(&self) -> &[u8] {
        self.dictionary.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        let full: usize = self.full.iter().map(|full| full.received.frames.size()).sum();
        self.bytes.len() + full + self.open.frames.size()
    }

    /// Samples to learn from: neighbouring frames, a few KiB each.
    pub(crate) fn samples(&self, sample_bytes: usize, bytes_max: usize) -> Vec<&[u8]> {
        let step = self.size().div_ceil(bytes_max).max(1);
        let blocks = self.full.iter().map(|full| full.received.frames.bytes());
        blocks.flat_map(|bytes| bytes.chunks(sample_bytes)).step_by(step).collect()
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        memory::recycle(std::mem::take(&mut self.bytes));
        memory::end_segment();
    }
}

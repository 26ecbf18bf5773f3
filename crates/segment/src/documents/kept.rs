//! Cache of recently used decompressed blocks.
//!
//! In: blocks opened to show a few messages; in a recoded segment, which has no blocks, single messages. Out: the
//! same blocks without opening them again: paging, narrowing a search and repeating it request the same messages.
//! Holds: blocks of all segments of the process, at most [`KEPT_BYTES_MAX`]; those unused for longest are evicted
//! first, and those of a segment when it is closed. Limits: scans over many blocks must not use the cache.

use super::Block;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Most bytes of blocks in memory: the rows of two or three searches whose matches are far apart.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// The blocks of all segments.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
/// The number of the next segment that opens.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The cached blocks of a segment; none of them remains when the segment is closed.
pub(crate) struct KeptBlocks {
    owner: u64,
}

#[derive(Default)]
struct Kept {
    /// By segment and first document.
    blocks: HashMap<(u64, u32), Slot>,
    bytes: usize,
    turn: u64,
}

struct Slot {
    block: Arc<Block>,
    /// When it was last used.
    turn: u64,
}

impl KeptBlocks {
    /// Creates the cache of a segment that was just opened.
    pub(crate) fn new() -> KeptBlocks {
        KeptBlocks { owner: NEXT.fetch_add(1, Relaxed) }
    }

    /// The block that begins with a document, if it is cached.
    pub(crate) fn find(&self, first: u32) -> Option<Arc<Block>> {
        let mut guard = locked();
        let kept = guard.as_mut()?;
        kept.turn += 1;
        let slot = kept.blocks.get_mut(&(self.owner, first))?;
        slot.turn = kept.turn;
        Some(Arc::clone(&slot.block))
    }

    /// Caches a block.
    pub(crate) fn keep(&self, block: &Arc<Block>) {
        let mut guard = locked();
        let kept = guard.get_or_insert_default();
        kept.turn += 1;
        let slot = Slot { block: Arc::clone(block), turn: kept.turn };
        kept.bytes += block.size();
        if let Some(before) = kept.blocks.insert((self.owner, block.documents.start), slot) {
            kept.bytes -= before.block.size();
        }
        kept.make_room();
        debug_assert!(kept.bytes <= KEPT_BYTES_MAX, "{} bytes of blocks", kept.bytes);
    }
}

impl Drop for KeptBlocks {
    fn drop(&mut self) {
        let mut guard = locked();
        let Some(kept) = guard.as_mut() else { return };
        let own: Vec<(u64, u32)> =
            kept.blocks.keys().filter(|(owner, _)| *owner == self.owner).copied().collect();
        own.into_iter().for_each(|key| kept.remove(key));
    }
}

impl Kept {
    /// Evicts a quarter when there are too many bytes: the blocks unused for longest.
    fn make_room(&mut self) {
        while self.bytes > KEPT_BYTES_MAX && !self.blocks.is_empty() {
            let mut turns: Vec<u64> = self.blocks.values().map(|slot| slot.turn).collect();
            let (_, last, _) = turns.select_nth_unstable(self.blocks.len() / 4);
            let last = *last;
            let bytes = &mut self.bytes;
            self.blocks.retain(|_, slot| {
                let stays = slot.turn > last;
                *bytes -= if stays { 0 } else { slot.block.size() };
                stays
            });
        }
    }

    fn remove(&mut self, key: (u64, u32)) {
        if let Some(slot) = self.blocks.remove(&key) {
            self.bytes -= slot.block.size();
        }
    }
}

fn locked() -> MutexGuard<'static, Option<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

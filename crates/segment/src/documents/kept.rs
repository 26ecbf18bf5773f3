//! Decompressed blocks that were asked for lately.
//!
//! In: blocks that somebody opened to show a few messages; of a recoded segment, which has none, each message is one. Out:
//! the same blocks, without opening them again: who turns a page, narrows a search or looks at it once more asks for the same
//! messages.
//! Holds: blocks of all segments of the process, [`KEPT_BYTES_MAX`] at most; those that were not asked for longest go
//! first, those of a segment with the segment. Limits: scans over many blocks must not come here.

use super::Block;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Most bytes of blocks in memory: the rows of two or three searches whose finds lie far apart.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// The blocks of all segments.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
/// The number of the next segment that opens.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Blocks that a segment keeps open; none of them remains when the segment is closed.
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
    /// When it was asked for last.
    turn: u64,
}

impl KeptBlocks {
    /// Of a segment that was just opened.
    pub(crate) fn new() -> KeptBlocks {
        KeptBlocks { owner: NEXT.fetch_add(1, Relaxed) }
    }

    /// The block that begins with a document, if it is there.
    pub(crate) fn find(&self, first: u32) -> Option<Arc<Block>> {
        let mut guard = locked();
        let kept = guard.as_mut()?;
        kept.turn += 1;
        let slot = kept.blocks.get_mut(&(self.owner, first))?;
        slot.turn = kept.turn;
        Some(Arc::clone(&slot.block))
    }

    /// Keeps a block.
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
    /// Lets a quarter go while there are too many bytes: those that were not asked for longest.
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

//! Decrypted chunks of a segment.
//!
//! In: encrypted chunks, when they are first needed. Out: the same bytes decrypted, at the offsets they have in the
//! file, so that a reader of a segment need not know that it is encrypted.
//! Holds: the decrypted chunks; the segment's key. Limits: all segments of the process together keep at most
//! [`PLAIN_BYTES_MAX`]; beyond, those that were not read for longest are emptied, unless someone reads them now.

use super::{map::ScratchMemory, section::CHUNK_BYTES};
use evidence::{SegmentKey, TAG_BYTES};
use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak,
        atomic::{
            AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
};

/// Most decrypted bytes in memory: the dictionaries and columns that queries of some 50 million messages read.
pub(crate) const PLAIN_BYTES_MAX: u64 = 512 << 20;

/// Decrypted bytes of all segments, and the segments.
static HELD_BYTES: AtomicU64 = AtomicU64::new(0);
static HOLDERS: Mutex<Vec<Weak<Plain>>> = Mutex::new(Vec::new());
/// Counts pins: the segment with the smallest number has not been read for longest.
static TURN: AtomicU64 = AtomicU64::new(0);

/// The decrypted chunks of one segment.
pub(super) struct Plain {
    key: SegmentKey,
    space: ScratchMemory,
    /// A bit per chunk: set when it is decrypted.
    ready: Vec<AtomicU64>,
    held_bytes: AtomicU64,
    last_turn: AtomicU64,
    /// Held shared while reading, exclusively while emptying. Nothing ever waits for the latter.
    gate: RwLock<()>,
}

impl Plain {
    pub(super) fn new(key: SegmentKey, size: usize, chunks: usize) -> io::Result<Arc<Plain>> {
        let plain = Arc::new(Plain {
            key,
            space: ScratchMemory::new(size)?,
            ready: (0..chunks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            held_bytes: AtomicU64::new(0),
            last_turn: AtomicU64::new(0),
            gate: RwLock::new(()),
        });
        let mut holders = HOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        holders.retain(|holder| holder.strong_count() > 0);
        holders.push(Arc::downgrade(&plain));
        Ok(plain)
    }

    /// Keeps the decrypted chunks until the guard is dropped.
    pub(super) fn pin(&self) -> RwLockReadGuard<'_, ()> {
        self.last_turn.store(TURN.fetch_add(1, Relaxed), Relaxed);
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        self.space.as_slice()
    }

    /// Returns true when a chunk is there.
    #[inline]
    pub(super) fn is_ready(&self, chunk: usize) -> bool {
        self.ready.get(chunk >> 6).is_some_and(|word| word.load(Acquire) & 1 << (chunk & 63) != 0)
    }

    /// Decrypts a chunk that begins at an offset of the file; false when it is not what was sealed there.
    pub(super) fn decrypt(&self, chunk: usize, offset: usize, sealed: &[u8], tag: &[u8; TAG_BYTES]) -> bool {
        let mut plain = vec![0; sealed.len()];
        if !self.opens(chunk, sealed, tag, &mut plain) || self.space.write(offset, &plain).is_err() {
            return false;
        }
        let Some(word) = self.ready.get(chunk >> 6) else { return false };
        let before = word.fetch_or(1 << (chunk & 63), Release);
        if before & 1 << (chunk & 63) == 0 {
            self.held_bytes.fetch_add(CHUNK_BYTES as u64, Relaxed);
            if HELD_BYTES.fetch_add(CHUNK_BYTES as u64, Relaxed) >= PLAIN_BYTES_MAX {
                make_room();
            }
        }
        true
    }

    /// Returns true when a chunk is what was sealed, its bytes put into `plain`.
    pub(super) fn opens(&self, chunk: usize, sealed: &[u8], tag: &[u8; TAG_BYTES], plain: &mut [u8]) -> bool {
        u32::try_from(chunk).is_ok_and(|index| self.key.open(index, sealed, tag, plain))
    }

    /// Frees the memory unless a reader uses it.
    fn empty(&self) {
        let Ok(_alone) = self.gate.try_write() else { return };
        self.ready.iter().for_each(|word| word.store(0, Relaxed));
        if self.space.empty().is_ok() {
            HELD_BYTES.fetch_sub(self.held_bytes.swap(0, Relaxed), Relaxed);
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        HELD_BYTES.fetch_sub(*self.held_bytes.get_mut(), Relaxed);
    }
}

/// Empties the segments that were not read for longest, until a quarter is free.
fn make_room() {
    // If the list is locked, the holder of the lock does the work.
    let Ok(holders) = HOLDERS.try_lock() else { return };
    let mut holders: Vec<Arc<Plain>> = holders.iter().filter_map(Weak::upgrade).collect();
    holders.sort_by_key(|holder| holder.last_turn.load(Relaxed));
    for holder in holders {
        if HELD_BYTES.load(Relaxed) <= PLAIN_BYTES_MAX / 4 * 3 {
            return;
        }
        holder.empty();
    }
}

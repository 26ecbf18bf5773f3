//! Results of searches in sealed segments, kept for the next search: sealed messages do not change.
//!
//! In: results by segment and name. Out: the same while the segment is open. Holds: the order in which results were
//! used; the results themselves are held by their segments, so that those of a removed or locked one are gone with it,
//! and those of a filtered logspace belong to its boundary alone.
//! Limits: a number of bytes for all segments together; the results that were not used for longest are removed. A
//! result of more than a sixteenth of that is not kept.

use lookup::{AnyResult, SegmentResults, SegmentView};
use std::{
    any::Any,
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Memory of a result besides its own: its entries in two tables, and its counters.
const RESULT_BYTES: u64 = 256;
/// The part of the cache that one result may have.
const PARTS_MIN: u64 = 16;
/// Fewest entries at which those of segments that are gone are removed.
const SWEEP_MIN: usize = 1024;

/// A cache of results; the default one keeps nothing.
#[derive(Clone, Debug, Default)]
pub struct ResultCache(Option<Arc<Shared>>);

/// The contents of a cache, and how often it helped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResultCacheCounters {
    /// Bytes in use.
    pub bytes: u64,
    /// Results of a segment that were there.
    pub hits: u64,
    /// Results of a segment that had to be computed.
    pub misses: u64,
    /// Results that were removed to make room.
    pub evicted: u64,
}

#[derive(Debug)]
struct Shared {
    bytes_max: u64,
    bytes: Arc<AtomicU64>,
    hits: AtomicU64,
    misses: AtomicU64,
    evicted: AtomicU64,
    uses: Mutex<Uses>,
}

/// The results in the order of their last use.
#[derive(Default)]
struct Uses {
    next: u64,
    by_use: BTreeMap<u64, Use>,
    sweep_at: usize,
}

struct Use {
    segment: Weak<SegmentResults>,
    name: Arc<str>,
    kept: Weak<dyn Any + Send + Sync>,
}

/// A result in its segment.
struct Kept {
    result: AnyResult,
    last_use: AtomicU64,
    _bytes: HeldBytes,
}

/// Bytes that count until the result is gone.
struct HeldBytes(Arc<AtomicU64>, u64);

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Relaxed);
    }
}

impl std::fmt::Debug for Uses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Uses").field("results", &self.by_use.len()).finish_non_exhaustive()
    }
}

impl ResultCache {
    /// A cache of so many bytes; 0: nothing is kept.
    pub fn new(bytes_max: u64) -> ResultCache {
        let shared = || Shared {
            bytes_max,
            bytes: Arc::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            uses: Mutex::default(),
        };
        ResultCache((bytes_max > 0).then(|| Arc::new(shared())))
    }

    /// Returns what it holds, and how often it helped.
    pub fn counters(&self) -> ResultCacheCounters {
        self.0.as_ref().map_or_else(ResultCacheCounters::default, |shared| ResultCacheCounters {
            bytes: shared.bytes.load(Relaxed),
            hits: shared.hits.load(Relaxed),
            misses: shared.misses.load(Relaxed),
            evicted: shared.evicted.load(Relaxed),
        })
    }

    /// Returns a result of a segment.
    pub(crate) fn get<T: Send + Sync + 'static>(&self, view: &dyn SegmentView, name: &str) -> Option<Arc<T>> {
        let (shared, segment) = (self.0.as_ref()?, view.results()?);
        let kept = segment.get(name).and_then(|kept| kept.downcast::<Kept>().ok());
        let result = kept.as_ref().and_then(|kept| kept.result.clone().downcast::<T>().ok());
        match (&kept, &result) {
            (Some(kept), Some(_)) => {
                shared.hits.fetch_add(1, Relaxed);
                shared.locked().used(kept);
            }
            _ => {
                shared.misses.fetch_add(1, Relaxed);
            }
        }
        result
    }

    /// Returns true if a result of `bytes` bytes of this segment would be kept.
    pub(crate) fn accepts(&self, view: &dyn SegmentView, bytes: usize) -> bool {
        let bytes = (bytes as u64).saturating_add(RESULT_BYTES);
        view.results().is_some()
            && self.0.as_ref().is_some_and(|shared| bytes <= shared.bytes_max / PARTS_MIN)
    }

    /// Keeps a result that has `bytes` bytes, if it is accepted with its name.
    pub(crate) fn insert<T: Send + Sync + 'static>(
        &self,
        view: &dyn SegmentView,
        name: &Arc<str>,
        result: Arc<T>,
        bytes: usize,
    ) {
        let (Some(shared), Some(segment)) = (&self.0, view.results()) else { return };
        // Long queries have long names.
        let bytes = bytes.saturating_add(name.len());
        if !self.accepts(view, bytes) {
            return;
        }
        let bytes = bytes as u64 + RESULT_BYTES;
        shared.bytes.fetch_add(bytes, Relaxed);
        let held = HeldBytes(shared.bytes.clone(), bytes);
        let kept = Arc::new(Kept { result, last_use: AtomicU64::new(0), _bytes: held });
        let removed = {
            let mut uses = shared.locked();
            uses.add(segment, name, &kept);
            let replaced = segment.insert(Arc::clone(name), kept);
            (replaced, uses.make_room(shared))
        };
        // Large tables are freed without the lock.
        drop(removed);
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Uses {
    fn add(&mut self, segment: &Arc<SegmentResults>, name: &Arc<str>, kept: &Arc<Kept>) {
        if self.by_use.len() >= self.sweep_at {
            self.by_use.retain(|_, one| one.kept.strong_count() > 0);
            self.sweep_at = SWEEP_MIN.max(2 * self.by_use.len());
        }
        let kept_weak: Weak<Kept> = Arc::downgrade(kept);
        let one = Use { segment: Arc::downgrade(segment), name: Arc::clone(name), kept: kept_weak };
        self.place(kept, one);
    }

    /// Notes that a result was used now.
    fn used(&mut self, kept: &Kept) {
        // It may have been removed meanwhile.
        if let Some(one) = self.by_use.remove(&kept.last_use.load(Relaxed)) {
            self.place(kept, one);
        }
    }

    fn place(&mut self, kept: &Kept, one: Use) {
        self.next += 1;
        kept.last_use.store(self.next, Relaxed);
        self.by_use.insert(self.next, one);
    }

    /// Removes results that were not used for longest until the others fit; returns them.
    fn make_room(&mut self, shared: &Shared) -> Vec<AnyResult> {
        let (mut removed, mut excess) = (Vec::new(), 0u64);
        while shared.bytes.load(Relaxed).saturating_sub(excess) > shared.bytes_max {
            let Some((_, one)) = self.by_use.pop_first() else { break };
            let Some(kept) = one.kept.upgrade() else { continue };
            let segment = one.segment.upgrade();
            if let Some(kept) = segment.and_then(|segment| segment.remove(&one.name, &kept)) {
                excess += kept.downcast_ref::<Kept>().map_or(0, |kept| kept._bytes.1);
                shared.evicted.fetch_add(1, Relaxed);
                removed.push(kept);
            }
        }
        removed
    }
}

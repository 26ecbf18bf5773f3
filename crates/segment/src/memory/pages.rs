//! Memory of the large tables of a segment, reused by the next one.
//!
//! In: how many items are expected; vectors that are no longer needed. Out: empty vectors with capacity, in huge pages:
//! random look-ups in a large table miss the TLB otherwise. Reused memory costs nothing; fresh memory
//! costs a fault and zeroing, a tenth of all that building a segment takes.
//! Holds: at most [`SPARE_BYTES_MAX`] of spare vectors, until [`release_spare_memory`] is called; each for
//! [`SPARE_SEGMENTS`] segments, because one that none of them took will not be needed later. Limits: capacity that
//! is never used is never backed by memory.
#![allow(unsafe_code)]

use std::sync::{
    Mutex, MutexGuard, Once, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// Vectors from this size on use huge pages and are reused.
const LARGE_BYTES_MIN: usize = 4 << 20;
/// Most bytes kept for the next segment: about what building and sealing one of a million messages takes.
const SPARE_BYTES_MAX: usize = 480 << 20;
/// Segments that may end before an unused spare vector is freed: one is built while one waits and one is sealed.
const SPARE_SEGMENTS: u64 = 3;
/// A spare vector may have this many times the requested capacity.
const CAPACITY_TIMES_MAX: usize = 4;
const PAGE_BYTES: usize = 4096;

/// Bytes of all spare vectors.
static SPARE_BYTES: AtomicUsize = AtomicUsize::new(0);
/// Segments that ended.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// Items that large tables are made of.
pub(crate) trait Item: Copy + Send + 'static {
    /// Spare vectors of such items.
    fn spares() -> &'static Spares<Self>;
}

/// For each kind of item, the function that frees the vectors that have been spare since fewer segments than its
/// argument had ended.
static FORGETTERS: Mutex<Vec<fn(u64)>> = Mutex::new(Vec::new());

/// Vectors that wait to be reused.
pub(crate) struct Spares<T> {
    vectors: Mutex<Vec<Spare<T>>>,
    /// Done when the kind is among [`FORGETTERS`].
    known: Once,
}

struct Spare<T> {
    items: Vec<T>,
    /// Number of segments that had ended when it was recycled.
    ended: u64,
}

impl<T> Spares<T> {
    pub(crate) const fn new() -> Spares<T> {
        Spares { vectors: Mutex::new(Vec::new()), known: Once::new() }
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<Spare<T>>) -> R) -> R {
        change(&mut self.vectors.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns memory to the system that has been spare since fewer segments than this had ended.
    fn forget_older(&self, ended: u64) {
        let old: Vec<Spare<T>> =
            self.change(|spares| spares.extract_if(.., |spare| spare.ended < ended).collect());
        for spare in old {
            SPARE_BYTES.fetch_sub(size_of_capacity(&spare.items), Relaxed);
        }
    }
}

macro_rules! items {
    ($($item:ty),*) => {$(
        impl Item for $item {
            fn spares() -> &'static Spares<$item> {
                static SPARES: Spares<$item> = Spares::new();
                &SPARES
            }
        }
    )*};
}

items!(u8, u32, i64);

/// Returns an empty vector with capacity for `count` items.
pub(crate) fn with_capacity<T: Item>(count: usize) -> Vec<T> {
    if count * size_of::<T>() < LARGE_BYTES_MIN {
        return Vec::with_capacity(count);
    }
    let spare = T::spares().change(|spares| {
        let fits = |spare: &Spare<T>| {
            (count..=count.saturating_mul(CAPACITY_TIMES_MAX)).contains(&spare.items.capacity())
        };
        let fitting = spares.iter().enumerate().filter(|(_, spare)| fits(spare));
        let smallest = fitting.min_by_key(|(_, spare)| spare.items.capacity()).map(|(index, _)| index);
        smallest.map(|index| spares.swap_remove(index).items)
    });
    match spare {
        Some(spare) => {
            SPARE_BYTES.fetch_sub(size_of_capacity(&spare), Relaxed);
            spare
        }
        None => fresh(count),
    }
}

/// A vector of `count` equal items.
pub(crate) fn filled<T: Item>(item: T, count: usize) -> Vec<T> {
    let mut items = with_capacity(count);
    items.resize(count, item);
    items
}

/// Keeps the memory of a vector for the next segment, if it is large and the limit allows.
pub(crate) fn recycle<T: Item>(mut items: Vec<T>) {
    let size = size_of_capacity(&items);
    if size < LARGE_BYTES_MIN || SPARE_BYTES.load(Relaxed) + size > SPARE_BYTES_MAX {
        return;
    }
    items.clear();
    SPARE_BYTES.fetch_add(size, Relaxed);
    let ended = ENDED.load(Relaxed);
    let spares = T::spares();
    spares.known.call_once(|| forgetters().push(|ended| T::spares().forget_older(ended)));
    spares.change(|spares| spares.push(Spare { items, ended }));
}

/// Notes that a segment has ended and recycled its memory, and frees what has been spare for too long.
pub(crate) fn end_segment() {
    let ended = ENDED.fetch_add(1, Relaxed) + 1;
    forget_older(ended.saturating_sub(SPARE_SEGMENTS));
}

fn size_of_capacity<T>(items: &Vec<T>) -> usize {
    items.capacity() * size_of::<T>()
}

fn fresh<T>(count: usize) -> Vec<T> {
    let mut items: Vec<T> = Vec::with_capacity(count);
    let start = items.as_mut_ptr().cast::<u8>();
    let skip = start.align_offset(PAGE_BYTES);
    let length = size_of_capacity(&items).saturating_sub(skip) / PAGE_BYTES * PAGE_BYTES;
    // Safety: these are whole pages inside the vector's own capacity, to which nothing was written yet; the advice
    // changes how memory is backed, never what it holds. An error only costs speed.
    unsafe { libc::madvise(start.wrapping_add(skip).cast(), length, libc::MADV_HUGEPAGE) };
    items
}

/// Returns to the system the memory that completed segments left for the next ones. For a time in which none is
/// completed: the next one asks the system again.
pub fn release_spare_memory() {
    forget_older(u64::MAX);
}

/// Returns memory to the system that has been spare since fewer segments than this had ended.
fn forget_older(ended: u64) {
    forgetters().iter().for_each(|forget| forget(ended));
}

fn forgetters() -> MutexGuard<'static, Vec<fn(u64)>> {
    FORGETTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

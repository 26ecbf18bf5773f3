//! Memory of the large tables of a segment.
//!
//! In: how many items are expected. Out: vectors with room for them, in huge pages: a table that grows page by page
//! costs a fault for every 4 KiB, and random look-ups in it miss the TLB. Holds nothing.
//! Limits: room that is never used is never backed by memory.
#![allow(unsafe_code)]

/// Vectors from this size on are asked to lie in huge pages.
const HUGE_BYTES_MIN: usize = 4 << 20;
const PAGE_BYTES: usize = 4096;

/// An empty vector with room for `count` items.
pub(crate) fn with_room<T: Copy>(count: usize) -> Vec<T> {
    let mut items: Vec<T> = Vec::with_capacity(count);
    let size = items.capacity() * size_of::<T>();
    if size >= HUGE_BYTES_MIN {
        let start = items.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(PAGE_BYTES);
        let length = (size - skip) / PAGE_BYTES * PAGE_BYTES;
        // Safety: these are whole pages inside the vector's own capacity, to which nothing was written yet; the
        // advice changes how memory is backed, never what it holds. An error only costs speed.
        unsafe { libc::madvise(start.add(skip).cast(), length, libc::MADV_HUGEPAGE) };
    }
    items
}

/// A vector of `count` equal items.
pub(crate) fn filled<T: Copy>(item: T, count: usize) -> Vec<T> {
    let mut items = with_room(count);
    items.resize(count, item);
    items
}

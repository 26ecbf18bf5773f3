//! Prefetches memory before its use.
//!
//! In: an index in a slice. Out: nothing; the processor begins to load the cache line. Limits: a hint, no more.
//!
//! Safety: a prefetch reads nothing and never faults; `wrapping_add` makes the address without claims about it.
#![allow(unsafe_code)]

/// Begins to load the item at an index; there need not be one.
#[inline]
pub(crate) fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    // Safety: see the module.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_add(index).cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}

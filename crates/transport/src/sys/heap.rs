//! Limits the memory that the allocator keeps.
//!
//! In: nothing. Out: unused pages, to the kernel. Holds: nothing. Limits: GNU's allocator; others are
//! left alone.
#![allow(unsafe_code)]

/// Allocations of this size and more are mapped separately and returned to the kernel when they are freed. A value of
/// our own: left alone, the allocator raises it to the largest that was ever freed (the 19 MiB of checking one
/// password), and from then on each of its heaps, of which every few threads have one, keeps twice as much.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES_MIN: i32 = 4 << 20;
/// Free bytes at the end of a heap that go back to the kernel.
#[cfg(target_env = "gnu")]
const FREE_BYTES_MAX: i32 = 4 << 20;

/// Limits the freed memory that the allocator keeps. Call it at the start of the process, before there are other
/// threads.
pub fn bound_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the calls take numbers and change parameters of the allocator alone (mallopt(3)). One that it refuses stays.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
        libc::mallopt(libc::M_TRIM_THRESHOLD, FREE_BYTES_MAX);
    }
}

/// Returns free memory to the kernel. It takes the allocator's locks for some milliseconds: call it only when much
/// memory has become free.
pub fn release_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes a number, locks what it touches, and moves nothing that is in use (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

//! The memory that the allocator keeps.
//!
//! In: nothing. Out: pages that are not used any more, to the kernel. Holds: nothing. Limits: GNU's allocator; others are
//! left alone.
#![allow(unsafe_code)]

/// Gives free memory back to the kernel. It takes the allocator's locks for some milliseconds, so that it is for moments when
/// much has become free.
pub fn release_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call takes a number, locks what it touches, and moves nothing that is in use (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

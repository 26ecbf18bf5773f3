//! Reused read buffers.
//!
//! In: batches' buffers that are no longer shared. Out: empty buffers with capacity, already backed by
//! memory: writing to fresh pages costs more than copying the bytes. Small ones, for kinds of readers of which there
//! are many, come from the allocator and go back to it. Holds: a list per thread.
//! Limits: [`KEPT`] buffers per thread; more are freed.

use std::{cell::RefCell, sync::Arc};

/// Bytes of one read.
pub const READ_BYTES: usize = 256 << 10;
/// Bytes of one read where many connections send as fast as they can.
pub(crate) const SMALL_READ_BYTES: usize = 64 << 10;
/// Buffers that a thread keeps.
const KEPT: usize = 24;
/// A batch below this part of its buffer gets one of its own size: a slow destination must not pin large, empty buffers.
const COPIED_PART: usize = 4;

thread_local! {
    static POOL: RefCell<Vec<Arc<Vec<u8>>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer with a capacity of at least `size` bytes.
pub(crate) fn take(size: usize) -> Vec<u8> {
    if size < READ_BYTES {
        return Vec::with_capacity(size);
    }
    let free = POOL.with_borrow_mut(|pool| {
        // The most recently used one is most likely still in the processor's cache.
        let index = pool.iter().rposition(|buffer| Arc::strong_count(buffer) == 1)?;
        Arc::try_unwrap(pool.remove(index)).ok()
    });
    let mut buffer = free.unwrap_or_else(|| Vec::with_capacity(READ_BYTES));
    buffer.clear();
    buffer.reserve(size);
    buffer
}

/// Makes a batch's bytes from the first `size` bytes of a buffer, which is recycled later.
pub(crate) fn share(mut buffer: Vec<u8>, size: usize) -> Arc<Vec<u8>> {
    if size < buffer.capacity() / COPIED_PART {
        let copy = Arc::new(buffer[..size].to_vec());
        recycle(buffer);
        return copy;
    }
    buffer.truncate(size);
    let shared = Arc::new(buffer);
    keep(shared.clone());
    shared
}

/// Recycles a buffer that did not become a batch.
pub(crate) fn recycle(buffer: Vec<u8>) {
    keep(Arc::new(buffer));
}

fn keep(buffer: Arc<Vec<u8>>) {
    if (READ_BYTES..=4 * READ_BYTES).contains(&buffer.capacity()) {
        POOL.with_borrow_mut(|pool| {
            if pool.len() >= KEPT {
                pool.remove(0);
            }
            pool.push(buffer);
        });
    }
}

#[cfg(test)]
mod tests;

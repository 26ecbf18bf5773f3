//! Rows for buffers that are returned to the pool.

use super::*;

#[test]
fn a_large_buffer_is_returned_when_its_batch_is_dropped() {
    let mut buffer = take(READ_BYTES);
    buffer.resize(READ_BYTES, b'x');
    let place = buffer.as_ptr();
    let shared = share(buffer, READ_BYTES);
    assert_eq!(shared.as_ptr(), place);
    let other = take(READ_BYTES);
    assert_ne!(other.as_ptr(), place);
    drop(shared);
    let again = take(READ_BYTES);
    assert_eq!((again.as_ptr(), again.len()), (place, 0));
}

#[test]
fn a_small_batch_gets_its_own_bytes() {
    let mut buffer = take(READ_BYTES);
    buffer.extend_from_slice(b"one message, and the start of ano");
    let place = buffer.as_ptr();
    let shared = share(buffer, 12);
    assert_eq!(shared.as_slice(), b"one message,");
    assert!(shared.capacity() < 100);
    let again = take(READ_BYTES);
    assert_eq!(again.as_ptr(), place);
}

#[test]
fn a_small_buffer_is_not_kept() {
    let mut buffer = take(SMALL_READ_BYTES);
    buffer.resize(SMALL_READ_BYTES / 2, b'x');
    let place = buffer.as_ptr();
    let shared = share(buffer, SMALL_READ_BYTES / 2);
    assert_eq!(shared.as_ptr(), place);
    assert_eq!(Arc::strong_count(&shared), 1);
}

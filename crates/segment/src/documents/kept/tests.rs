//! Rows for the cache: what it keeps, and for how long.

use super::*;

/// A block of some bytes that begins with a document.
fn block(first: u32, bytes: usize) -> Arc<Block> {
    let mut block = Block::default();
    (block.documents, block.bytes) = (first..first + 1, vec![0; bytes]);
    Arc::new(block)
}

#[test]
fn the_oldest_go_when_there_is_no_room() {
    let kept = KeptBlocks::new();
    let each = KEPT_BYTES_MAX / 3;
    kept.keep(&block(0, each));
    kept.keep(&block(1, each));
    assert!(kept.find(0).is_some());
    kept.keep(&block(2, each));
    kept.keep(&block(3, each));
    let there: Vec<u32> = (0..4).filter(|first| kept.find(*first).is_some()).collect();
    // Tests beside this one may have blocks of their own, but small ones.
    assert!(there == [0, 2, 3] || there == [2, 3], "{there:?}");
}

#[test]
fn a_segment_takes_its_blocks_along() {
    let (one, other) = (KeptBlocks::new(), KeptBlocks::new());
    one.keep(&block(7, 100));
    other.keep(&block(7, 100));
    let owner = one.owner;
    drop(one);
    assert!(KeptBlocks { owner }.find(7).is_none());
    assert!(other.find(7).is_some());
}

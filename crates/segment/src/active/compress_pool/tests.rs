//! Blocks of several segments at once: each comes back as it was, with the hashes of its messages.

use super::*;
use crate::active::learned::train;
use evidence::merkle;

fn frame(block: usize, index: usize, bytes: usize) -> Vec<u8> {
    let mut frame =
        format!("<34>Nov  1 07:00:{:02} web-{block} app[{index}]: request", index % 60).into_bytes();
    frame.resize(frame.len().max(bytes), b'0' + (index % 10) as u8);
    frame
}

fn received(block: usize, frame_bytes: usize) -> Arc<Received> {
    let mut received = Received::default();
    received.begin(block as u64 * 1000);
    (0..50).for_each(|index| {
        received.push(&frame(block, index, frame_bytes), (index / 7) as i64, 1, b"192.0.2.7")
    });
    Arc::new(received)
}

#[track_caller]
fn check(block: usize, frame_bytes: usize, dictionary: &[u8], pending: &PendingBlock) {
    let compressed = pending.wait().unwrap();
    let mut plain = Vec::new();
    received(block, frame_bytes).frames.encode(&mut plain);
    assert_eq!(compressed.plain_bytes as usize, plain.len());
    let mut decompressor = zstd::bulk::Decompressor::with_dictionary(dictionary).unwrap();
    assert_eq!(decompressor.decompress(&compressed.bytes, plain.len()).unwrap(), plain);
    for (index, leaf) in compressed.leaves.iter().enumerate() {
        let (sequence, raw) = ((block * 1000 + index) as u64, frame(block, index, frame_bytes));
        let want = merkle::leaf(sequence, (index / 7) as i64, b"192.0.2.7", &raw, &mut Vec::new());
        assert_eq!(*leaf, want);
    }
    assert_eq!(compressed.leaves.len(), 50);
}

#[test]
fn every_block_is_returned() {
    let trained = |from: usize| {
        let samples: Vec<Vec<u8>> = (0..2000).map(|index| frame(from + index % 7, index, 0)).collect();
        let dictionary = train(&samples.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert!(!dictionary.is_empty());
        Arc::new(dictionary)
    };
    let dictionaries = [Arc::default(), trained(0), trained(100)];
    // Small ones, full ones, and one that is larger than the buffer after the dictionary.
    let frame_bytes = [0, 2600, 9000];
    let pending_blocks: Vec<PendingBlock> = (0..100)
        .map(|block| send(&received(block, frame_bytes[block % 5 % 3]), &dictionaries[block / 4 % 3]))
        .collect();
    for (block, pending) in pending_blocks.iter().enumerate() {
        check(block, frame_bytes[block % 5 % 3], &dictionaries[block / 4 % 3], pending);
    }
}

#[test]
fn who_waits_learns_of_a_failure() {
    let pending = PendingBlock::default();
    drop(Job { received: None, dictionary: Arc::default(), pending: pending.clone() });
    assert!(pending.is_ready());
    assert!(pending.wait().is_none());
}

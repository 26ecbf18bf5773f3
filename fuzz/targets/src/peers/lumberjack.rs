//! Lumberjack: whatever the bytes and wherever they are split, events lie inside of their batch and memory is bounded.

use wire::{LumberjackBatch, LumberjackReader};

/// Bytes of a batch.
const ROOM: usize = 512;

/// Runs the target.
pub(crate) fn run(input: (u8, u8, Vec<u8>)) {
    let (limit, piece, bytes) = input;
    let limit = usize::from(limit).max(1);
    let (mut reader, mut open) = (LumberjackReader::new(limit), LumberjackBatch::default());
    for part in bytes.chunks(usize::from(piece) + 1) {
        let mut at = 0;
        while at < part.len() || reader.has_more() {
            let Ok(next) = reader.next(part, at, ROOM, &mut open) else { return };
            assert!(next >= at && next <= part.len());
            at = next;
            assert!(open.bytes.len() <= ROOM + limit, "{} bytes are held", open.bytes.len());
            if open.ends.is_none() && !open.is_full(ROOM) {
                continue;
            }
            let whole = reader.split(&mut open);
            assert!(!whole.events.is_empty() && open.events.is_empty() && open.bytes.len() <= limit);
            for event in whole.events {
                assert!(event.range.len() <= limit && event.range.end <= whole.bytes.len());
            }
        }
    }
}

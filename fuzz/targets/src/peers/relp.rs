//! RELP: whatever the bytes and wherever they are split, frames lie inside them and memory is bounded.

use wire::{RelpReader, check_offers, relp_response};

/// Runs the target.
pub(crate) fn run(input: (u8, u8, Vec<u8>)) {
    let (limit, piece, bytes) = input;
    let limit = usize::from(limit).max(1);
    let mut reader = RelpReader::new(limit);
    let mut kept: Vec<u8> = Vec::new();
    for part in bytes.chunks(usize::from(piece) + 1) {
        kept.extend_from_slice(part);
        let mut at = 0;
        loop {
            let Ok((frame, next)) = reader.next(&kept, at) else { return };
            assert!(next >= at && next <= kept.len());
            at = next;
            let Some(frame) = frame else { break };
            assert!(frame.data.len() <= limit && frame.data.end <= kept.len());
            let _ = check_offers(&kept[frame.data.clone()]);
            let _ = relp_response(&kept[frame.data]);
        }
        kept.drain(..at);
        assert!(kept.len() <= limit + 64, "an unbounded tail of {} bytes", kept.len());
    }
}

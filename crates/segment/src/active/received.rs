//! The messages of one block as they were received, with the other data that their hashes cover.
//!
//! In: frames, texts that are not part of them, when and from where they came. Out: the frames; a hash per message.
//! Holds: the frames; time and peer once for successive messages that share them. Limits: the owner ends a block in
//! time.

use crate::format::frame::Frames;
use evidence::{Digest, merkle};

/// Messages of a block.
#[derive(Default)]
pub(crate) struct Received {
    /// Sequence number of the first.
    sequence: u64,
    pub(crate) frames: Frames,
    heard: Vec<Heard>,
}

/// Values that neighbouring messages share.
struct Heard {
    /// Number of messages up to the last of them.
    end: usize,
    received_us: i64,
    peer_id: u32,
    peer: Vec<u8>,
}

impl Received {
    /// Starts over with a message of this sequence number.
    pub(super) fn begin(&mut self, sequence: u64) {
        self.sequence = sequence;
        self.frames.clear();
        self.heard.clear();
    }

    /// Adds a message. A peer is given by its value id in the segment's column.
    pub(super) fn push(&mut self, raw: &[u8], received_us: i64, peer_id: u32, peer: &[u8]) {
        self.frames.push(raw);
        let end = self.frames.len();
        match self.heard.last_mut() {
            Some(last) if (last.received_us, last.peer_id) == (received_us, peer_id) => last.end = end,
            _ => self.heard.push(Heard { end, received_us, peer_id, peer: peer.to_vec() }),
        }
    }

    /// The hashes of the messages, see [`merkle::leaf`].
    pub(super) fn leaves(&self) -> Vec<Digest> {
        let mut leaves = Vec::with_capacity(self.frames.len());
        let mut buffer = Vec::new();
        for heard in &self.heard {
            for index in leaves.len()..heard.end {
                let sequence = self.sequence + index as u64;
                let raw = self.frames.frame(index);
                leaves.push(merkle::leaf(sequence, heard.received_us, &heard.peer, raw, &mut buffer));
            }
        }
        leaves
    }
}

//! The frame that is being gathered.
//!
//! In: messages with consecutive numbers. Out: a frame. Holds: its bytes and the tokens of its messages.
//! Limits: the sender's.

use super::flights::Flight;
use crate::packing::Packer;
use message::Ack;
use wire::sltp::{
    Codec, DATA_HEAD_BYTES, Data, DataLayout, FRAME_HEAD_BYTES, append_item, begin_data, finish_data,
    rewrite_body,
};

/// Bytes of a frame before its messages.
const HEADS: usize = FRAME_HEAD_BYTES + DATA_HEAD_BYTES;

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(super) struct SendStream {
    pub(super) stream: u8,
    pub(super) epoch: u64,
    /// Number of the next message.
    pub(super) next: u64,
    /// It has had a message.
    pub(super) is_used: bool,
    /// The receiver of this connection knows of it.
    pub(super) is_offered: bool,
}

impl SendStream {
    pub(super) fn new(stream: u8, epoch: u64, first: u64) -> SendStream {
        SendStream { stream, epoch, next: first, is_used: false, is_offered: false }
    }
}

/// A frame that may grow.
pub(super) struct OpenBatch {
    pub(super) stream: u8,
    pub(super) from: u64,
    count: usize,
    frame: Vec<u8>,
    acks: Vec<Ack>,
}

impl OpenBatch {
    /// `room` are the bytes that the frame will probably have: a frame that grows is copied again and again.
    pub(super) fn new(stream: u8, from: u64, room: usize) -> OpenBatch {
        let mut frame = Vec::with_capacity(HEADS + room);
        begin_data(&mut frame);
        OpenBatch { stream, from, count: 0, frame, acks: Vec::new() }
    }

    /// Returns whether a message may be its next one.
    pub(super) fn continues(&self, stream: u8, number: u64) -> bool {
        self.stream == stream && self.from + self.count as u64 == number
    }

    pub(super) fn add(&mut self, ack: &Ack, write: impl FnOnce(&mut Vec<u8>)) {
        append_item(&mut self.frame, None, write);
        self.count += 1;
        // The messages of a delivery share a token.
        if !self.acks.last().is_some_and(|last| last.is_same(ack)) {
            self.acks.push(ack.clone());
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn size(&self) -> usize {
        self.frame.len() - HEADS
    }

    /// Returns its messages.
    pub(super) fn body(&self) -> &[u8] {
        &self.frame[HEADS..]
    }

    /// Completes it, compressed up to `best`.
    pub(super) fn close(mut self, packer: Option<&mut Packer>, best: Codec) -> Flight {
        let size = self.size();
        let mut head = Data {
            stream: self.stream,
            codec: Codec::Plain,
            layout: DataLayout::Dense,
            count: self.count as u32,
            size: size as u32,
            from: self.from,
            until: self.from + self.count as u64,
        };
        let packed = packer.and_then(|packer| packer.pack(self.body(), best));
        let frame = match packed {
            Some((codec, body)) => {
                head.codec = codec;
                rewrite_body(&head, codec, &body)
            }
            None => {
                finish_data(&mut self.frame, &head);
                // It stays until it is acknowledged, with many others.
                if self.frame.capacity() > 2 * self.frame.len() {
                    self.frame.shrink_to_fit();
                }
                self.frame
            }
        };
        Flight::data(head, frame, self.acks)
    }
}

//! Frames without an acknowledgement.
//!
//! In: frames in the order in which they go, how much was sent, acknowledgements. Out: bytes to send. Holds: the
//! frames, each with the tokens of its messages. Limits: the caller's.

use super::error::SenderError;
use crate::packing::Unpacker;
use message::Ack;
use std::collections::VecDeque;
use wire::sltp::{
    Codec, DATA_HEAD_BYTES, Data, FRAME_HEAD_BYTES, FrameError, FrameKind, Gap, append_frame, append_item,
    begin_data, finish_data, items, rewrite_body,
};

/// Messages that are acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settled {
    /// How many.
    pub messages: usize,
    /// Bytes of their frames, as they were sent.
    pub bytes: usize,
}

/// A frame on its way.
pub(super) struct Flight {
    stream: u8,
    from: u64,
    until: u64,
    /// Messages that are not delivered: fewer than in the frame when the first ones went another way.
    messages: usize,
    frame: Vec<u8>,
    /// `None` for a gap.
    head: Option<Data>,
    acks: Vec<Ack>,
    /// The receiver got it on an earlier connection: it does not go again, and is acknowledged later.
    is_known: bool,
}

/// All frames on their way, and those that wait.
#[derive(Default)]
pub(super) struct Flights {
    list: VecDeque<Flight>,
    /// Frames that were sent whole or are known to the receiver, from the front.
    sent: usize,
    /// Bytes of those on this connection.
    sent_bytes: usize,
    /// Bytes of the next frame that were sent.
    partial: usize,
    bytes: usize,
    messages: usize,
}

impl Flight {
    pub(super) fn data(head: Data, frame: Vec<u8>, acks: Vec<Ack>) -> Flight {
        let Data { stream, from, until, count, .. } = head;
        Flight {
            stream,
            from,
            until,
            messages: count as usize,
            frame,
            head: Some(head),
            acks,
            is_known: false,
        }
    }

    pub(super) fn gap(gap: &Gap) -> Flight {
        let mut frame = Vec::new();
        append_frame(FrameKind::Gap, &mut frame, |out| gap.encode(out));
        let &Gap { stream, from, until, .. } = gap;
        Flight { stream, from, until, messages: 0, frame, head: None, acks: Vec::new(), is_known: false }
    }
}

impl Flight {
    /// Returns the uncompressed body.
    fn body(&self, head: &Data, unpacker: &mut Unpacker) -> Result<Vec<u8>, FrameError> {
        let mut body = Vec::new();
        let packed = &self.frame[FRAME_HEAD_BYTES + DATA_HEAD_BYTES..];
        unpacker.unpack(head.codec, packed, head.size as usize, &mut body)?;
        Ok(body)
    }

    /// Returns how many of its messages went another way.
    fn delivered(&self, head: &Data) -> usize {
        head.count as usize - self.messages
    }

    fn read(&self, unpacker: &mut Unpacker, mut each: impl FnMut(&[u8])) -> Result<usize, SenderError> {
        let Some(head) = &self.head else { return Ok(0) };
        let body = self.body(head, unpacker)?;
        let list = items(head, &body)?;
        list[self.delivered(head)..].iter().for_each(|item| each(&body[item.range.clone()]));
        Ok(self.messages)
    }

    fn trim(&mut self, unpacker: &mut Unpacker) -> Result<(), SenderError> {
        let Some(head) = &self.head else { return Ok(()) };
        let delivered = self.delivered(head);
        if delivered == 0 {
            return Ok(());
        }
        let body = self.body(head, unpacker)?;
        let list = items(head, &body)?;
        let mut frame = Vec::new();
        begin_data(&mut frame);
        for item in &list[delivered..] {
            append_item(&mut frame, None, |out| out.extend_from_slice(&body[item.range.clone()]));
        }
        let size = (frame.len() - FRAME_HEAD_BYTES - DATA_HEAD_BYTES) as u32;
        let from = head.from + delivered as u64;
        let head = Data { codec: Codec::Plain, count: self.messages as u32, size, from, ..head.clone() };
        finish_data(&mut frame, &head);
        (self.from, self.frame, self.head) = (from, frame, Some(head));
        Ok(())
    }
}

impl Flights {
    pub(super) fn push(&mut self, flight: Flight) {
        self.bytes += flight.frame.len();
        self.messages += flight.messages;
        self.list.push_back(flight);
    }

    /// Returns whether the next byte is the first one of a frame.
    pub(super) fn is_at_border(&self) -> bool {
        self.partial == 0
    }

    /// Returns the bytes of the next frame, if the window allows it. One frame is always allowed.
    pub(super) fn output(&self, window: usize) -> &[u8] {
        let Some(flight) = self.list.get(self.sent) else { return &[] };
        let fits = self.sent_bytes == 0 || self.sent_bytes + flight.frame.len() <= window || self.partial > 0;
        if fits { &flight.frame[self.partial..] } else { &[] }
    }

    pub(super) fn sent(&mut self, size: usize) {
        let Some(flight) = self.list.get(self.sent) else { return debug_assert_eq!(size, 0) };
        self.partial += size;
        debug_assert!(self.partial <= flight.frame.len());
        if self.partial == flight.frame.len() {
            self.sent_bytes += self.partial;
            (self.sent, self.partial) = (self.sent + 1, 0);
            self.skip_known();
        }
    }

    /// Notes where the receiver resumes a stream.
    pub(super) fn resume(&mut self, stream: u8, next: u64) {
        debug_assert!(!self.has_sent(), "a connection begins with it");
        for flight in self.list.iter_mut().filter(|flight| flight.stream == stream) {
            flight.is_known = flight.until <= next && flight.from < next;
        }
    }

    /// Skips frames that the receiver got on an earlier connection.
    pub(super) fn skip_known(&mut self) {
        while self.list.get(self.sent).is_some_and(|flight| flight.is_known) {
            self.sent += 1;
        }
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.sent < self.list.len()
    }

    pub(super) fn has_sent(&self) -> bool {
        self.sent > 0 || self.partial > 0
    }

    pub(super) fn unsent_bytes(&self) -> usize {
        let unsent: usize = self.list.range(self.sent..).map(|flight| flight.frame.len()).sum();
        unsent - self.partial
    }

    pub(super) fn messages(&self) -> usize {
        self.messages
    }

    /// Returns the payload of the largest frame.
    pub(super) fn largest(&self) -> Option<usize> {
        self.list.iter().map(|flight| flight.frame.len() - FRAME_HEAD_BYTES).max()
    }

    /// Returns the first number of a stream.
    pub(super) fn lowest(&self, stream: u8) -> Option<u64> {
        self.list.iter().find(|flight| flight.stream == stream).map(|flight| flight.from)
    }

    /// Starts again with the first frame: the connection was lost.
    pub(super) fn rewind(&mut self) {
        (self.sent, self.sent_bytes, self.partial) = (0, 0, 0);
        self.list.iter_mut().for_each(|flight| flight.is_known = false);
    }

    /// Releases the messages of a stream below a number, of frames that were sent.
    pub(super) fn settle(&mut self, stream: u8, below: u64) -> Settled {
        let mut settled = Settled::default();
        let mut at = 0;
        while at < self.sent {
            let flight = &self.list[at];
            if flight.stream != stream {
                at += 1;
                continue;
            }
            if flight.until > below {
                break;
            }
            // Nearly always the first one.
            let Some(flight) = self.list.remove(at) else { break };
            self.sent -= 1;
            self.sent_bytes -= if flight.is_known { 0 } else { flight.frame.len() };
            self.bytes -= flight.frame.len();
            self.messages -= flight.messages;
            settled.messages += flight.messages;
            settled.bytes += flight.frame.len();
        }
        settled
    }

    /// Calls `each` with every undelivered message of a frame. Returns how many; `None` when there is no such frame.
    pub(super) fn read(
        &self,
        place: usize,
        unpacker: &mut Unpacker,
        each: impl FnMut(&[u8]),
    ) -> Result<Option<usize>, SenderError> {
        let Some(flight) = self.list.get(place) else { return Ok(None) };
        flight.read(unpacker, each).map(Some)
    }

    /// Releases the first `count` messages, which went another way, and gaps before the next one. Returns the number of
    /// frames that are done.
    pub(super) fn settle_first(&mut self, mut count: usize) -> usize {
        debug_assert!(!self.has_sent(), "nothing goes two ways at a time");
        self.messages -= count;
        let mut frames = 0;
        while let Some(flight) = self.list.front_mut() {
            let delivered = count.min(flight.messages);
            flight.messages -= delivered;
            count -= delivered;
            if flight.messages > 0 {
                break;
            }
            self.bytes -= flight.frame.len();
            self.list.pop_front();
            frames += 1;
        }
        debug_assert_eq!(count, 0, "no more messages are delivered than there are");
        frames
    }

    /// Removes messages from the first frame that went another way.
    pub(super) fn trim(&mut self, unpacker: &mut Unpacker) {
        debug_assert!(!self.has_sent(), "frames change only before they are sent");
        let Some(flight) = self.list.front_mut() else { return };
        let before = flight.frame.len();
        // A frame that cannot be inflated goes whole: its first messages come twice, and none is lost.
        if flight.trim(unpacker).is_ok() {
            self.bytes = self.bytes - before + flight.frame.len();
        }
    }

    /// Inflates the frames that a receiver cannot read.
    pub(super) fn unpack_above(&mut self, best: Codec, unpacker: &mut Unpacker) -> Result<(), SenderError> {
        debug_assert!(!self.has_sent(), "frames change only before they are sent");
        for flight in &mut self.list {
            let Some(head) = flight.head.as_mut().filter(|head| head.codec > best) else { continue };
            let mut body = Vec::new();
            let packed = &flight.frame[FRAME_HEAD_BYTES + DATA_HEAD_BYTES..];
            unpacker.unpack(head.codec, packed, head.size as usize, &mut body)?;
            head.codec = Codec::Plain;
            let plain = rewrite_body(head, Codec::Plain, &body);
            self.bytes = self.bytes - flight.frame.len() + plain.len();
            flight.frame = plain;
        }
        Ok(())
    }

    /// Gives everything up; returns the number of messages.
    pub(super) fn abandon(&mut self) -> usize {
        let lost = self.messages;
        self.list.drain(..).flat_map(|flight| flight.acks).for_each(|ack| ack.fail());
        *self = Flights::default();
        lost
    }
}

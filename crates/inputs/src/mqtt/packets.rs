//! Packets of a stream, of which long ones are cut.
//!
//! In: bytes of a broker, split anywhere. Out: whole packets. Holds: how much of a long packet was left out.
//! Limits: of a packet no more is kept than the limit; a packet other than a publication may not be longer than
//! [`OTHER_BYTES_MAX`].

use transport::{
    endpoint::Breach,
    mqtt::{self, Packet},
};

/// Longest packet of a broker that is no publication.
const OTHER_BYTES_MAX: usize = 64;
/// Kind of a packet that is a publication, in the upper half of its first byte.
const PUBLICATION: u8 = 0x30;

/// Splits a stream into packets.
#[derive(Default)]
pub(super) struct Packets {
    /// Bytes of the packet at the end of the stream that were left out.
    cut: usize,
}

impl Packets {
    /// Returns the next packet behind `start`, and where it ends; `None` when it is not whole. Of a packet whose body has more
    /// than `rest_max` bytes only those are kept.
    pub(super) fn next<'a>(
        &mut self,
        received: &'a mut Vec<u8>,
        start: usize,
        rest_max: usize,
    ) -> Result<Option<(Packet<'a>, usize)>, Breach> {
        let Some(head) = mqtt::decode_head(&received[start..])? else { return Ok(None) };
        if head.first & 0xf0 != PUBLICATION && head.rest > OTHER_BYTES_MAX {
            return Err(Breach("a packet is too long"));
        }
        let begin = start + head.bytes;
        let kept = head.rest.min(rest_max);
        let left_out = head.rest - kept;
        let more = received.len().saturating_sub(begin + kept).min(left_out - self.cut);
        if more > 0 {
            received.drain(begin + kept..begin + kept + more);
            self.cut += more;
        }
        if self.cut < left_out || received.len() < begin + kept {
            return Ok(None);
        }
        self.cut = 0;
        let end = begin + kept;
        mqtt::decode_body(head.first, &received[begin..end]).map(|packet| Some((packet, end)))
    }
}

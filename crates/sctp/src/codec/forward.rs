//! FORWARD-TSN (RFC 3758, 3.2) and I-FORWARD-TSN (RFC 8260, 2.3.1): what the sender has abandoned.
//!
//! In: the value of a chunk. Out: the new cumulative TSN, and the messages that streams must not wait for.

use super::bytes::{append_item, u16_at, u32_at};
use super::data::Numbering;
use super::kind;

/// The last message of a stream that is abandoned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SkippedMessage {
    /// The stream.
    pub stream: u16,
    /// The number of the message; of the sort that the chunk has.
    pub numbering: Numbering,
    /// An unordered message: only I-FORWARD-TSN names them.
    pub unordered: bool,
}

/// A new cumulative TSN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForwardTsn {
    /// Nothing up to this TSN will be sent again.
    pub cumulative: u32,
    /// The abandoned messages, the last one of each stream.
    pub skipped: Vec<SkippedMessage>,
}

impl ForwardTsn {
    pub(super) fn decode(kind: u8, value: &[u8]) -> Option<ForwardTsn> {
        let cumulative = u32_at(value, 0)?;
        let size = if kind == kind::FORWARD_TSN { 4 } else { 8 };
        let list = value.get(4..).filter(|list| list.len().is_multiple_of(size))?;
        let skipped = list.chunks_exact(size).map_while(|entry| {
            let stream = u16_at(entry, 0)?;
            Some(if kind == kind::FORWARD_TSN {
                let numbering = Numbering::Sequence(u16_at(entry, 2)?);
                SkippedMessage { stream, numbering, unordered: false }
            } else {
                let numbering = Numbering::Message { id: u32_at(entry, 4)?, fragment: 0 };
                SkippedMessage { stream, numbering, unordered: u16_at(entry, 2)? & 1 == 1 }
            })
        });
        Some(ForwardTsn { cumulative, skipped: skipped.collect() })
    }

    /// Encodes it as `kind`, which every entry has to fit.
    pub(super) fn encode(&self, kind: u8, out: &mut Vec<u8>) {
        append_item(out, [kind, 0], |out| {
            out.extend_from_slice(&self.cumulative.to_be_bytes());
            for skipped in &self.skipped {
                match (kind, skipped.numbering) {
                    (kind::FORWARD_TSN, Numbering::Sequence(sequence)) => {
                        out.extend_from_slice(&skipped.stream.to_be_bytes());
                        out.extend_from_slice(&sequence.to_be_bytes());
                    }
                    (kind::I_FORWARD_TSN, Numbering::Message { id, .. }) => {
                        out.extend_from_slice(&skipped.stream.to_be_bytes());
                        out.extend_from_slice(&u16::from(skipped.unordered).to_be_bytes());
                        out.extend_from_slice(&id.to_be_bytes());
                    }
                    _ => {}
                }
            }
        });
    }
}

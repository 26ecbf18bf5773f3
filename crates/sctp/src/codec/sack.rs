//! SACK (RFC 9260, 3.3.4): what has arrived.
//!
//! In: the value of a chunk. Out: blocks and doubles. Limits: a count that leaves the chunk is malformed; blocks are
//! as the peer sent them, in any order.

use super::bytes::{append_item, u16_at, u32_at};
use super::kind;

/// A run of TSNs that have arrived above a gap, as offsets from the cumulative TSN; both ends belong to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GapBlock {
    /// Offset of the first TSN.
    pub start: u16,
    /// Offset of the last TSN.
    pub end: u16,
}

/// The state of a receiver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sack {
    /// Everything up to this TSN has arrived.
    pub cumulative: u32,
    /// Bytes that the receiver has room for.
    pub window: u32,
    /// Runs above it that have arrived as well.
    pub gaps: Vec<GapBlock>,
    /// TSNs that have arrived more than once since the last SACK.
    pub duplicates: Vec<u32>,
}

impl Sack {
    pub(super) fn decode(value: &[u8]) -> Option<Sack> {
        let (gaps, duplicates) = (usize::from(u16_at(value, 8)?), usize::from(u16_at(value, 10)?));
        let duplicates_at = 12 + gaps * 4;
        value.get(..duplicates_at + duplicates * 4)?;
        let gap = |index| {
            let at = 12 + index * 4;
            Some(GapBlock { start: u16_at(value, at)?, end: u16_at(value, at + 2)? })
        };
        Some(Sack {
            cumulative: u32_at(value, 0)?,
            window: u32_at(value, 4)?,
            gaps: (0..gaps).map_while(gap).collect(),
            duplicates: (0..duplicates).map_while(|index| u32_at(value, duplicates_at + index * 4)).collect(),
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        append_item(out, [kind::SACK, 0], |out| {
            let count = |length: usize| u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
            out.extend_from_slice(&self.cumulative.to_be_bytes());
            out.extend_from_slice(&self.window.to_be_bytes());
            out.extend_from_slice(&count(self.gaps.len()));
            out.extend_from_slice(&count(self.duplicates.len()));
            for gap in &self.gaps {
                out.extend_from_slice(&gap.start.to_be_bytes());
                out.extend_from_slice(&gap.end.to_be_bytes());
            }
            self.duplicates.iter().for_each(|tsn| out.extend_from_slice(&tsn.to_be_bytes()));
        });
    }
}

//! DATA (RFC 9260, 3.3.1) and I-DATA (RFC 8260, 2.1): a message or a fragment of one.
//!
//! In: the value of a chunk. Out: a borrowed fragment. Limits: a chunk without payload is malformed.

use super::bytes::{append_item, u16_at, u32_at};
use super::kind;

/// Bits of the flags.
const ENDING: u8 = 0x01;
const BEGINNING: u8 = 0x02;
const UNORDERED: u8 = 0x04;
const IMMEDIATE: u8 = 0x08;

/// The part of its message that a chunk holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fragment {
    /// All of it.
    Whole,
    /// The first one.
    First,
    /// One between the first and the last.
    Middle,
    /// The last one.
    Last,
}

impl Fragment {
    /// Returns the fragment with this index of so many.
    pub fn of(index: usize, count: usize) -> Fragment {
        match (index, index + 1 == count) {
            (0, true) => Fragment::Whole,
            (0, false) => Fragment::First,
            (_, true) => Fragment::Last,
            (_, false) => Fragment::Middle,
        }
    }

    /// Returns whether a message begins here.
    pub fn begins(self) -> bool {
        matches!(self, Fragment::Whole | Fragment::First)
    }

    /// Returns whether a message ends here.
    pub fn ends(self) -> bool {
        matches!(self, Fragment::Whole | Fragment::Last)
    }

    fn from_flags(flags: u8) -> Fragment {
        match (flags & BEGINNING != 0, flags & ENDING != 0) {
            (true, true) => Fragment::Whole,
            (true, false) => Fragment::First,
            (false, true) => Fragment::Last,
            (false, false) => Fragment::Middle,
        }
    }

    fn flags(self) -> u8 {
        let beginning = if self.begins() { BEGINNING } else { 0 };
        beginning | if self.ends() { ENDING } else { 0 }
    }
}

/// The number of a message in its stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// Of DATA: the sequence number of an ordered message; fragments follow each other by TSN.
    Sequence(u16),
    /// Of I-DATA: the number of any message, and that of the fragment in it.
    Message {
        /// The number of the message.
        id: u32,
        /// The index of the fragment.
        fragment: u32,
    },
}

/// A chunk with payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data<'a> {
    /// The transmission sequence number.
    pub tsn: u32,
    /// The stream.
    pub stream: u16,
    /// The number in the stream; it also says whether the chunk is DATA or I-DATA.
    pub numbering: Numbering,
    /// The protocol of the payload, which SCTP only carries. I-DATA has it in the first fragment, 0 in others.
    pub protocol: u32,
    /// The part of the message.
    pub fragment: Fragment,
    /// The message does not wait for others of its stream.
    pub unordered: bool,
    /// The sender wants a SACK at once.
    pub immediate: bool,
    /// The bytes.
    pub payload: &'a [u8],
}

impl<'a> Data<'a> {
    pub(super) fn decode(kind: u8, flags: u8, value: &'a [u8]) -> Option<Data<'a>> {
        let fragment = Fragment::from_flags(flags);
        let (numbering, protocol, head) = if kind == kind::DATA {
            (Numbering::Sequence(u16_at(value, 6)?), u32_at(value, 8)?, 12)
        } else {
            let (id, last) = (u32_at(value, 8)?, u32_at(value, 12)?);
            let (fragment, protocol) = if fragment.begins() { (0, last) } else { (last, 0) };
            (Numbering::Message { id, fragment }, protocol, 16)
        };
        Some(Data {
            tsn: u32_at(value, 0)?,
            stream: u16_at(value, 4)?,
            numbering,
            protocol,
            fragment,
            unordered: flags & UNORDERED != 0,
            immediate: flags & IMMEDIATE != 0,
            payload: value.get(head..).filter(|payload| !payload.is_empty())?,
        })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let mut flags = self.fragment.flags();
        flags |= if self.unordered { UNORDERED } else { 0 } | if self.immediate { IMMEDIATE } else { 0 };
        let kind = match self.numbering {
            Numbering::Sequence(_) => kind::DATA,
            Numbering::Message { .. } => kind::I_DATA,
        };
        append_item(out, [kind, flags], |out| {
            out.extend_from_slice(&self.tsn.to_be_bytes());
            out.extend_from_slice(&self.stream.to_be_bytes());
            match self.numbering {
                Numbering::Sequence(sequence) => {
                    out.extend_from_slice(&sequence.to_be_bytes());
                    out.extend_from_slice(&self.protocol.to_be_bytes());
                }
                Numbering::Message { id, fragment } => {
                    let last = if self.fragment.begins() { self.protocol } else { fragment };
                    out.extend_from_slice(&[0; 2]);
                    out.extend_from_slice(&id.to_be_bytes());
                    out.extend_from_slice(&last.to_be_bytes());
                }
            }
            out.extend_from_slice(self.payload);
        });
    }
}

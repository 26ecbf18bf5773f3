//! INIT and INIT ACK (RFC 9260, 3.3.2 and 3.3.3): how an association begins.
//!
//! In: the value of a chunk. Out: the fixed fields; parameters are read as they are asked for.

use super::bytes::{append_item, u16_at, u32_at};
use super::parameter::{Parameter, Parameters};

/// Fields of both chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Init<'a> {
    /// The tag that packets to the sender of this chunk must have.
    pub tag: u32,
    /// Bytes that it has room for.
    pub window: u32,
    /// Streams that it wants to send on.
    pub outbound_streams: u16,
    /// Streams that it takes at most.
    pub inbound_streams: u16,
    /// The TSN of its first chunk with payload.
    pub tsn: u32,
    /// Everything else.
    pub parameters: Parameters<'a>,
}

impl<'a> Init<'a> {
    pub(super) fn decode(value: &'a [u8]) -> Option<Init<'a>> {
        Some(Init {
            tag: u32_at(value, 0)?,
            window: u32_at(value, 4)?,
            outbound_streams: u16_at(value, 8)?,
            inbound_streams: u16_at(value, 10)?,
            tsn: u32_at(value, 12)?,
            parameters: Parameters::new(value.get(16..)?),
        })
    }

    pub(super) fn encode(&self, kind: u8, out: &mut Vec<u8>) {
        append_item(out, [kind, 0], |out| {
            out.extend_from_slice(&self.tag.to_be_bytes());
            out.extend_from_slice(&self.window.to_be_bytes());
            out.extend_from_slice(&self.outbound_streams.to_be_bytes());
            out.extend_from_slice(&self.inbound_streams.to_be_bytes());
            out.extend_from_slice(&self.tsn.to_be_bytes());
            out.extend_from_slice(self.parameters.bytes());
        });
    }

    /// Encodes parameters for [`Init::parameters`].
    pub fn encode_parameters(parameters: &[Parameter<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        parameters.iter().for_each(|parameter| parameter.encode(&mut bytes));
        bytes
    }
}

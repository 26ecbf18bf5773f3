//! A packet: the common header, its checksum, and room for chunks (RFC 9260, 3.1).
//!
//! In: a datagram. Out: the header and chunks; or the other way. Limits: a builder says how much room is left, and its
//! user asks before it adds.

use super::bytes::{u16_at, u32_at};
use super::chunk::{Chunk, Chunks};
use std::fmt;

/// Size of the common header.
pub const COMMON_HEADER_BYTES: usize = 12;
/// Offset of the checksum in it.
const CHECKSUM_AT: usize = 8;

/// A packet whose checksum is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// The tag that the receiver has chosen.
    pub tag: u32,
    body: &'a [u8],
}

/// Why a datagram is not a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketError {
    /// It is shorter than a header and a chunk.
    TooShort,
    /// A port is 0.
    Port,
    /// The checksum is wrong.
    Checksum,
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PacketError::TooShort => "the datagram is shorter than a packet",
            PacketError::Port => "a port of the packet is 0",
            PacketError::Checksum => "the checksum of the packet is wrong",
        })
    }
}

impl std::error::Error for PacketError {}

impl<'a> Packet<'a> {
    /// Reads a datagram.
    pub fn parse(bytes: &'a [u8]) -> Result<Packet<'a>, PacketError> {
        let body = bytes.get(COMMON_HEADER_BYTES..).filter(|body| body.len() >= 4);
        let body = body.ok_or(PacketError::TooShort)?;
        let port = |at| u16_at(bytes, at).filter(|port| *port != 0).ok_or(PacketError::Port);
        let head = (u32_at(bytes, 4), bytes.get(CHECKSUM_AT..COMMON_HEADER_BYTES));
        let (Some(tag), Some(sum)) = head else { return Err(PacketError::TooShort) };
        if sum != checksum(bytes).to_le_bytes() {
            return Err(PacketError::Checksum);
        }
        Ok(Packet { source_port: port(0)?, destination_port: port(2)?, tag, body })
    }

    /// Returns the chunks.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks::new(self.body)
    }
}

/// CRC32c with zeros in place of the checksum.
fn checksum(packet: &[u8]) -> u32 {
    let sum = crc32c::crc32c(&packet[..CHECKSUM_AT]);
    let sum = crc32c::crc32c_append(sum, &[0; 4]);
    crc32c::crc32c_append(sum, &packet[COMMON_HEADER_BYTES..])
}

/// A packet being filled.
#[derive(Debug)]
pub struct PacketBuilder {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl PacketBuilder {
    /// Begins a packet of at most so many bytes.
    pub fn new(source_port: u16, destination_port: u16, tag: u32, bytes_max: usize) -> PacketBuilder {
        let mut bytes = Vec::with_capacity(bytes_max);
        bytes.extend_from_slice(&source_port.to_be_bytes());
        bytes.extend_from_slice(&destination_port.to_be_bytes());
        bytes.extend_from_slice(&tag.to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        PacketBuilder { bytes, bytes_max }
    }

    /// Returns the bytes that are left for chunks and their padding.
    pub fn room(&self) -> usize {
        self.bytes_max.saturating_sub(self.bytes.len()) & !3
    }

    /// Returns whether there is no chunk yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == COMMON_HEADER_BYTES
    }

    /// Returns the bytes until now.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a chunk, for which the caller knows that there is room.
    pub fn push(&mut self, chunk: &Chunk<'_>) {
        chunk.encode(&mut self.bytes);
    }

    /// Adds chunks that are encoded already.
    pub fn push_encoded(&mut self, chunks: &[u8]) {
        self.bytes.extend_from_slice(chunks);
    }

    /// Returns the packet with its checksum.
    pub fn finish(mut self) -> Vec<u8> {
        let sum = checksum(&self.bytes).to_le_bytes();
        self.bytes[CHECKSUM_AT..COMMON_HEADER_BYTES].copy_from_slice(&sum);
        self.bytes
    }
}

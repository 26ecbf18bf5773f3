//! Packets: a length of three bytes, a number, a payload; and the fields in a payload.
//!
//! In: bytes of a connection. Out: payloads, and back. Holds: nothing.
//! Limits: a payload from a server has at most [`ANSWER_BYTES_MAX`] bytes; ours are split into packets as the
//! protocol requires.

use std::{fmt, io};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longest payload that is read: a row of a table may have long texts.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Longest payload of one packet; a longer one, or one of exactly that length, continues in the next.
const PACKET_BYTES_MAX: usize = 0xff_ffff;

/// The reason why the other side could not be understood.
#[derive(Debug)]
pub enum PacketError {
    /// The connection broke.
    Io(io::Error),
    /// It violates the protocol.
    Protocol(&'static str),
}

impl From<io::Error> for PacketError {
    fn from(error: io::Error) -> PacketError {
        PacketError::Io(error)
    }
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PacketError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("the server closed the connection")
            }
            PacketError::Io(error) => error.fmt(f),
            PacketError::Protocol(what) => write!(f, "this is no MySQL server: {what}"),
        }
    }
}

/// Reads a payload, of one packet or several. `number` is the one that it must have, and then that of the next.
pub(super) async fn read<S>(stream: &mut S, number: &mut u8, payload: &mut Vec<u8>) -> Result<(), PacketError>
where
    S: AsyncRead + Unpin + ?Sized,
{
    payload.clear();
    loop {
        let mut head = [0; 4];
        stream.read_exact(&mut head).await?;
        let [low, middle, high, found] = head;
        let size = usize::from(low) | usize::from(middle) << 8 | usize::from(high) << 16;
        let start = payload.len();
        if start + size > ANSWER_BYTES_MAX {
            return Err(PacketError::Protocol("its answer is too long"));
        }
        if found != *number {
            return Err(PacketError::Protocol("its packets are not in order"));
        }
        *number = number.wrapping_add(1);
        payload.resize(start + size, 0);
        stream.read_exact(payload.get_mut(start..).unwrap_or_default()).await?;
        if size < PACKET_BYTES_MAX {
            return Ok(());
        }
    }
}

/// Appends a payload to the outgoing bytes, as packets.
pub(super) fn frame(payload: &[u8], number: &mut u8, out: &mut Vec<u8>) {
    let mut rest = payload;
    loop {
        let (part, after) = rest.split_at(rest.len().min(PACKET_BYTES_MAX));
        let size = u32::try_from(part.len()).expect("a packet is shorter than 16 MiB").to_le_bytes();
        out.extend_from_slice(&size[..3]);
        out.push(*number);
        *number = number.wrapping_add(1);
        out.extend_from_slice(part);
        rest = after;
        if part.len() < PACKET_BYTES_MAX {
            return;
        }
    }
}

/// The fields of a payload that are not read yet. Each method returns `None` when there are not enough bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of at most eight bytes, the lowest first.
    pub(super) fn number(&mut self, size: usize) -> Option<u64> {
        let bytes = self.bytes(size)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads a length-encoded number.
    pub(super) fn counted_number(&mut self) -> Option<u64> {
        match self.number(1)? {
            number @ 0..=0xfa => Some(number),
            0xfc => self.number(2),
            0xfd => self.number(3),
            0xfe => self.number(8),
            _ => None,
        }
    }

    /// Bytes with their count before them.
    pub(super) fn counted_bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.counted_number()?;
        self.bytes(usize::try_from(count).ok()?)
    }

    /// Bytes up to a zero, which is skipped.
    pub(super) fn until_zero(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.bytes(end)?;
        self.bytes(1)?;
        Some(taken)
    }
}

/// Appends a length-encoded number.
pub fn put_counted_number(number: usize, out: &mut Vec<u8>) {
    let bytes = (number as u64).to_le_bytes();
    match number {
        0..=0xfa => out.push(bytes[0]),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&bytes);
        }
    }
}

//! GELF over UDP: assembles chunks and decompresses payloads.
//!
//! In: datagrams. Out: complete JSON texts. Holds: waiting chunks, a buffer.
//! Limits: those of [`Chunks`]; a payload that decompresses to more than [`UNPACKED_BYTES_MAX`] is refused: a
//! kilobyte can expand to a gigabyte.

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::{
    io::{self, Read},
    net::SocketAddr,
    time::Instant,
};
use wire::{Chunks, Payload};

/// Largest text of one message.
pub(crate) const UNPACKED_BYTES_MAX: usize = 1 << 20;

/// The GELF part of one datagram reader.
pub(super) struct Assembler {
    chunks: Chunks,
    started: Instant,
    unpacked: Vec<u8>,
}

impl Assembler {
    pub(super) fn new() -> Assembler {
        Assembler { chunks: Chunks::default(), started: Instant::now(), unpacked: Vec::new() }
    }

    /// Takes a datagram; passes on the text that it completes. Returns false when it is not GELF.
    pub(super) fn take(
        &mut self,
        datagram: &[u8],
        sender: Option<SocketAddr>,
        now: Instant,
        whole: impl FnOnce(&[u8]),
    ) -> bool {
        let since = now.saturating_duration_since(self.started);
        match self.chunks.take(datagram, sender, since) {
            Payload::Waiting => true,
            Payload::Broken => false,
            Payload::Whole(payload) => unpack(payload, &mut self.unpacked).map(whole).is_ok(),
            Payload::Joined(payload) => unpack(&payload, &mut self.unpacked).map(whole).is_ok(),
        }
    }

    /// Messages that were given up because chunks are missing, since the last call.
    pub(super) fn take_lost(&mut self, now: Instant) -> usize {
        self.chunks.expire(now.saturating_duration_since(self.started));
        self.chunks.take_lost()
    }
}

/// The text of a payload: plain, or as gzip or zlib by its first bytes.
fn unpack<'a>(payload: &'a [u8], buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    buffer.clear();
    let limit = UNPACKED_BYTES_MAX as u64 + 1;
    match payload {
        [0x1f, 0x8b, ..] => MultiGzDecoder::new(payload).take(limit).read_to_end(buffer)?,
        // The second byte makes the first two a multiple of 31.
        [0x78, second, ..] if (0x7800 + u16::from(*second)).is_multiple_of(31) => {
            ZlibDecoder::new(payload).take(limit).read_to_end(buffer)?
        }
        _ => return Ok(payload),
    };
    if buffer.len() > UNPACKED_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "unpacks to too much"));
    }
    Ok(buffer)
}

#[cfg(test)]
mod tests;

//! `gelf()` over UDP as a target: compressed, and split into chunks when too large for a datagram.
//!
//! In: rendered JSON texts. Out: datagrams. Holds: the socket, the number of the last message.
//! Limits: a message of more than 128 chunks is dropped and logged; for the rest, UDP guarantees nothing.

use super::connect::{Connection, connect_first};
use crate::{
    line::Target,
    options::{DestinationDriver, GelfTarget, Packing},
    output::Output,
};
use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
use socket2::Socket;
use std::{
    io::{self, Write},
    time::{SystemTime, UNIX_EPOCH},
};
use transport::InternalLog;
use wire::gelf_chunks;

/// A text below this size gains nothing by packing.
const PACKED_BYTES_MIN: usize = 512;

/// A GELF target.
pub(crate) struct Gelf {
    target: GelfTarget,
    log: InternalLog,
    socket: Option<Socket>,
    /// Id of the last message in chunks: no two senders should use the same.
    id: u64,
}

impl Gelf {
    pub(crate) fn new(target: GelfTarget, log: InternalLog) -> Gelf {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let id = first_id(std::process::id(), since.as_nanos() as u64);
        Gelf { target, log, socket: None, id }
    }

    fn open(&self) -> io::Result<Socket> {
        match connect_first(&self.target.socket)? {
            Connection::Datagrams(socket) => Ok(socket),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn send(&mut self, socket: &Socket, text: &[u8]) -> io::Result<()> {
        // The terminator used over TCP is not part of a datagram.
        let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let text = &text[..end];
        let packing = if text.len() < PACKED_BYTES_MIN { Packing::None } else { self.target.packing };
        let packed = pack(text, packing)?;
        self.id = self.id.wrapping_add(1);
        let sent =
            gelf_chunks(&packed, self.id, self.target.chunk_bytes, |datagram| match socket.send(datagram) {
                Ok(_) => Ok(()),
                // The answer to an earlier datagram: nothing listens now.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                Err(error) => Err(error),
            });
        match sent {
            Ok(true) => Ok(()),
            Ok(false) => {
                let size = packed.len();
                self.log.warning(&format!(
                    "A message needs more than 128 chunks of GELF, dropped; size='{size}'"
                ));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns a number that differs between senders: by their processes, and by the time at which they begin.
fn first_id(process: u32, since_ns: u64) -> u64 {
    (u64::from(process) << 40) ^ since_ns
}

fn pack(text: &[u8], packing: Packing) -> io::Result<Vec<u8>> {
    match packing {
        Packing::None => Ok(text.to_vec()),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text)?;
            encoder.finish()
        }
        Packing::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text)?;
            encoder.finish()
        }
    }
}

impl Target for Gelf {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => self.open()?,
        };
        while let Some(message) = output.next_message() {
            let size = message.len();
            match self.send(&socket, message) {
                Ok(()) => output.advance(size),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.socket = Some(socket);
                    return Err(error);
                }
                Err(error) => return Err(error),
            }
        }
        self.socket = Some(socket);
        Ok(())
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Gelf(target) = driver else { return };
        if target != self.target {
            self.socket = None;
        }
        self.target = target;
    }

    fn is_open(&self) -> bool {
        self.socket.is_some()
    }

    fn close(&mut self) {
        self.socket = None;
    }
}

#[cfg(test)]
mod tests;

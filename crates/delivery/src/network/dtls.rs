//! Messages in datagrams over DTLS (RFC 6012).
//!
//! In: rendered messages. Out: records, one per datagram, many per system call. Holds: the association.
//! There is no confirmation that a datagram arrived: written means accepted by the kernel. That the peer is gone
//! shows by its close notification, by an ICMP message, or by its hint that it does not know us; then a new
//! handshake comes first, and messages wait.
//! Limits: a message of more than [`RECORD_TEXT_BYTES_MAX`] is cut and counted; one that is longer than the path's MTU goes
//! in fragments of IP.

use crate::{options::StreamFraming, output::Output, stopping};
use socket2::Socket;
use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};
use transport::{
    dtls::{
        Association, AssociationError, AssociationState, ClientDtls, RECORD_OVERHEAD_BYTES,
        RECORD_TEXT_BYTES_MAX,
    },
    sys,
};
use wire::dtls::{Record, Start, content, start};

/// Headers of IPv6 and UDP; those of IPv4 are shorter.
const PACKET_OVERHEAD_BYTES: usize = 40 + 8;
/// Largest MTU that a handshake relies on, even if the path says more: datagrams of this size get through.
const ETHERNET_MTU: usize = 1_500;
/// MTU that every path supports: tried when larger ones did not work.
const SMALL_MTU: usize = 576;
/// Repetitions of a step of the handshake before it is tried in small datagrams.
const SMALL_AFTER: usize = 2;
/// Longest wait for an answer before the timer of the handshake is checked.
const WAIT_MAX: Duration = Duration::from_millis(250);
/// Anyone can send a hint that the peer does not know us: a new association ignores them for this long.
const HINTS_AFTER: Duration = Duration::from_secs(5);
/// Largest datagram.
const DATAGRAM_BYTES_MAX: usize = 64 << 10;

/// An association with a receiver.
pub struct SecureDatagrams {
    socket: Socket,
    association: Association,
    framing: StreamFraming,
    /// Text that fits a datagram without fragments.
    text_bytes: usize,
    /// Text of the next record.
    text: Vec<u8>,
    /// Bytes of output in each record that is not sent.
    parts: Vec<usize>,
    received: Vec<u8>,
    since: Instant,
    cut: usize,
}

impl SecureDatagrams {
    /// Shakes hands as the client, over a socket that is connected.
    pub fn connect(
        socket: Socket,
        settings: &ClientDtls,
        host: &str,
        framing: StreamFraming,
        within: Duration,
    ) -> io::Result<SecureDatagrams> {
        let mtu = path_mtu(&socket);
        let first = mtu.min(ETHERNET_MTU) - PACKET_OVERHEAD_BYTES;
        let association = settings.connect(host, first).map_err(failed)?;
        let room = mtu - PACKET_OVERHEAD_BYTES - RECORD_OVERHEAD_BYTES;
        let mut secure = SecureDatagrams {
            socket,
            association,
            framing,
            text_bytes: room.min(RECORD_TEXT_BYTES_MAX),
            text: Vec::new(),
            parts: Vec::new(),
            received: vec![0; DATAGRAM_BYTES_MAX],
            since: Instant::now(),
            cut: 0,
        };
        secure.handshake(Instant::now() + within)?;
        secure.since = Instant::now();
        Ok(secure)
    }

    fn handshake(&mut self, deadline: Instant) -> io::Result<()> {
        let mut repeated = 0;
        loop {
            self.send_each()?;
            if self.association.is_open() {
                return Ok(());
            }
            let left = stopping::patience(deadline);
            if left.is_zero() {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the peer did not finish the DTLS handshake in time",
                ));
            }
            let timer = self.association.timer().unwrap_or(WAIT_MAX);
            let wait = timer.min(WAIT_MAX).min(left).max(Duration::from_millis(1));
            self.socket.set_read_timeout(Some(wait))?;
            match self.receive() {
                Ok(Some(AssociationState::Over)) => return Err(closed()),
                Ok(_) => {}
                Err(error) => {
                    // The peer is notified of the reason.
                    let _ = self.send_each();
                    return Err(error);
                }
            }
            if self.association.timer().is_some_and(|left| left.is_zero()) {
                repeated += 1;
                if repeated == SMALL_AFTER {
                    self.association.set_mtu(SMALL_MTU - PACKET_OVERHEAD_BYTES);
                }
                self.association.expire().map_err(failed)?;
            }
        }
    }

    /// Returns one datagram, if one arrives during the wait.
    fn receive(&mut self) -> io::Result<Option<AssociationState>> {
        let mut reader = &self.socket;
        match reader.read(&mut self.received) {
            Ok(size) => self.association.take(&self.received[..size], |_| {}).map(Some).map_err(failed),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(unreachable(error)),
        }
    }

    /// Sends pending datagrams, each by a separate call.
    fn send_each(&mut self) -> io::Result<()> {
        let mut sent = Ok(());
        for datagram in self.association.outgoing().iter() {
            let mut writer = &self.socket;
            match writer.write(datagram) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => sent = Err(unreachable(error)),
                Ok(_) => {}
            }
        }
        self.association.outgoing().clear();
        sent
    }

    /// Writes what the socket takes.
    pub(crate) fn write(&mut self, output: &mut Output) -> io::Result<()> {
        self.listen()?;
        while output.size() > 0 {
            self.seal(output)?;
            self.send(output)?;
        }
        Ok(())
    }

    /// Sends one text as one record. It is lost when the kernel accepts no more now.
    pub fn say(&mut self, text: &[u8]) -> io::Result<()> {
        self.association.outgoing().clear();
        self.association.encrypt(text).map_err(failed)?;
        self.send_each()
    }

    /// Messages cut since the last call.
    pub(crate) fn take_cut(&mut self) -> usize {
        std::mem::take(&mut self.cut)
    }

    /// Reads what the peer has sent since: that it closes, or no longer knows us.
    fn listen(&mut self) -> io::Result<()> {
        self.socket.set_nonblocking(true)?;
        let heard = self.hear();
        self.socket.set_nonblocking(false)?;
        heard
    }

    fn hear(&mut self) -> io::Result<()> {
        loop {
            let mut reader = &self.socket;
            let size = match reader.read(&mut self.received) {
                Ok(size) => size,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(unreachable(error)),
            };
            let datagram = &self.received[..size];
            let is_hint =
                matches!(start(datagram), Start::Record(Record { content: content::ALERT, epoch: 0 }));
            if is_hint && self.since.elapsed() > HINTS_AFTER {
                return Err(io::Error::new(
                    io::ErrorKind::ConnectionReset,
                    "the peer does not know this association",
                ));
            }
            match self.association.take(datagram, |_| {}).map_err(failed)? {
                AssociationState::Over => return Err(closed()),
                AssociationState::Open | AssociationState::Handshaking => self.send_each()?,
            }
        }
    }

    /// Puts the next messages into records, many of them.
    fn seal(&mut self, output: &Output) -> io::Result<()> {
        self.association.outgoing().clear();
        self.parts.clear();
        let (mut at, mut part) = (0, 0);
        while let Some(message) = output.message_at(at) {
            let size = message.len();
            let body = message.strip_suffix(b"\n").unwrap_or(message);
            let body = self.fitting(body);
            let header = match self.framing {
                StreamFraming::OctetCounted => format!("{} ", body.len()),
                StreamFraming::Plain => String::new(),
            };
            let is_full = self.text.len() + header.len() + body.len() > self.text_bytes;
            if !self.text.is_empty() && (is_full || self.framing == StreamFraming::Plain) {
                self.seal_one(std::mem::take(&mut part))?;
                if self.parts.len() == sys::SENT_MAX {
                    return Ok(());
                }
            }
            self.text.extend_from_slice(header.as_bytes());
            self.text.extend_from_slice(body);
            part += size;
            at += size;
        }
        if !self.text.is_empty() {
            return self.seal_one(part);
        }
        // Messages without text have no record, and are written with the last one.
        match self.parts.last_mut() {
            Some(last) => *last += part,
            None => self.parts.push(part),
        }
        Ok(())
    }

    /// The part of a message that a record can hold.
    fn fitting<'a>(&mut self, body: &'a [u8]) -> &'a [u8] {
        /// Digits of a count and its blank.
        const COUNT_BYTES: usize = 6;
        let most = RECORD_TEXT_BYTES_MAX - COUNT_BYTES;
        if body.len() <= most {
            return body;
        }
        self.cut += 1;
        // Not within a character of UTF-8.
        let end = (most - 3..=most).rev().find(|end| body[*end] & 0xc0 != 0x80).unwrap_or(most);
        &body[..end]
    }

    fn seal_one(&mut self, part: usize) -> io::Result<()> {
        let sealed = self.association.encrypt(&self.text);
        self.text.clear();
        self.parts.push(part);
        sealed.map_err(failed)
    }

    /// Sends records. Those that the kernel does not accept are encrypted again: the peer accepts gaps in the
    /// numbers.
    fn send(&mut self, output: &mut Output) -> io::Result<()> {
        let records: Vec<&[u8]> = self.association.outgoing().iter().collect();
        let mut done = 0;
        let mut sent = Ok(());
        while done < records.len() {
            match sys::send_many(self.socket.as_fd(), &records[done..]) {
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    sent = Err(unreachable(error));
                    break;
                }
            }
        }
        let whole = done == records.len();
        drop(records);
        self.association.outgoing().clear();
        let parts = if whole { self.parts.len() } else { done.min(self.parts.len()) };
        output.advance(self.parts[..parts].iter().sum());
        sent
    }
}

impl Drop for SecureDatagrams {
    fn drop(&mut self) {
        self.association.outgoing().clear();
        self.association.say_goodbye();
        if self.socket.set_nonblocking(true).is_ok() {
            // A peer that is gone needs no close notification.
            let _ = self.send_each();
        }
    }
}

/// Returns the MTU of the path, as far as the kernel knows it.
fn path_mtu(socket: &Socket) -> usize {
    let is_v4 = socket.peer_addr().ok().and_then(|peer| peer.as_socket()).is_none_or(|peer| peer.is_ipv4());
    let known =
        if is_v4 { rustix::net::sockopt::ip_mtu(socket) } else { rustix::net::sockopt::ipv6_mtu(socket) };
    known.map_or(ETHERNET_MTU, |mtu| (mtu as usize).max(SMALL_MTU))
}

/// Explains an error of the socket. Unlike with plain UDP, a port without a listener (ICMP) ends the association, since
/// the next listener does not know it.
fn unreachable(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => io::Error::new(error.kind(), "nobody listens on this port"),
        _ => error,
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the association")
}

fn failed(error: AssociationError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("DTLS: {error}"))
}

#[cfg(test)]
mod tests;

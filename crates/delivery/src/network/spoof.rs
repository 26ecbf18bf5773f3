//! `spoof-source(yes)` over UDP: datagrams with the address of the message's original sender.
//!
//! In: messages with the addresses of their senders. Out: packets made here, over raw sockets, which need CAP_NET_RAW;
//! a message without a sender, or with one of another version of IP, goes from our own address.
//! Holds: the sockets, rendered messages.
//! Limits: messages are cut at `spoof-source-max-msglen()`; one that the path does not accept in one piece is
//! dropped, counted and logged: nothing is sent in fragments.

use super::connect::{Connection, connect_first};
use crate::{
    driver::Driver,
    options::{DestinationDriver, Rendering, SpoofTarget},
};
use message::{Delivery, Stamp};
use socket2::{Domain, Protocol, Socket, Type};
use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, SocketAddr},
};
use transport::InternalLog;
use wire::{PacketOptions, append_udp_packet};

/// Hops of a packet when `ip-ttl()` is not set.
const TTL: u32 = 64;
/// Sockets of this protocol get packets with their headers.
const WITH_HEADERS: i32 = libc::IPPROTO_RAW;

/// The driver of a spoofing destination.
pub(crate) struct Spoof {
    target: SpoofTarget,
    rendering: Rendering,
    log: InternalLog,
    open: Option<Open>,
    /// Senders and texts.
    waiting: VecDeque<(Option<SocketAddr>, Vec<u8>)>,
    bytes: usize,
    refused: usize,
    packet: Vec<u8>,
}

/// The open sockets.
struct Open {
    to: SocketAddr,
    raw: Socket,
    own: Socket,
}

impl Spoof {
    pub(crate) fn new(target: SpoofTarget, rendering: Rendering, log: InternalLog) -> Spoof {
        let (waiting, packet) = (VecDeque::new(), Vec::new());
        Spoof { target, rendering, log, open: None, waiting, bytes: 0, refused: 0, packet }
    }

    fn open(&self) -> io::Result<Open> {
        let Connection::Datagrams(own) = connect_first(&self.target.socket)? else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let to = own.peer_addr()?.as_socket().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Open { to, raw: raw_socket(&self.target, Domain::for_address(to))?, own })
    }

    /// Makes the packet of a message with the address of its sender. Returns false when there is none, or none of the
    /// receiver's version of IP.
    fn make_packet(&mut self, from: Option<SocketAddr>, to: SocketAddr, text: &[u8]) -> bool {
        let options = &self.target.socket.ip;
        let byte = |value: Option<u32>, default| u8::try_from(value.unwrap_or(default)).unwrap_or(u8::MAX);
        let options = PacketOptions { ttl: byte(options.ttl, TTL), tos: byte(options.tos, 0) };
        self.packet.clear();
        from.is_some_and(|from| append_udp_packet(from, to, text, options, &mut self.packet))
    }

    /// Sends the message with the address of its sender, or with ours.
    fn send(&mut self, open: &Open, from: Option<SocketAddr>, text: &[u8]) -> io::Result<()> {
        if !self.make_packet(from, open.to, text) {
            return open.own.send(text).map(drop);
        }
        // The kernel expects no port: it is in the packet.
        let to = SocketAddr::new(open.to.ip(), 0);
        open.raw.send_to(&self.packet, &to.into()).map(drop)
    }

    fn write(&mut self, open: &Open) -> io::Result<()> {
        while let Some((from, text)) = self.waiting.pop_front() {
            match self.send(open, from, &text) {
                // The answer to an earlier datagram: nothing listens now. UDP guarantees nothing.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => {
                    let size = text.len();
                    self.log.warning(&format!(
                        "A message is too long to be sent in one piece, dropped; size='{size}'"
                    ));
                    self.refused += 1;
                }
                Err(error) => {
                    self.waiting.push_front((from, text));
                    return Err(error);
                }
                Ok(()) => {}
            }
            self.bytes -= text.len();
        }
        Ok(())
    }
}

/// A socket for packets with their headers.
pub(crate) fn raw_socket(target: &SpoofTarget, domain: Domain) -> io::Result<Socket> {
    let socket = Socket::new(domain, Type::RAW, Some(Protocol::from(WITH_HEADERS)))?;
    set_options(target, &socket)?;
    Ok(socket)
}

fn set_options(target: &SpoofTarget, socket: &Socket) -> io::Result<()> {
    if target.socket.broadcast {
        socket.set_broadcast(true)?;
    }
    if target.socket.send_buffer > 0 {
        socket.set_send_buffer_size(target.socket.send_buffer)?;
    }
    let interface = target.interface.as_ref().or(target.socket.ip.interface.as_ref());
    if let Some(interface) = interface {
        socket.bind_device(Some(interface.as_bytes()))?;
    }
    Ok(())
}

/// Returns an address in the form for a packet: IPv4-mapped addresses become IPv4.
fn plain(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        ip @ IpAddr::V4(_) => SocketAddr::new(ip, address.port()),
        IpAddr::V6(_) => address,
    }
}

impl Driver for Spoof {
    fn begin(&mut self, now: Stamp) {
        self.rendering.template.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let (batch, selection) = (&*delivery.batch, &delivery.selection);
        for index in selection.iter() {
            *sequence += 1;
            let mut text = Vec::new();
            self.rendering.template.render(batch, index, *sequence, &mut text);
            text.truncate(self.target.message_bytes_max);
            self.bytes += text.len();
            self.waiting.push_back((batch.origin(index).peer.map(plain), text));
        }
    }

    fn size(&self) -> usize {
        // An empty message counts as well.
        self.bytes.max(self.waiting.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.open()?,
        };
        self.write(&open)?;
        self.open = Some(open);
        Ok(())
    }

    fn take_unwritable(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    fn abandon(&mut self) -> usize {
        self.bytes = 0;
        std::mem::take(&mut self.waiting).len()
    }

    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering) {
        self.rendering = rendering;
        let DestinationDriver::Spoof(target) = driver else { return };
        if target != self.target {
            self.open = None;
        }
        self.target = target;
    }

    fn reopen(&mut self) {
        self.open = None;
    }
}

#[cfg(test)]
mod tests;

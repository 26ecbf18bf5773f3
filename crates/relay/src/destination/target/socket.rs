//! `network()`, `syslog()` and unix sockets as targets.
//!
//! In: rendered messages. Out: bytes on a connection, or datagrams. Holds: the connection.
//! A lost connection is made anew, and starts with the first message that was not wholly written.
//! Limits: connecting takes at most [`CONNECT_WITHIN`]; a peer that reads slowly holds only its own queue.

use super::{
    super::line::Target,
    super::options::{DestinationDriver, SocketKind, SocketTarget, StreamFraming, TcpOptions},
    super::output::Output,
};
use crate::{InternalLog, sys};
use socket2::{Domain, SockAddr, Socket as RawSocket, TcpKeepalive, Type};
use std::{
    io::{self, Write},
    mem::MaybeUninit,
    net::{SocketAddr, ToSocketAddrs},
    os::fd::AsFd,
    time::Duration,
};

/// Longest time to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// After so long without progress the thread looks whether it is told to stop.
const STALL: Duration = Duration::from_millis(200);
/// Largest UDP payload over IPv4.
const DATAGRAM_BYTES_MAX: usize = 65_507;

/// A socket target.
pub(crate) struct Socket {
    target: SocketTarget,
    log: InternalLog,
    connection: Option<RawSocket>,
}

impl Socket {
    pub(crate) fn new(target: SocketTarget, log: InternalLog) -> Socket {
        Socket { target, log, connection: None }
    }

    fn is_stream(&self) -> bool {
        matches!(self.target.kind, SocketKind::Tcp(..) | SocketKind::UnixStream(_))
    }

    /// A fresh connection, or a datagram socket of the receiver.
    pub(super) fn connect(&self) -> io::Result<RawSocket> {
        match &self.target.kind {
            SocketKind::Tcp(host, port) | SocketKind::Udp(host, port) => self.connect_to_any(host, *port),
            SocketKind::UnixStream(path) => self.connect_to(Domain::UNIX, &SockAddr::unix(path)?),
            SocketKind::UnixDatagram(path) => self.connect_to(Domain::UNIX, &SockAddr::unix(path)?),
        }
    }

    /// Tries the addresses of a name, those of the wanted family first.
    fn connect_to_any(&self, host: &str, port: u16) -> io::Result<RawSocket> {
        let mut addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
        addresses.sort_by_key(|address| address.is_ipv6() != self.target.ipv6);
        let mut failed = io::Error::new(io::ErrorKind::NotFound, format!("{host} has no address"));
        for address in addresses {
            match self.connect_to(Domain::for_address(address), &address.into()) {
                Ok(socket) => return Ok(socket),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    fn connect_to(&self, domain: Domain, address: &SockAddr) -> io::Result<RawSocket> {
        let kind = if self.is_stream() { Type::STREAM } else { Type::DGRAM };
        let socket = RawSocket::new(domain, kind, None)?;
        if self.target.send_buffer > 0 {
            socket.set_send_buffer_size(self.target.send_buffer)?;
        }
        if self.target.broadcast {
            socket.set_broadcast(true)?;
        }
        if let Some(local) = self.target.local.filter(|local| Domain::for_address(*local) == domain) {
            socket.set_reuse_address(true)?;
            socket.bind(&local.into())?;
        }
        if self.is_stream() {
            set_keepalive(&socket, &self.target.tcp)?;
        }
        if domain == Domain::UNIX || !self.is_stream() {
            socket.connect(address)?;
        } else {
            socket.connect_timeout(address, CONNECT_WITHIN)?;
        }
        socket.set_write_timeout(Some(STALL))?;
        Ok(socket)
    }

    fn write_stream(&self, socket: &RawSocket, output: &mut Output) -> io::Result<()> {
        if has_left(socket)? {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the connection"));
        }
        let mut writer = socket;
        match writer.write(output.rest()) {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            Ok(size) => {
                output.advance(size);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Sends as many datagrams a call as go. What does not is left to those who know what to do about it.
    fn send_many(&self, socket: &RawSocket, output: &mut Output) {
        loop {
            let mut size = 0;
            let next = || {
                let message = output.message_at(size)?;
                size += message.len();
                (message.len() <= DATAGRAM_BYTES_MAX).then_some(message)
            };
            let messages: Vec<&[u8]> = std::iter::from_fn(next).take(sys::SENT_MAX).collect();
            let Ok(count) = sys::send_many(socket.as_fd(), &messages) else { return };
            let sent = messages[..count].iter().map(|message| message.len()).sum();
            output.advance(sent);
            if count < sys::SENT_MAX {
                return;
            }
        }
    }

    fn write_datagrams(&self, socket: &RawSocket, output: &mut Output) -> io::Result<()> {
        let remote = matches!(self.target.kind, SocketKind::Udp(..));
        self.send_many(socket, output);
        while let Some(message) = output.next_message() {
            let size = message.len();
            let sent = &message[..if remote { size.min(DATAGRAM_BYTES_MAX) } else { size }];
            match socket.send(sent) {
                Ok(_) => output.advance(size),
                // The answer to an earlier datagram: nobody listens now. UDP promises nothing.
                Err(error) if remote && error.kind() == io::ErrorKind::ConnectionRefused => {
                    output.advance(size)
                }
                // It can never be sent whole.
                Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => {
                    self.log
                        .warning(&format!("A message is too long for a datagram, dropped; size='{size}'"));
                    output.advance(size);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Target for Socket {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let socket = match self.connection.take() {
            Some(socket) => socket,
            None => {
                output.rewind();
                self.connect()?
            }
        };
        let written = if self.is_stream() {
            self.write_stream(&socket, output)
        } else {
            self.write_datagrams(&socket, output)
        };
        match written {
            Err(error) if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                output.rewind();
                Err(error)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.connection = Some(socket);
                Err(error)
            }
            _ => {
                self.connection = Some(socket);
                Ok(())
            }
        }
    }

    fn framing(&self) -> StreamFraming {
        if self.is_stream() { self.target.framing } else { StreamFraming::Plain }
    }

    fn configure(&mut self, driver: DestinationDriver) {
        let DestinationDriver::Socket(target) = driver else { return };
        if target != self.target || !target.keep_over_reload {
            self.connection = None;
        }
        self.target = target;
    }

    fn close(&mut self) {
        self.connection = None;
    }
}

/// Whether the peer closed its end. What it sends is read and ignored.
fn has_left(socket: &RawSocket) -> io::Result<bool> {
    let mut ignored = [MaybeUninit::<u8>::uninit(); 1024];
    loop {
        match socket.recv_with_flags(&mut ignored, libc::MSG_DONTWAIT) {
            Ok(0) => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sets `so-keepalive()` and `tcp-keepalive-*()`.
pub(crate) fn set_keepalive(socket: &RawSocket, options: &TcpOptions) -> io::Result<()> {
    socket.set_keepalive(options.keepalive)?;
    let mut detail = TcpKeepalive::new();
    let mut wanted = false;
    if let Some(time) = options.keepalive_time {
        (detail, wanted) = (detail.with_time(time), true);
    }
    if let Some(interval) = options.keepalive_interval {
        (detail, wanted) = (detail.with_interval(interval), true);
    }
    if let Some(probes) = options.keepalive_probes {
        (detail, wanted) = (detail.with_retries(probes), true);
    }
    if wanted { socket.set_tcp_keepalive(&detail) } else { Ok(()) }
}

//! `network()`, `syslog()` and unix sockets as targets.
//!
//! In: rendered messages. Out: bytes on a connection, or datagrams. Holds: the connection.
//! A lost connection is reopened, and starts with the first message that was not completely written.
//! Limits: a slow peer holds up only its own queue.

use super::{
    connect::{Connection, connect},
    servers::Servers,
};
use crate::{
    line::Target,
    options::{DestinationDriver, SocketKind, SocketTarget, StreamFraming},
    output::Output,
};
use socket2::Socket as RawSocket;
use std::{
    io,
    os::fd::AsFd,
    time::{Duration, Instant},
};
use transport::{InternalLog, LogPause, dtls::RECORD_TEXT_BYTES_MAX, sending::stream::write_plain, sys};

/// Largest UDP payload over IPv4.
const DATAGRAM_BYTES_MAX: usize = 65_507;

/// Least time between two log lines about cut messages.
const CUTS_SAID_EVERY: Duration = Duration::from_secs(10);

/// A socket target.
pub(crate) struct Socket {
    target: SocketTarget,
    log: InternalLog,
    servers: Servers,
    connection: Option<Connection>,
    /// Messages cut since `take_cut` was called.
    cut: usize,
    cut_pause: LogPause,
}

impl Socket {
    pub(crate) fn new(target: SocketTarget, log: InternalLog) -> Socket {
        let cut_pause = LogPause::new(CUTS_SAID_EVERY);
        Socket { servers: Servers::of(&target), target, log, connection: None, cut: 0, cut_pause }
    }

    fn is_stream(&self) -> bool {
        matches!(self.target.kind, SocketKind::Tcp(..) | SocketKind::UnixStream(_))
    }

    /// Connects to the current server, otherwise to the next ones, each once.
    fn connect(&mut self) -> io::Result<Connection> {
        loop {
            let server = self.servers.present();
            let error = match connect(&self.target, &server) {
                Ok(connection) => {
                    if self.servers.has_others() {
                        self.log.notice(&format!("Connected to a server; server='{server}'"));
                    }
                    self.servers.connected(&self.target);
                    return Ok(connection);
                }
                Err(error) => error,
            };
            if !self.servers.failed() {
                return Err(error);
            }
            let next = self.servers.present();
            self.log.warning(&format!(
                "Connection failed, trying the next server; server='{server}', error='{error}', next='{next}'"
            ));
        }
    }

    /// Sends as many datagrams per call as possible. Those that fail are left to the caller.
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

    /// Logs now and then that messages were cut.
    fn tell_of_cuts(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        self.cut += count;
        if let Some(count) = self.cut_pause.count(count, Instant::now()) {
            let most = RECORD_TEXT_BYTES_MAX;
            self.log
                .warning(&format!("Messages too long for a datagram are cut; count='{count}', max='{most}'"));
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
                // The answer to an earlier datagram: nothing listens now. UDP guarantees nothing.
                Err(error) if remote && error.kind() == io::ErrorKind::ConnectionRefused => {
                    output.advance(size)
                }
                // It can never be sent in one piece.
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
        let is_whole = output.is_at_message();
        if is_whole && self.connection.is_some() && self.servers.is_back() {
            self.log.notice(&format!("The first server is back; server='{}'", self.servers.present()));
            self.connection = None;
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                output.rewind();
                self.connect()?
            }
        };
        let written = match &mut connection {
            Connection::Plain(socket) => write_plain(socket, output),
            Connection::Secure(secure) => secure.write(output),
            Connection::Datagrams(socket) => self.write_datagrams(socket, output),
            Connection::SecureDatagrams(secure) => {
                let written = secure.write(output);
                self.tell_of_cuts(secure.take_cut());
                written
            }
        };
        match written {
            Err(error) if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                output.rewind();
                // Another server may accept it at once.
                if self.servers.has_others() && self.servers.failed() { Ok(()) } else { Err(error) }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.connection = Some(connection);
                Err(error)
            }
            _ => {
                self.connection = Some(connection);
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
            self.servers = Servers::of(&target);
        }
        self.target = target;
    }

    fn is_open(&self) -> bool {
        self.connection.is_some()
    }

    fn take_cut(&mut self) -> usize {
        std::mem::take(&mut self.cut)
    }

    fn close(&mut self) {
        self.connection = None;
    }
}

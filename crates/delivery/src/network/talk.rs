//! A connection on which both sides send, plain or encrypted.
//!
//! In: a target. Out: the bytes of the other side. Holds: the connection.
//! Limits: a call waits for at most [`STALL`], so that its thread can check whether it must stop.

use super::connect::{CONNECT_WITHIN, Connection, connect_first};
use crate::options::SocketTarget;
use std::{
    io::{self, Read, Write},
    time::{Duration, Instant},
};
use transport::{Dial, Link, ReadMode, sending::stream::Secure, tls::SenderTls};

/// Longest wait of a call.
const STALL: Duration = Duration::from_millis(200);
/// Bytes of one read.
const READ_BYTES: usize = 16 << 10;

/// Dials the first server of a target over a socket.
pub(super) struct SocketDial(pub(super) SocketTarget);

impl Dial for SocketDial {
    fn dial(&self) -> io::Result<Box<dyn Link>> {
        Ok(Box::new(Talk::open(&self.0)?))
    }

    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// Returns whether an error is the end of the connection.
pub(super) fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | ConnectionReset | BrokenPipe)
}

/// A connection of sockets.
pub(super) struct Talk(Connection);

impl Talk {
    /// Connects to the first server of a target.
    pub(super) fn open(target: &SocketTarget) -> io::Result<Talk> {
        let connection = connect_first(target)?;
        match &connection {
            Connection::Plain(socket) | Connection::Datagrams(socket) => {
                socket.set_read_timeout(Some(STALL))?;
            }
            Connection::Secure(secure) => secure.set_patience(STALL)?,
            Connection::SecureDatagrams(_) => return Err(io::ErrorKind::Unsupported.into()),
        }
        Ok(Talk(connection))
    }

    /// Encrypts what is plain so far.
    pub(super) fn encrypt(self, tls: &SenderTls, host: &str) -> io::Result<Talk> {
        let Connection::Plain(socket) = self.0 else { return Err(io::ErrorKind::InvalidInput.into()) };
        let settings = tls.settings().map_err(io::Error::other)?;
        let secure = Secure::connect(socket, settings, host, CONNECT_WITHIN)?;
        secure.set_patience(STALL)?;
        Ok(Talk(Connection::Secure(Box::new(secure))))
    }
}

impl Link for Talk {
    fn send(&mut self, text: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Connection::Plain(socket) | Connection::Datagrams(socket) => match socket.write(text)? {
                0 => Err(io::ErrorKind::WriteZero.into()),
                size => Ok(size),
            },
            Connection::Secure(secure) => secure.say(text),
            Connection::SecureDatagrams(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn receive(&mut self, text: &mut Vec<u8>, mode: ReadMode) -> io::Result<bool> {
        let heard = match &mut self.0 {
            Connection::Plain(socket) | Connection::Datagrams(socket) => {
                let start = text.len();
                text.resize(start + READ_BYTES, 0);
                socket.set_nonblocking(mode == ReadMode::NonBlocking)?;
                let read = socket.read(&mut text[start..]);
                socket.set_nonblocking(false)?;
                text.truncate(start + *read.as_ref().unwrap_or(&0));
                read.and_then(|size| match size {
                    0 => Err(io::ErrorKind::UnexpectedEof.into()),
                    _ => Ok(true),
                })
            }
            Connection::Secure(secure) => secure.hear(text, mode),
            Connection::SecureDatagrams(_) => Err(io::ErrorKind::Unsupported.into()),
        };
        match heard {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(false)
            }
            heard => heard,
        }
    }
}

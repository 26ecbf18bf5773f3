//! Bytes on a connected stream, plain or encrypted.
//!
//! In: rendered messages. Out: bytes on the connection. Holds: the session, and encrypted bytes that are not sent.
//! Limits: [`PIECE_BYTES`] are encrypted at a time; text counts as written when the last byte of it is sent. A handshake
//! ends early when the destination must stop.

use super::{output::Output, stopping};
use crate::{
    ReadMode,
    tls::{ClientTls, Session, SessionState, describe},
};
use socket2::Socket;
use std::{
    io::{self, Read, Write},
    mem::MaybeUninit,
    time::{Duration, Instant},
};

/// Text that is encrypted and sent together.
const PIECE_BYTES: usize = 256 << 10;
/// Longest wait before the thread checks whether the destination must stop.
const STALL: Duration = Duration::from_millis(200);
/// Bytes of one read. Peers send little: answers to keys, close notifications.
const ANSWER_BYTES: usize = 16 << 10;
/// A server checks our certificate after we are done. Its verdict is awaited for this long, so that no messages go
/// to a server that refuses us.
const VERDICT_WITHIN: Duration = Duration::from_millis(300);

/// Writes what a plain connection takes.
pub fn write_plain(socket: &Socket, output: &mut Output) -> io::Result<()> {
    if has_left(socket)? {
        return Err(closed());
    }
    let mut writer = socket;
    match writer.write(output.rest())? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        size => {
            output.advance(size);
            Ok(())
        }
    }
}

/// Returns whether the peer closed its end. Bytes that it sends are read and ignored.
fn has_left(socket: &Socket) -> io::Result<bool> {
    let mut ignored = [MaybeUninit::<u8>::uninit(); 1024];
    loop {
        match socket.recv_with_flags(&mut ignored, libc::MSG_DONTWAIT) {
            Ok(0) => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the connection")
}

/// An encrypted connection.
pub struct Secure {
    socket: Socket,
    session: Session,
    /// Number of the session's outgoing bytes that are sent.
    sent: usize,
    /// Bytes of text in them.
    text: usize,
}

impl Secure {
    /// Shakes hands as the client.
    pub fn connect(socket: Socket, settings: &ClientTls, host: &str, within: Duration) -> io::Result<Secure> {
        let session = settings.session(host).map_err(|error| failed(&error))?;
        let mut secure = Secure { socket, session, sent: 0, text: 0 };
        let deadline = Instant::now() + within;
        // The first step has nothing to read: it creates our hello.
        let mut taken = secure.session.take(&mut [], &mut Vec::new());
        loop {
            let sent = secure.send_all(deadline);
            // Why the handshake failed says more than that the peer does not wait to hear of it.
            let state = taken.map_err(|error| failed(&error))?;
            sent?;
            match state {
                SessionState::Open => break,
                SessionState::Over => return Err(closed()),
                SessionState::Handshaking => taken = secure.receive(deadline)?,
            }
        }
        if settings.has_certificate() && secure.session.is_tls13() {
            secure.await_verdict()?;
        }
        secure.socket.set_read_timeout(None)?;
        Ok(secure)
    }

    /// Writes what the connection takes.
    pub fn write(&mut self, output: &mut Output) -> io::Result<()> {
        self.listen()?;
        if self.session.outgoing().is_empty() {
            let rest = output.rest();
            let piece = &rest[..rest.len().min(PIECE_BYTES)];
            self.session.encrypt(piece).map_err(|error| failed(&error))?;
            self.text = piece.len();
        }
        self.send()?;
        if self.session.outgoing().is_empty() {
            output.advance(std::mem::take(&mut self.text).min(output.size()));
        }
        Ok(())
    }

    /// How long `hear` waits.
    pub fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.socket.set_read_timeout(Some(patience))
    }

    /// Sends part of a text; returns how much was sent. Unsent bytes go with the next call, which must have the
    /// same text.
    pub fn say(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.session.outgoing().is_empty() {
            let piece = &text[..text.len().min(PIECE_BYTES)];
            self.session.encrypt(piece).map_err(|error| failed(&error))?;
            self.text = piece.len();
        }
        self.send()?;
        Ok(if self.session.outgoing().is_empty() { std::mem::take(&mut self.text) } else { 0 })
    }

    /// Appends bytes received from the peer; returns true when there were any.
    pub fn hear(&mut self, text: &mut Vec<u8>, mode: ReadMode) -> io::Result<bool> {
        let mut bytes = vec![0; ANSWER_BYTES];
        let mut reader = &self.socket;
        self.socket.set_nonblocking(mode == ReadMode::NonBlocking)?;
        let read = reader.read(&mut bytes);
        self.socket.set_nonblocking(false)?;
        let size = read?;
        if size == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let before = text.len();
        match self.session.take(&mut bytes[..size], text).map_err(|error| failed(&error))? {
            SessionState::Over => Err(io::ErrorKind::UnexpectedEof.into()),
            SessionState::Open | SessionState::Handshaking => Ok(text.len() > before),
        }
    }

    /// Makes one write. The outgoing bytes are empty when everything is sent.
    fn send(&mut self) -> io::Result<()> {
        let outgoing = self.session.outgoing();
        let mut writer = &self.socket;
        match writer.write(&outgoing[self.sent..])? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            size => self.sent += size,
        }
        if self.sent == outgoing.len() {
            outgoing.clear();
            self.sent = 0;
        }
        Ok(())
    }

    fn send_all(&mut self, deadline: Instant) -> io::Result<()> {
        while !self.session.outgoing().is_empty() {
            match self.send() {
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock
                        && !stopping::patience(deadline).is_zero() => {}
                result => result?,
            }
        }
        Ok(())
    }

    /// Reads what the peer has sent since: that it closes, or why it refused us.
    fn listen(&mut self) -> io::Result<()> {
        let mut room = [MaybeUninit::<u8>::uninit(); 1024];
        loop {
            let size = match self.socket.recv_with_flags(&mut room, libc::MSG_DONTWAIT | libc::MSG_PEEK) {
                Ok(0) => return Err(closed()),
                Ok(size) => size,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            let mut bytes = vec![0; size];
            let mut reader = &self.socket;
            let size = reader.read(&mut bytes)?;
            let taken = self.session.take(&mut bytes[..size], &mut Vec::new());
            if taken.map_err(|error| failed(&error))? == SessionState::Over {
                return Err(closed());
            }
        }
    }

    fn receive(&mut self, deadline: Instant) -> io::Result<Result<SessionState, rustls::Error>> {
        let left = stopping::patience(deadline);
        if left.is_zero() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the peer did not finish the TLS handshake in time",
            ));
        }
        self.socket.set_read_timeout(Some(left.min(STALL)))?;
        let mut bytes = vec![0; ANSWER_BYTES];
        let mut reader = &self.socket;
        match reader.read(&mut bytes) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer left the TLS handshake")),
            Ok(size) => Ok(self.session.take(&mut bytes[..size], &mut Vec::new())),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Ok(SessionState::Handshaking)),
            Err(error) => Err(error),
        }
    }

    fn await_verdict(&mut self) -> io::Result<()> {
        self.socket.set_read_timeout(Some(VERDICT_WITHIN))?;
        let mut bytes = vec![0; ANSWER_BYTES];
        let mut reader = &self.socket;
        match reader.read(&mut bytes) {
            Ok(0) => Err(closed()),
            Ok(size) => match self.session.take(&mut bytes[..size], &mut Vec::new()) {
                Ok(SessionState::Over) => Err(closed()),
                Ok(_) => Ok(()),
                Err(error) => Err(failed(&error)),
            },
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        if self.session.outgoing().is_empty() {
            self.session.say_goodbye();
        }
        // A peer that is gone needs no close notification, and one that does not read gets none.
        if self.socket.set_nonblocking(true).is_ok() && !self.session.outgoing().is_empty() {
            let _ = self.send();
        }
    }
}

fn failed(error: &rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {}", describe(error)))
}

#[cfg(test)]
mod tests;

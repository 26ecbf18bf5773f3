//! A TCP connection whose bytes are encrypted, seen from the side that reads.
//!
//! In: records. Out: their text, many records at a time. Holds: the session; no buffer while it is idle.
//! Limits: [`HANDSHAKE_WITHIN`] for a handshake, by the caller; one read takes [`CIPHER_BYTES`].

use std::{
    cell::RefCell,
    io,
    task::{Context, Poll},
};
use tokio::net::TcpStream;
use transport::tls::{ServerTls, Session, SessionState, describe};

/// Bytes of one read: their text and the rest of a record fit a read buffer.
const CIPHER_BYTES: usize = super::batch_reader::buffer::READ_BYTES - (32 << 10);

thread_local! {
    /// Buffer in which received bytes are decrypted: one per reactor serves all its connections.
    static CIPHER: RefCell<Vec<u8>> = RefCell::new(vec![0; CIPHER_BYTES]);
}

/// An encrypted connection.
pub(super) struct SecureStream {
    socket: TcpStream,
    session: Session,
    /// How the text ends, known before all of it was read.
    ending: Option<Ending>,
    /// Text that is encrypted and not sent.
    unsent: usize,
}

/// The end of the text of a connection.
enum Ending {
    /// The peer said goodbye.
    Closed,
    /// The bytes after the text could not be used, or the connection broke.
    Failed(io::Error),
}

impl SecureStream {
    /// Shakes hands as the server. `first` was received already; text that arrives with the end of the handshake is
    /// appended to `text`. A peer may send everything with the end of the handshake and close: that is a connection
    /// whose text ends there, not a failed handshake.
    pub(super) async fn accept(
        socket: TcpStream,
        settings: &ServerTls,
        mut first: Vec<u8>,
        text: &mut Vec<u8>,
    ) -> io::Result<SecureStream> {
        let session = settings.session().map_err(|error| failed(&error))?;
        let mut stream = SecureStream { socket, session, ending: None, unsent: 0 };
        let mut taken = stream.session.take(&mut first, text);
        loop {
            let sent = stream.send().await;
            match taken.map_err(|error| failed(&error)) {
                _ if stream.session.is_handshaking() && sent.is_err() => sent?,
                Ok(SessionState::Handshaking) => {}
                // The peer may be gone already: its text is kept.
                Ok(SessionState::Open) => return Ok(stream),
                Ok(SessionState::Over) if stream.session.is_handshaking() => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Ok(SessionState::Over) => {
                    stream.ending = Some(Ending::Closed);
                    return Ok(stream);
                }
                Err(error) if text.is_empty() => return Err(error),
                Err(error) => {
                    stream.ending = Some(Ending::Failed(error));
                    return Ok(stream);
                }
            }
            stream.socket.readable().await?;
            taken = match stream.receive(text) {
                Ok(None) => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer left the handshake"));
                }
                Ok(Some(taken)) => taken,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(SessionState::Handshaking),
                Err(error) => return Err(error),
            };
        }
    }

    /// The connection, to be waited for.
    pub(super) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Waits until `read` has something to say.
    pub(super) async fn readable(&self) -> io::Result<()> {
        match self.ending {
            Some(_) => Ok(()),
            None => self.socket.readable().await,
        }
    }

    /// Like `readable`, for callers that poll.
    pub(super) fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.ending {
            Some(_) => Poll::Ready(Ok(())),
            None => self.socket.poll_read_ready(context),
        }
    }

    /// Appends the text of available bytes. Returns `WouldBlock` also when they contain no text. Text always comes
    /// before the end or the error that was received with it.
    pub(super) fn read(&mut self, text: &mut Vec<u8>) -> io::Result<usize> {
        let before = text.len();
        if self.ending.is_some() {
            return self.end();
        }
        let taken = match self.receive(text)? {
            Some(taken) => taken,
            // Nothing proves that nothing was cut off; many senders leave like that.
            None => {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer left without a goodbye"));
            }
        };
        self.try_send();
        self.ending = match taken {
            Ok(SessionState::Open | SessionState::Handshaking) => None,
            Ok(SessionState::Over) => Some(Ending::Closed),
            Err(error) => Some(Ending::Failed(failed(&error))),
        };
        match text.len() - before {
            0 if self.ending.is_some() => self.end(),
            0 => Err(io::ErrorKind::WouldBlock.into()),
            size => Ok(size),
        }
    }

    /// Returns the end of the text, as `read` reports it. An error is returned once.
    fn end(&mut self) -> io::Result<usize> {
        match self.ending.replace(Ending::Closed) {
            Some(Ending::Failed(error)) => Err(error),
            Some(Ending::Closed) | None => Ok(0),
        }
    }

    pub(super) async fn writable(&self) -> io::Result<()> {
        self.socket.writable().await
    }

    /// Encrypts and sends. On `WouldBlock` the first of these bytes are encrypted already and must be passed again.
    pub(super) fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.unsent == 0 {
            let piece = &text[..text.len().min(CIPHER_BYTES)];
            self.session.encrypt(piece).map_err(|error| failed(&error))?;
            self.unsent = piece.len();
        }
        while !self.session.outgoing().is_empty() {
            let size = self.socket.try_write(self.session.outgoing())?;
            self.session.outgoing().drain(..size);
        }
        Ok(std::mem::take(&mut self.unsent))
    }

    /// Returns the session, for data about the peer.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// One read. `None`: the peer closed.
    fn receive(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Result<SessionState, rustls::Error>>> {
        CIPHER.with_borrow_mut(|cipher| {
            let size = self.socket.try_read(cipher)?;
            Ok((size > 0).then(|| self.session.take(&mut cipher[..size], text)))
        })
    }

    /// Sends the pending bytes of the session.
    async fn send(&mut self) -> io::Result<()> {
        while !self.session.outgoing().is_empty() {
            self.socket.writable().await?;
            match self.socket.try_write(self.session.outgoing()) {
                Ok(size) => drop(self.session.outgoing().drain(..size)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        *self.session.outgoing() = Vec::new();
        Ok(())
    }

    /// Like `send`, as far as possible now: answers to key updates, alerts.
    fn try_send(&mut self) {
        if self.session.outgoing().is_empty() {
            return;
        }
        if let Ok(size) = self.socket.try_write(self.session.outgoing()) {
            self.session.outgoing().drain(..size);
        }
    }
}

impl Drop for SecureStream {
    fn drop(&mut self) {
        self.session.say_goodbye();
        self.try_send();
    }
}

/// An error of the session as one of the connection.
fn failed(error: &rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("TLS: {}", describe(error)))
}

#[cfg(test)]
mod tests;

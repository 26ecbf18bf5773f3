//! The other end of a connection, for tests.
//!
//! In: bytes. Out: text. Holds: the session of an encrypted connection. Limits: none.

use crate::{
    sending::output::{Output, StreamFraming},
    tls::{ServerTls, Session, SessionState, TlsOptions},
};
use std::io::{self, Read, Write};

/// An output of messages as they are.
pub fn output(messages: &[&[u8]]) -> Output {
    let mut output = Output::default();
    for message in messages {
        output.push(StreamFraming::Plain, |bytes| bytes.extend_from_slice(message));
    }
    output
}

/// Reads exactly this.
#[track_caller]
pub fn check_read(stream: &mut impl Read, want: &str) {
    let mut bytes = vec![0; want.len()];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), want);
}

/// The other end of an encrypted connection.
pub struct SecurePeer<S> {
    /// Its connection.
    pub stream: S,
    /// Its end of the session.
    pub session: Session,
    /// Text that was received and not read.
    text: Vec<u8>,
}

impl<S: Read + Write> SecurePeer<S> {
    /// Shakes hands as the server.
    pub fn shake(stream: S, options: &TlsOptions) -> io::Result<SecurePeer<S>> {
        let session = ServerTls::load(options).unwrap().session().unwrap();
        let mut peer = SecurePeer { stream, session, text: Vec::new() };
        while peer.receive()? == SessionState::Handshaking {}
        Ok(peer)
    }

    /// Takes what the other side sent, and sends what the session wants to say.
    pub fn receive(&mut self) -> io::Result<SessionState> {
        let mut bytes = vec![0; 1 << 16];
        let size = match self.stream.read(&mut bytes)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            size => size,
        };
        let taken = self.session.take(&mut bytes[..size], &mut self.text);
        self.send_all()?;
        taken.map_err(io::Error::other)
    }

    /// Returns the bytes of a record that holds a text.
    pub fn record(&mut self, text: &str) -> Vec<u8> {
        self.session.encrypt(text.as_bytes()).unwrap();
        std::mem::take(self.session.outgoing())
    }

    /// Says that nothing more comes.
    pub fn say_goodbye(&mut self) {
        self.session.say_goodbye();
        self.send_all().unwrap();
    }

    fn send_all(&mut self) -> io::Result<()> {
        self.stream.write_all(&std::mem::take(self.session.outgoing()))
    }
}

impl<S: Read + Write> Read for SecurePeer<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.text.is_empty() {
            if self.receive()? == SessionState::Over {
                return Ok(0);
            }
        }
        let size = self.text.len().min(bytes.len());
        bytes[..size].copy_from_slice(&self.text[..size]);
        self.text.drain(..size);
        Ok(size)
    }
}

impl<S: Read + Write> Write for SecurePeer<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.session.encrypt(bytes).map_err(io::Error::other)?;
        self.send_all()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! One TLS session over bytes that the caller reads and writes.
//!
//! In: received bytes, of which complete records are decrypted; text to send. Out: the text of the peer; bytes to send.
//! Holds: keys, and the incomplete record. Touches no socket.
//! Limits: fewer unprocessed bytes than one record, except for [`HANDSHAKE_BYTES_MAX`] of a handshake.

use super::certificate::Identity;
use rustls::{
    CommonState, Error,
    client::UnbufferedClientConnection,
    server::UnbufferedServerConnection,
    unbuffered::{
        ConnectionState, EncodeError, EncryptError, InsufficientSizeError, UnbufferedStatus, WriteTraffic,
    },
};

/// Most bytes of an incomplete handshake: certificates of a long chain. A peer that sends more is cut off.
const HANDSHAKE_BYTES_MAX: usize = 128 << 10;
/// Buffer size for the first attempt at encoding something small.
const SMALL: usize = 1024;

/// A session.
pub struct Session {
    side: Side,
    /// Received and not decrypted: the start of a record.
    partial: Vec<u8>,
    /// To be sent.
    outgoing: Vec<u8>,
    /// The peer said goodbye.
    is_over: bool,
    /// Set when the session has failed.
    failed: Option<Error>,
}

enum Side {
    Client(Box<UnbufferedClientConnection>),
    Server(Box<UnbufferedServerConnection>),
}

/// The state of a session after bytes were received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionState {
    /// The handshake needs more bytes.
    Handshaking,
    /// Text may be sent and received.
    Open,
    /// The peer said that nothing more comes.
    Over,
}

/// The next need of rustls after a step.
enum Progress {
    /// There is more to do.
    Again,
    /// More bytes are needed, or nothing more comes.
    Waits,
    /// The peer said goodbye.
    Over,
}

impl Session {
    pub(super) fn client(connection: UnbufferedClientConnection) -> Session {
        Session::of(Side::Client(Box::new(connection)))
    }

    pub(super) fn server(connection: UnbufferedServerConnection) -> Session {
        Session::of(Side::Server(Box::new(connection)))
    }

    fn of(side: Side) -> Session {
        Session { side, partial: Vec::new(), outgoing: Vec::new(), is_over: false, failed: None }
    }

    /// Takes received bytes, which are overwritten; appends the text that they hold. Look at `outgoing` afterwards,
    /// also after an error: it may hold an alert for the peer. After an error every call returns the same error.
    pub fn take(&mut self, received: &mut [u8], text: &mut Vec<u8>) -> Result<SessionState, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.partial.is_empty() {
            let done = self.process(received, text)?;
            self.partial = received.get(done..).unwrap_or_default().to_vec();
        } else {
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(received);
            let done = self.process(&mut whole, text)?;
            // An idle connection holds no buffer.
            self.partial = whole.get(done..).unwrap_or_default().to_vec();
        }
        let is_handshaking = self.is_handshaking();
        if is_handshaking && self.partial.len() > HANDSHAKE_BYTES_MAX {
            let error = Error::General("the handshake is too long".into());
            self.failed = Some(error.clone());
            return Err(error);
        }
        Ok(match (self.is_over, is_handshaking) {
            (true, _) => SessionState::Over,
            (false, true) => SessionState::Handshaking,
            (false, false) => SessionState::Open,
        })
    }

    /// Returns how many of the bytes were consumed.
    fn process(&mut self, received: &mut [u8], text: &mut Vec<u8>) -> Result<usize, Error> {
        let mut done = 0;
        loop {
            let rest = received.get_mut(done..).unwrap_or_default();
            let (discard, step) = self.side.step(rest, text, &mut self.outgoing);
            done += discard;
            match step {
                Ok(Progress::Again) => {}
                Ok(Progress::Waits) => return Ok(done),
                Ok(Progress::Over) => self.is_over = true,
                Err(error) => {
                    // The next step is the alert for the peer.
                    let rest = received.get_mut(done..).unwrap_or_default();
                    let _ = self.side.step(rest, &mut Vec::new(), &mut self.outgoing);
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
    }

    /// Encrypts text into `outgoing`. Only in an open session.
    pub fn encrypt(&mut self, text: &[u8]) -> Result<(), Error> {
        self.write(|traffic, outgoing| traffic.encrypt(text, outgoing))
    }

    /// Sends a close notification, so that the peer knows that nothing was cut off.
    pub fn say_goodbye(&mut self) {
        // A session that has failed has nothing to say.
        let _ = self.write(|traffic, outgoing| traffic.goodbye(outgoing));
    }

    /// Writes when rustls has nothing else to send first.
    fn write(
        &mut self,
        mut write: impl FnMut(&mut dyn Writer, &mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        loop {
            let (discard, written) = match &mut self.side {
                Side::Client(side) => {
                    turn(side.process_tls_records(&mut self.partial), &mut self.outgoing, &mut write)
                }
                Side::Server(side) => {
                    turn(side.process_tls_records(&mut self.partial), &mut self.outgoing, &mut write)
                }
            };
            self.partial.drain(..discard.min(self.partial.len()));
            if written? {
                return Ok(());
            }
        }
    }

    /// Returns the bytes to send; the caller removes those that were sent.
    #[inline]
    pub fn outgoing(&mut self) -> &mut Vec<u8> {
        &mut self.outgoing
    }

    /// Returns the identity that the peer claims, and the fingerprint of its certificate.
    pub fn peer(&self) -> Option<(Identity, super::Fingerprint)> {
        let leaf = self.state().peer_certificates()?.first()?;
        Some((Identity::of(leaf), super::Fingerprint::of(leaf)))
    }

    /// Returns true when the handshake is not over yet.
    #[inline]
    pub fn is_handshaking(&self) -> bool {
        self.state().is_handshaking()
    }

    /// Returns whether both sides agreed on version 1.3.
    #[inline]
    pub fn is_tls13(&self) -> bool {
        self.state().protocol_version() == Some(rustls::ProtocolVersion::TLSv1_3)
    }

    fn state(&self) -> &CommonState {
        match &self.side {
            Side::Client(connection) => connection,
            Side::Server(connection) => connection,
        }
    }
}

impl Side {
    /// Runs one step of rustls; returns how many bytes were consumed, and what is next.
    fn step(
        &mut self,
        received: &mut [u8],
        text: &mut Vec<u8>,
        outgoing: &mut Vec<u8>,
    ) -> (usize, Result<Progress, Error>) {
        match self {
            Side::Client(side) => step(side.process_tls_records(received), text, outgoing),
            Side::Server(side) => step(side.process_tls_records(received), text, outgoing),
        }
    }
}

fn step<D>(
    status: UnbufferedStatus<'_, '_, D>,
    text: &mut Vec<u8>,
    outgoing: &mut Vec<u8>,
) -> (usize, Result<Progress, Error>) {
    let UnbufferedStatus { mut discard, state } = status;
    let step = match state {
        Ok(ConnectionState::ReadTraffic(mut traffic)) => loop {
            match traffic.next_record() {
                Some(Ok(record)) => {
                    text.extend_from_slice(record.payload);
                    discard += record.discard;
                }
                Some(Err(error)) => break Err(error),
                None => break Ok(Progress::Again),
            }
        },
        Ok(ConnectionState::EncodeTlsData(mut data)) => {
            append(outgoing, SMALL, |buffer| match data.encode(buffer) {
                Ok(size) => Ok(size),
                Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) => {
                    Err(required_size)
                }
                Err(EncodeError::AlreadyEncoded) => Ok(0),
            });
            Ok(Progress::Again)
        }
        Ok(ConnectionState::TransmitTlsData(data)) => {
            data.done();
            Ok(Progress::Again)
        }
        Ok(ConnectionState::PeerClosed) => Ok(Progress::Over),
        Ok(_) => Ok(Progress::Waits),
        Err(error) => Err(error),
    };
    (discard, step)
}

/// The state in which rustls can write, the same for client and server.
trait Writer {
    fn encrypt(&mut self, text: &[u8], outgoing: &mut Vec<u8>) -> Result<(), Error>;
    fn goodbye(&mut self, outgoing: &mut Vec<u8>) -> Result<(), Error>;
}

impl<D> Writer for WriteTraffic<'_, D> {
    fn encrypt(&mut self, text: &[u8], outgoing: &mut Vec<u8>) -> Result<(), Error> {
        // A record adds at most 22 bytes to each 16 KiB.
        let size = text.len() + (text.len() / 16_000 + 1) * 64;
        let mut result = Ok(());
        append(outgoing, size, |buffer| match WriteTraffic::encrypt(self, text, buffer) {
            Ok(size) => Ok(size),
            Err(EncryptError::InsufficientSize(InsufficientSizeError { required_size })) => {
                Err(required_size)
            }
            Err(EncryptError::EncryptExhausted) => {
                result = Err(Error::EncryptError);
                Ok(0)
            }
        });
        result
    }

    fn goodbye(&mut self, outgoing: &mut Vec<u8>) -> Result<(), Error> {
        append(outgoing, SMALL, |buffer| self.queue_close_notify(buffer).or(Ok(0)));
        Ok(())
    }
}

/// Writes, or lets rustls send its own bytes first (false).
fn turn<D>(
    status: UnbufferedStatus<'_, '_, D>,
    outgoing: &mut Vec<u8>,
    write: &mut impl FnMut(&mut dyn Writer, &mut Vec<u8>) -> Result<(), Error>,
) -> (usize, Result<bool, Error>) {
    let UnbufferedStatus { discard, state } = status;
    if let Ok(ConnectionState::WriteTraffic(mut traffic)) = state {
        return (discard, write(&mut traffic, outgoing).map(|()| true));
    }
    // Complete records were decrypted on arrival: no text can get lost here.
    let (discard, next) = step(UnbufferedStatus { discard, state }, &mut Vec::new(), outgoing);
    let written = match next {
        Ok(Progress::Again) => Ok(false),
        // Not open, or no longer: nothing can be sent.
        Ok(Progress::Waits | Progress::Over) => Err(Error::HandshakeNotComplete),
        Err(error) => Err(error),
    };
    (discard, written)
}

/// Appends what `write` puts into its buffer; it returns the size it needs when the buffer is too small.
fn append(outgoing: &mut Vec<u8>, size: usize, mut write: impl FnMut(&mut [u8]) -> Result<usize, usize>) {
    let start = outgoing.len();
    outgoing.resize(start + size, 0);
    let written = match write(&mut outgoing[start..]) {
        Ok(size) => size,
        Err(wanted) => {
            outgoing.resize(start + wanted, 0);
            write(&mut outgoing[start..]).unwrap_or(0)
        }
    };
    outgoing.truncate(start + written);
}

#[cfg(test)]
mod tests;

//! One association over datagrams, which the caller receives and sends.
//!
//! In: received datagrams; text to send. Out: the text of the peer, record by record; datagrams to send.
//! Holds: keys, and the parts of a handshake that arrived out of order. Touches no socket.
//! Limits: OpenSSL keeps at most ten messages and a hundred records of a handshake; afterwards one datagram
//! at a time.

use super::{
    RECORD_TEXT_BYTES_MAX,
    error::{AssociationError, explained, refusal},
};
use crate::{
    sys,
    tls::{Fingerprint, Identity, PeerCheck},
};
use openssl::{
    error::ErrorStack,
    ex_data::Index,
    ssl::{ErrorCode, Ssl, SslContext, SslRef, SslStream},
    x509::{X509StoreContext, X509StoreContextRef},
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use std::{
    cell::RefCell,
    io::{self, Read, Write},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

thread_local! {
    /// Buffer in which records are decrypted: one per thread serves all its associations.
    static TEXT: RefCell<Vec<u8>> = RefCell::new(vec![0; RECORD_TEXT_BYTES_MAX]);
}

/// An association.
pub struct Association {
    stream: SslStream<Datagrams>,
    is_open: bool,
    is_over: bool,
    /// Set when the association has failed.
    failed: Option<AssociationError>,
}

/// The state of an association after a datagram was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssociationState {
    /// The handshake is not complete.
    Handshaking,
    /// Text may be sent and received.
    Open,
    /// The peer has closed the association.
    Over,
}

/// The transport of an association: the received datagram, and those to send.
#[derive(Default)]
pub struct Datagrams {
    received: Vec<u8>,
    bytes: Vec<u8>,
    /// Offsets in `bytes` at which the datagrams end, ascending.
    ends: Vec<usize>,
}

impl Datagrams {
    /// The datagrams, oldest first.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// Removes the datagrams after they were sent.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

impl Read for Datagrams {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.received.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let size = self.received.len().min(buffer.len());
        buffer[..size].copy_from_slice(&self.received[..size]);
        self.received.clear();
        Ok(size)
    }
}

impl Write for Datagrams {
    fn write(&mut self, datagram: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(datagram);
        self.ends.push(self.bytes.len());
        Ok(datagram.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Our data in a session of OpenSSL: how to check its peer, and the verdict.
pub(super) struct Session {
    check: Arc<PeerCheck>,
    name: Option<ServerName<'static>>,
    verdict: Mutex<Option<Result<(), rustls::Error>>>,
}

impl Session {
    pub(super) fn new(check: Arc<PeerCheck>, name: Option<ServerName<'static>>) -> Session {
        Session { check, name, verdict: Mutex::default() }
    }

    fn of(ssl: &SslRef) -> Option<&Session> {
        ssl.ex_data(session_index().ok()?)
    }

    /// Returns the verdict on the certificates of the peer, computed once.
    fn judge(&self, leaf: &CertificateDer<'_>, others: &[CertificateDer<'_>]) -> Result<(), rustls::Error> {
        let mut verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let judge = || self.check.check(leaf, others, self.name.as_ref(), UnixTime::since_unix_epoch(now));
        verdict.get_or_insert_with(judge).clone()
    }

    fn refused(&self) -> Option<rustls::Error> {
        let verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner);
        verdict.as_ref().and_then(|verdict| verdict.clone().err())
    }

    /// Returns true when the certificates of the peer were checked and are valid.
    fn is_good(&self) -> bool {
        matches!(*self.verdict.lock().unwrap_or_else(PoisonError::into_inner), Some(Ok(())))
    }
}

/// Returns the index under which a session of OpenSSL keeps our data.
fn session_index() -> Result<Index<Ssl, Session>, ErrorStack> {
    static INDEX: OnceLock<Index<Ssl, Session>> = OnceLock::new();
    match INDEX.get() {
        Some(index) => Ok(*index),
        None => {
            let index = Ssl::new_ex_index()?;
            Ok(*INDEX.get_or_init(|| index))
        }
    }
}

/// Makes a session of OpenSSL, linked to the check of its peer.
fn library_session(context: &SslContext, session: Session, mtu: usize) -> Result<Ssl, ErrorStack> {
    let mut ssl = Ssl::new(context)?;
    ssl.set_mtu(u32::try_from(mtu).unwrap_or(u32::MAX))?;
    ssl.set_ex_data(session_index()?, session);
    Ok(ssl)
}

/// Called by OpenSSL about a peer's certificates, once or several times, with the chain that it could build
/// without knowing any authority. The verdict is the same as for TLS over TCP, whatever OpenSSL found.
pub(super) fn judge(context: &mut X509StoreContextRef) -> bool {
    match verdict(context) {
        Some(Ok(())) => true,
        Some(Err(error)) => {
            sys::dtls::refuse(context, refusal(&error));
            false
        }
        None => false,
    }
}

fn verdict(context: &X509StoreContextRef) -> Option<Result<(), rustls::Error>> {
    let session = Session::of(context.ex_data(X509StoreContext::ssl_idx().ok()?)?)?;
    let chain = context.chain()?.iter().map(|certificate| certificate.to_der().map(CertificateDer::from));
    let chain: Vec<CertificateDer<'static>> = chain.collect::<Result<_, _>>().ok()?;
    let (leaf, others) = chain.split_first()?;
    Some(session.judge(leaf, others))
}

impl Association {
    /// Creates the server's side, after a hello with a valid cookie. The answer is in `outgoing`.
    pub(super) fn accept(
        context: &SslContext,
        session: Session,
        hello: &[u8],
        mtu: usize,
    ) -> Result<Association, AssociationError> {
        let ssl = library_session(context, session, mtu).map_err(AssociationError::Library)?;
        let mut association = Association::new(ssl)?;
        association.stream.get_mut().received.extend_from_slice(hello);
        if !sys::dtls::listen(&mut association.stream) {
            return Err(AssociationError::UnusableHello);
        }
        association.handshake()?;
        Ok(association)
    }

    /// Creates the client's side. Its hello is in `outgoing`.
    pub(super) fn connect(
        context: &SslContext,
        session: Session,
        host: Option<&str>,
        mtu: usize,
    ) -> Result<Association, AssociationError> {
        let mut ssl = library_session(context, session, mtu).map_err(AssociationError::Library)?;
        if let Some(host) = host {
            ssl.set_hostname(host).map_err(AssociationError::Library)?;
        }
        ssl.set_connect_state();
        let mut association = Association::new(ssl)?;
        association.handshake()?;
        Ok(association)
    }

    fn new(ssl: Ssl) -> Result<Association, AssociationError> {
        let stream = SslStream::new(ssl, Datagrams::default()).map_err(AssociationError::Library)?;
        Ok(Association { stream, is_open: false, is_over: false, failed: None })
    }

    /// Takes a received datagram and calls `record` with the text of each record. Send `outgoing` afterwards,
    /// also after an error, because it may hold an alert for the peer. After an error every call returns the
    /// same error.
    pub fn take(
        &mut self,
        datagram: &[u8],
        record: impl FnMut(&[u8]),
    ) -> Result<AssociationState, AssociationError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let line = self.stream.get_mut();
        line.received.clear();
        line.received.extend_from_slice(datagram);
        if !self.is_open {
            self.handshake()?;
        }
        if self.is_open && !self.is_over {
            self.read(record)?;
        }
        // Bytes of a datagram that OpenSSL did not consume are discarded.
        self.stream.get_mut().received.clear();
        Ok(match (self.is_over, self.is_open) {
            (true, _) => AssociationState::Over,
            (false, true) => AssociationState::Open,
            (false, false) => AssociationState::Handshaking,
        })
    }

    /// Makes one step of the handshake.
    fn handshake(&mut self) -> Result<(), AssociationError> {
        match self.stream.do_handshake() {
            Ok(()) => {
                // Regardless of OpenSSL, no peer is accepted whose certificate was not checked.
                let ssl = self.stream.ssl();
                let has_shown = ssl.peer_certificate().is_some();
                if has_shown && !Session::of(ssl).is_some_and(Session::is_good) {
                    return self.fail(AssociationError::Unchecked);
                }
                self.is_open = true;
                Ok(())
            }
            Err(error) if waits(&error) => Ok(()),
            Err(error) => {
                let verdict = Session::of(self.stream.ssl()).and_then(Session::refused);
                self.fail(explained(&error, verdict.as_ref()))
            }
        }
    }

    fn read(&mut self, mut record: impl FnMut(&[u8])) -> Result<(), AssociationError> {
        TEXT.with_borrow_mut(|text| {
            loop {
                match self.stream.ssl_read(text) {
                    Ok(size) => record(&text[..size]),
                    Err(error) if waits(&error) => return Ok(()),
                    Err(error) if error.code() == ErrorCode::ZERO_RETURN => {
                        self.is_over = true;
                        return Ok(());
                    }
                    Err(error) => return self.fail(explained(&error, None)),
                }
            }
        })
    }

    fn fail(&mut self, error: AssociationError) -> Result<(), AssociationError> {
        self.failed = Some(error.clone());
        Err(error)
    }

    /// Encrypts a text of at most [`RECORD_TEXT_BYTES_MAX`] as one record, one datagram of `outgoing`.
    pub fn encrypt(&mut self, text: &[u8]) -> Result<(), AssociationError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        match self.stream.ssl_write(text) {
            Ok(_) => Ok(()),
            Err(error) => self.fail(explained(&error, None)),
        }
    }

    /// Sends a close notification, so that the peer starts a new association.
    pub fn say_goodbye(&mut self) {
        // An association that is not open sends nothing. A peer that misses the notification notices when
        // answers stop.
        let _ = self.stream.shutdown();
    }

    /// Returns the datagrams to send; the caller clears them once they are sent.
    #[inline]
    pub fn outgoing(&mut self) -> &mut Datagrams {
        self.stream.get_mut()
    }

    /// Returns how long the handshake still waits before it repeats its current step.
    pub fn timer(&self) -> Option<Duration> {
        if self.is_open { None } else { sys::dtls::timer(&self.stream) }
    }

    /// Repeats the current step when its time is over.
    pub fn expire(&mut self) -> Result<(), AssociationError> {
        if self.is_open || sys::dtls::expire(&mut self.stream) {
            return Ok(());
        }
        self.fail(AssociationError::Silent)
    }

    /// From now on the handshake uses datagrams of at most this size.
    pub fn set_mtu(&mut self, bytes: usize) {
        sys::dtls::set_mtu(&mut self.stream, bytes);
    }

    /// Returns true when text may be sent: the handshake is over and neither side has closed.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.is_open && !self.is_over && self.failed.is_none()
    }

    /// Returns the identity that the peer claims, and the fingerprint of its certificate.
    pub fn peer(&self) -> Option<(Identity, Fingerprint)> {
        let leaf = self.stream.ssl().peer_certificate()?.to_der().ok()?;
        Some((Identity::of(&leaf), Fingerprint::of(&leaf)))
    }
}

/// Returns true when the error only means that there is no more datagram.
fn waits(error: &openssl::ssl::Error) -> bool {
    matches!(error.code(), ErrorCode::WANT_READ | ErrorCode::WANT_WRITE)
}

//! Code shared by the tests of this crate: renderings that are easy to read, a running destination, peers.
//!
//! In: a driver. Out: where its messages arrive. Holds: the set of destinations. Limits: none.

use crate::{
    DestinationDriver, DestinationSpec, Destinations, FileTarget, Queueing, Rendering, SocketKind,
    SocketTarget, StreamFraming, output::Output,
};
use message::{Ack, Batch, Outlet, Render, Stamp, WriteBudget};
use std::{
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use transport::{
    FilePermissions, InternalLog, Registry,
    testing::{PATIENCE, Text, delivery},
    tls::{ServerTls, Session, SessionState, TlsOptions},
};

/// `$MSG` and a line feed.
pub(crate) fn lines() -> Rendering {
    Rendering { template: Text::boxed("$MSG\n") }
}

/// A file of this name, and the least of all options.
pub(crate) fn file_target(name: &str) -> FileTarget {
    FileTarget {
        name: Text::boxed(name),
        trusted_prefix: String::new(),
        create_folders: false,
        permissions: FilePermissions::default(),
        folder_permissions: FilePermissions::default(),
        reap_after: None,
        fsync: false,
        overwrite_if_older: None,
        rotation: None,
        compress: false,
        link: None,
        open_files_max: 1,
    }
}

/// A running destination.
pub(crate) struct Setup {
    pub(crate) destinations: Destinations,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) registry: Registry,
}

pub(crate) fn spec(driver: DestinationDriver, template: &str) -> DestinationSpec {
    DestinationSpec {
        id: "d#0".to_owned(),
        component: "network".to_owned(),
        driver,
        queueing: Queueing { reopen_after: Duration::from_millis(10), ..Queueing::default() },
        rendering: Rendering { template: Text::boxed(template) },
    }
}

impl Setup {
    pub(crate) fn new(spec: DestinationSpec) -> Setup {
        let registry = Registry::default();
        let mut destinations = Destinations::new(registry.clone(), InternalLog::new("test", None));
        let staged = destinations.stage(vec![spec]).unwrap();
        let outlet = staged.outlets()["d#0"].clone();
        destinations.commit(staged);
        Setup { destinations, outlet, registry }
    }

    pub(crate) fn send(&self, messages: &[&str]) {
        self.outlet.deliver(delivery(messages, Ack::none(), true), &WriteBudget::none());
    }
}

pub(crate) fn tcp_to(listener: &TcpListener) -> SocketTarget {
    SocketTarget::new(SocketKind::Tcp("127.0.0.1".to_owned(), listener.local_addr().unwrap().port()))
}

#[track_caller]
pub(crate) fn accept(listener: &TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[track_caller]
pub(crate) fn check_read(stream: &mut impl Read, want: &str) {
    let mut bytes = vec![0; want.len()];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), want);
}

/// Notes the time for which it renders, and writes the number of the message.
pub(crate) struct Noting(pub(crate) Arc<AtomicI64>);

impl Render for Noting {
    fn begin(&mut self, now: Stamp) {
        self.0.store(now.unix_us, Ordering::Relaxed);
    }

    fn render(&mut self, _: &Batch, _: usize, sequence: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("m{sequence}").as_bytes());
    }

    fn render_name(&mut self, _: &Batch, _: usize, _: u64, _: &mut Vec<u8>) {}

    fn constant(&self) -> Option<&str> {
        None
    }
}

/// An output of messages as they are.
pub(crate) fn output(messages: &[&[u8]]) -> Output {
    let mut output = Output::default();
    for message in messages {
        output.push(StreamFraming::Plain, |bytes| bytes.extend_from_slice(message));
    }
    output
}

/// The other end of an encrypted connection.
pub(crate) struct SecurePeer<S> {
    pub(crate) stream: S,
    pub(crate) session: Session,
    /// Text that was received and not read.
    text: Vec<u8>,
}

impl<S: Read + Write> SecurePeer<S> {
    /// Shakes hands as the server.
    pub(crate) fn shake(stream: S, options: &TlsOptions) -> io::Result<SecurePeer<S>> {
        let session = ServerTls::load(options).unwrap().session().unwrap();
        let mut peer = SecurePeer { stream, session, text: Vec::new() };
        while peer.receive()? == SessionState::Handshaking {}
        Ok(peer)
    }

    /// Takes what the other side sent, and sends what the session wants to say.
    pub(crate) fn receive(&mut self) -> io::Result<SessionState> {
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
    pub(crate) fn record(&mut self, text: &str) -> Vec<u8> {
        self.session.encrypt(text.as_bytes()).unwrap();
        std::mem::take(self.session.outgoing())
    }

    /// Says that nothing more comes.
    pub(crate) fn say_goodbye(&mut self) {
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

//! One source: its driver, its settings, and the contract with other people's systems that are read.
//!
//! In: what a configuration says. Out: the settings that its readers look at once for each batch; a reload replaces them while
//! connections stay open. Holds: the current settings.
//! Limits: an [`Input`] reads no further than the window of its reader allows, waits for nothing without a limit, and ends soon
//! after it was stopped.

use crate::{
    options::{
        DatagramListener, FileSource, Generator, JournalSource, ListenAddress, PipeSource, ProgramSource,
        SourceOptions, StreamListener, WildcardSource, Window,
    },
    positions::Positions,
};
use message::{Intake, Origin, Transport};
use std::{
    any::Any,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock, atomic::AtomicUsize},
};
use tokio::sync::watch;
use transport::{InternalLog, Reactors, stats::Counters, tls::TlsError};

/// One `source` driver as configured.
#[derive(Clone)]
pub struct SourceSpec {
    /// `s_net#0`: name of the statement, `#`, number of the driver.
    pub id: String,
    /// Driver as written, for the counters: `network`, `udp`, `file`, ...
    pub component: String,
    /// The driver with its own options.
    pub driver: SourceDriver,
    /// Its options for reading.
    pub options: Arc<SourceOptions>,
    /// Receiver of its batches.
    pub intake: Arc<dyn Intake>,
}

/// Every kind of source.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // There are few of them, one a driver.
pub enum SourceDriver {
    /// `network()`, `syslog()`, `tcp()` over TCP; `unix-stream()`.
    Stream(StreamListener),
    /// The same over UDP; `unix-dgram()`.
    Datagram(DatagramListener),
    /// `file()`
    File(FileSource),
    /// `wildcard-file()`
    Wildcard(WildcardSource),
    /// `pipe()`
    Pipe(PipeSource),
    /// `program()`
    Program(ProgramSource),
    /// `stdin()`
    Stdin,
    /// `internal()`
    Internal,
    /// `systemd-journal()`
    Journal(JournalSource),
    /// `system()`: the journal if the machine has one, otherwise `/dev/log` and the kernel's messages.
    System {
        /// False with `exclude-kmsg()`.
        with_kernel: bool,
    },
    /// `kafka()`, `mqtt()` and others: another system.
    Input(Arc<dyn Input>),
    /// `example-msg-generator()`
    Generator(Generator),
}

impl SourceDriver {
    /// Returns the address on which it waits for syslog from the network, and the protocol below TLS, `tcp` or `udp`; `None`
    /// when it is something else.
    pub fn network_listener(&self) -> Option<(&'static str, SocketAddr)> {
        match self {
            SourceDriver::Stream(StreamListener { address: ListenAddress::Ip(address), .. }) => {
                Some(("tcp", *address))
            }
            SourceDriver::Datagram(DatagramListener { address: ListenAddress::Ip(address), .. }) => {
                Some(("udp", *address))
            }
            _ => None,
        }
    }

    /// Returns the options of another system that is read; `None` when they are of another kind.
    pub fn input<T: Input>(&self) -> Option<&T> {
        match self {
            SourceDriver::Input(input) => (input.as_ref() as &dyn Any).downcast_ref(),
            _ => None,
        }
    }
}

/// Another system that is a source, with its options.
///
/// The options are those of the implementer. After a reload its reader finds the new ones with
/// [`Settings::input`].
pub trait Input: Any + Send + Sync {
    /// Describes everything that a connection has from its start. A reload keeps a source whose text is the same, and gives it
    /// new settings; with another text it ends, and a new one starts.
    fn identity(&self) -> String;

    /// Names what is read: the third column of its counters.
    fn instance(&self) -> String;

    /// Reads its certificates and keys, also those that changed since the last reload.
    fn load_tls(&self) -> Result<(), TlsError> {
        Ok(())
    }

    /// Starts to read, on the reactors or on a thread of its own, and returns at once.
    fn start(&self, task: InputTask);
}

/// The parts of a source that reads another system.
pub struct InputTask {
    /// Its settings.
    pub cell: Arc<SettingsCell>,
    /// Our own log.
    pub log: InternalLog,
    /// The threads of sources: a task on them waits for sockets and timers only.
    pub reactors: Reactors,
    /// Positions that are kept over a restart.
    pub positions: Positions,
    /// Becomes true when it has to end. The source has ended when it dropped this.
    pub stop: watch::Receiver<bool>,
}

/// The settings of a source and where its batches go.
pub struct Settings {
    /// `s_net#0`: name of the statement and number of the driver.
    pub id: String,
    /// The driver as written.
    pub component: String,
    /// The driver with its own options.
    pub driver: SourceDriver,
    /// Its options for reading.
    pub options: Arc<SourceOptions>,
    /// The receiver of its batches.
    pub intake: Arc<dyn Intake>,
    /// Its counters.
    pub counters: Arc<Counters>,
}

/// Bytes that all readers of a source have in flight.
pub(crate) type InFlight = Arc<AtomicUsize>;

/// The current settings, shared by all readers of a source.
pub struct SettingsCell {
    settings: RwLock<Arc<Settings>>,
    in_flight: InFlight,
}

impl SettingsCell {
    /// Makes the cell of a source.
    pub fn new(settings: Settings) -> Arc<SettingsCell> {
        Arc::new(SettingsCell { settings: RwLock::new(Arc::new(settings)), in_flight: InFlight::default() })
    }

    /// Returns the current settings.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The bytes that the readers of the source have in flight together; `None` where they cannot be held back.
    pub(crate) fn in_flight(&self) -> Option<InFlight> {
        let is_held = !matches!(self.settings().driver, SourceDriver::Datagram(_));
        is_held.then(|| self.in_flight.clone())
    }

    pub(crate) fn replace(&self, settings: Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}

/// Datagrams cannot be held back, only lost: their window is this many times that of a connection, enough for a
/// quarter of a second of a flood.
const DATAGRAM_WINDOWS: usize = 16;

impl Settings {
    /// The window of one reader.
    pub(crate) fn window(&self) -> Window {
        let window = self.options.window;
        let factor = if matches!(self.driver, SourceDriver::Datagram(_)) { DATAGRAM_WINDOWS } else { 1 };
        Window {
            messages: window.messages.saturating_mul(factor),
            bytes: window.bytes.saturating_mul(factor),
        }
    }

    /// Returns the options of another system that is read; `None` when they are of another kind.
    pub fn input<T: Input>(&self) -> Option<&T> {
        self.driver.input()
    }

    /// Returns the origin of messages from this source.
    pub fn origin(&self, transport: Transport, peer: Option<SocketAddr>, host_from: String) -> Origin {
        let mut tags = self.options.tags.clone();
        tags.push(format!(".source.{}", message::source_name(&self.options.source)));
        Origin {
            source: self.options.source.clone(),
            transport,
            peer,
            host_from,
            tags,
            transport_name: self.transport_name(transport),
            ..Origin::default()
        }
    }

    /// The text of `${TRANSPORT}`.
    fn transport_name(&self, transport: Transport) -> String {
        if self.component == "gelf" {
            return format!("gelf+{}", if transport == Transport::Udp { "udp" } else { "tcp" });
        }
        if let "relp" | "beats" = self.component.as_str() {
            return format!("{}+{}", self.component, if transport == Transport::Tls { "tls" } else { "tcp" });
        }
        if self.component == "sltp" {
            return if transport == Transport::Tls { "sltp+tls" } else { "sltp+tcp" }.to_owned();
        }
        let syslog = self.component == "syslog";
        if matches!(&self.driver, SourceDriver::Datagram(options) if options.dtls.is_some()) {
            return if syslog { "rfc6012" } else { "rfc3164+dtls" }.to_owned();
        }
        match transport {
            Transport::Udp if syslog => "rfc5426".to_owned(),
            Transport::Tcp if syslog => "rfc6587".to_owned(),
            Transport::Tls if syslog => "rfc5425".to_owned(),
            Transport::Udp => "rfc3164+udp".to_owned(),
            Transport::Tcp => "rfc3164+tcp".to_owned(),
            Transport::Tls => "rfc3164+tls".to_owned(),
            Transport::UnixDgram => "local+unix-dgram".to_owned(),
            Transport::UnixStream => "local+unix-stream".to_owned(),
            Transport::Local => format!("local+{}", self.component),
        }
    }
}

#[cfg(test)]
mod tests;

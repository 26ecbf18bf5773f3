//! The options of a source.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the readers.
//! Holds: nothing that runs. Limits: the defaults are syslog-ng's, except for [`Window`].

mod acks;
mod http;
mod webhook;

pub(crate) use acks::AckBook;
pub(crate) use http::BUDGET_UNIT;
pub use http::{Acknowledge, HttpOffer, HttpOptions};
pub use webhook::{ClientHeader, PathPattern, RequestHeaders, WebhookContent, WebhookOptions};

use message::Render;
use sltp::ReceiverOptions;
use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, atomic::AtomicU64},
    time::Duration,
};
use wire::{CharacterSet, DecodeOptions, Framing, MultiLine, Oversize};

use transport::{
    FilePermissions, HostPolicy, IpOptions, TcpOptions, dtls::ListenerDtls, shell::Environment,
    tls::ListenerTls,
};

/// Format of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Syslog of any kind.
    #[default]
    Syslog,
    /// One GELF message.
    Gelf,
    /// One record of process accounting.
    Accounting,
}

/// Options that all kinds of sources have.
#[derive(Clone)]
pub struct SourceOptions {
    /// Name of the `source` statement.
    pub source: String,
    /// Flags, default priority, zone, `keep-timestamp()`, `bad-hostname()`: how a frame becomes a message.
    pub decode: DecodeOptions,
    /// Format of its frames.
    pub form: Form,
    /// How a stream is split into messages.
    pub framing: Framing,
    /// `log-msg-size()`
    pub message_bytes_max: usize,
    /// `multi-line-mode()`: lines that belong together are one message.
    pub multi_line: Option<Arc<MultiLine>>,
    /// `multi-line-timeout()`: after this long without further lines a message is complete; `None` never.
    pub multi_line_timeout: Option<Duration>,
    /// `encoding()`: the character set of the text; `None` is UTF-8.
    pub encoding: Option<CharacterSet>,
    /// `trim-large-messages()`
    pub oversize: Oversize,
    /// Flow control.
    pub window: Window,
    /// `host-override()`, `keep-hostname()`, `use-dns()`, ...
    pub hosts: HostPolicy,
    /// `program-override()`; `log-prefix("x: ")` is the same as `program-override("x")`.
    pub program_override: Option<String>,
    /// `use-syslogng-pid()`: the process of every message is this one.
    pub own_pid: bool,
    /// `optional()`: when it cannot be opened the others start all the same.
    pub optional: bool,
    /// `flags(empty-lines)`: empty lines are messages.
    pub keeps_empty_lines: bool,
    /// `flags(ignore-aux-data)`: data of a connection about its peer does not become values.
    pub ignores_peer_values: bool,
    /// `tags()`; `.source.NAME` is added.
    pub tags: Vec<String>,
    /// Assigns `${RCPTID}`s when ids are wanted; shared by all sources.
    pub rcptid: Option<Arc<AtomicU64>>,
}

impl SourceOptions {
    /// The defaults of a source of that name.
    pub fn new(source: &str) -> SourceOptions {
        SourceOptions {
            source: source.to_owned(),
            decode: DecodeOptions::default(),
            form: Form::default(),
            framing: Framing::Newline,
            multi_line: None,
            multi_line_timeout: None,
            encoding: None,
            message_bytes_max: 65_536,
            oversize: Oversize::Split,
            window: Window::default(),
            hosts: HostPolicy::default(),
            program_override: None,
            own_pid: false,
            optional: false,
            keeps_empty_lines: false,
            ignores_peer_values: false,
            tags: Vec::new(),
            rcptid: None,
        }
    }
}

/// Limit of what a connection or file may have in flight; at the limit reading stops until acknowledgements arrive.
///
/// A batch is whatever one read brought, up to 256 KiB, so a window of a hundred messages would take turns between
/// reading and writing. `log-iw-size()` is therefore raised to [`Window::MESSAGES_MIN`], and the bytes in flight
/// are the actual limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// `log-iw-size()`
    pub messages: usize,
    /// Bytes of received buffers in flight.
    pub bytes: usize,
}

impl Window {
    /// Smallest window in messages: a few full batches.
    pub const MESSAGES_MIN: usize = 16_384;
}

impl Default for Window {
    fn default() -> Window {
        Window { messages: Window::MESSAGES_MIN, bytes: 4 << 20 }
    }
}

/// The address of a listener.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ListenAddress {
    /// An internet address.
    Ip(SocketAddr),
    /// Path of a unix socket. A socket that the service manager opened for this path (`LISTEN_FDS`) is taken over.
    Unix(PathBuf),
}

/// Protocol on the connections of a listener.
#[derive(Clone, Debug, Default)]
pub enum Dialogue {
    /// Only the sender speaks.
    #[default]
    None,
    /// RELP: messages are answered when they are safe.
    Relp,
    /// Lumberjack: the events of a window are acknowledged when they are safe.
    Beats(Arc<BeatsOptions>),
    /// SLTP: numbered messages are acknowledged when they are safe.
    Sltp(Arc<ReceiverOptions>),
    /// HTTP: requests are answered.
    Http(Arc<HttpOptions>),
}

/// Options of a listener for Beats.
#[derive(Clone, Debug, Default)]
pub struct BeatsOptions {
    /// `prefix()`: before the names of fields that do not set a field of the message.
    pub prefix: String,
}

/// A listener for streams.
#[derive(Clone, Debug)]
pub struct StreamListener {
    /// Address to listen on.
    pub address: ListenAddress,
    /// Protocol on its connections.
    pub dialogue: Dialogue,
    /// `max-connections()` and `max-connections-per-address()`.
    pub connections: CountLimits,
    /// `max-handshakes()` and `max-handshakes-per-address()` of TLS.
    pub handshakes: CountLimits,
    /// `keep-alive()`: connections outlive a reload.
    pub keep_over_reload: bool,
    /// `so-rcvbuf()`; 0 leaves the system's value.
    pub receive_buffer: usize,
    /// `listen-backlog()`
    pub backlog: u32,
    /// `so-reuseport()`
    pub reuse_port: bool,
    /// `ip-tos()` and similar options.
    pub ip: IpOptions,
    /// `idle-timeout()`; `None` never.
    pub idle_timeout: Option<Duration>,
    /// Keep-alive probes.
    pub tcp: TcpOptions,
    /// Owner and mode of a unix socket.
    pub permissions: FilePermissions,
    /// `create-dirs()`: owner and mode of missing folders of a unix socket.
    pub folders: Option<FilePermissions>,
    /// `so-passcred()`: `.unix.pid`, `.unix.uid`, `.unix.gid`, `.unix.exe`, `.unix.cmdline` of the sender.
    pub credentials: bool,
    /// `transport(tls)` and its `tls()`.
    pub tls: Option<ListenerTls>,
    /// Which connections are encrypted, when there is a `tls()`.
    pub encryption: Encryption,
    /// `transport(proxied-tcp)` and similar ones.
    pub proxy: ProxyHeader,
}

/// The position of a PROXY header in a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProxyHeader {
    /// Nowhere.
    #[default]
    None,
    /// First of all: `transport(proxied-tcp)`, `transport(proxied-tls-passthrough)`.
    First,
    /// Inside of the encryption: `transport(proxied-tls)`.
    Encrypted,
}

/// The most of something at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountLimits {
    /// All together.
    pub total: usize,
    /// Limit of one peer; `None` when only the total is limited.
    pub per_peer: Option<usize>,
}

impl CountLimits {
    /// The most that one peer may have.
    pub(crate) fn of_one_peer(self) -> usize {
        self.per_peer.unwrap_or(self.total)
    }

    /// The same limits and `more`.
    pub(crate) fn and(self, more: usize) -> CountLimits {
        CountLimits {
            total: self.total.saturating_add(more),
            per_peer: self.per_peer.map(|most| most.saturating_add(more)),
        }
    }
}

/// Which connections of a listener with `tls()` are encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encryption {
    /// All of them.
    #[default]
    Always,
    /// Those that begin with a handshake: `transport(auto)`.
    Detected,
}

/// Handshakes at a time: per address enough for a relay that connects a hundred times at once, for all addresses no
/// more than take a fraction of a second of the processor's time.
const HANDSHAKES: CountLimits = CountLimits { total: 256, per_peer: Some(32) };

impl StreamListener {
    /// The defaults for an address.
    pub fn new(address: ListenAddress) -> StreamListener {
        let unix = matches!(address, ListenAddress::Unix(_));
        StreamListener {
            address,
            dialogue: Dialogue::None,
            connections: CountLimits { total: if unix { 256 } else { 10 }, per_peer: None },
            handshakes: HANDSHAKES,
            keep_over_reload: true,
            receive_buffer: 0,
            backlog: 255,
            reuse_port: false,
            ip: IpOptions::default(),
            idle_timeout: None,
            tcp: TcpOptions { keepalive: true, ..TcpOptions::default() },
            permissions: FilePermissions { mode: Some(0o666), ..FilePermissions::default() },
            folders: None,
            credentials: true,
            tls: None,
            encryption: Encryption::default(),
            proxy: ProxyHeader::None,
        }
    }
}

/// A listener for datagrams.
#[derive(Clone, Debug)]
pub struct DatagramListener {
    /// The address.
    pub address: ListenAddress,
    /// `so-rcvbuf()`; 0 leaves the system's value.
    pub receive_buffer: usize,
    /// `so-reuseport()`
    pub reuse_port: bool,
    /// `ip-tos()` and similar options.
    pub ip: IpOptions,
    /// Owner and mode of a unix socket.
    pub permissions: FilePermissions,
    /// `create-dirs()`: owner and mode of missing folders of a unix socket.
    pub folders: Option<FilePermissions>,
    /// `so-passcred()`
    pub credentials: bool,
    /// `transport(dtls)` and its `tls()`.
    pub dtls: Option<ListenerDtls>,
    /// `max-connections()` and `max-connections-per-address()` of DTLS.
    pub connections: CountLimits,
    /// `max-handshakes()` and `max-handshakes-per-address()` of DTLS.
    pub handshakes: CountLimits,
    /// `keep-alive()`: associations of DTLS outlive a reload.
    pub keep_over_reload: bool,
    /// `idle-timeout()` of DTLS; `None` never.
    pub idle_timeout: Option<Duration>,
}

/// Peers of a DTLS listener when `max-connections()` is not written. One that is silent takes little memory.
const DTLS_PEERS_MAX: usize = 1_000;
/// Idle time-out of DTLS: a peer that left without a close notification is never detected otherwise.
const DTLS_IDLE: Duration = Duration::from_secs(3_600);

impl DatagramListener {
    /// The defaults for an address.
    pub fn new(address: ListenAddress) -> DatagramListener {
        DatagramListener {
            address,
            receive_buffer: 0,
            reuse_port: false,
            ip: IpOptions::default(),
            permissions: FilePermissions { mode: Some(0o666), ..FilePermissions::default() },
            folders: None,
            credentials: true,
            dtls: None,
            connections: CountLimits { total: DTLS_PEERS_MAX, per_peer: None },
            handshakes: HANDSHAKES,
            keep_over_reload: true,
            idle_timeout: Some(DTLS_IDLE),
        }
    }
}

/// `file("name")`: follows a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSource {
    /// Path.
    pub path: PathBuf,
    /// `follow-freq()`
    pub poll_every: Duration,
    /// `read-old-records()`, on by default: a file without a stored position is read from its start.
    pub from_start: bool,
    /// `persist-name()`: its position is kept under this name; without it under that of the source.
    pub persist_name: Option<String>,
}

/// `wildcard-file()`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WildcardSource {
    /// `base-dir()`
    pub folder: PathBuf,
    /// `filename-pattern()`: `*` and `?`.
    pub pattern: String,
    /// `exclude-pattern()`
    pub excluded: Option<String>,
    /// `recursive()`
    pub recursive: bool,
    /// `max-files()`
    pub files_max: usize,
    /// `read-old-records()`, on by default: files that are there at the start and have no stored position are read from
    /// their start.
    pub from_start: bool,
    /// `follow-freq()`
    pub poll_every: Duration,
    /// `persist-name()`: positions are kept under this name; without it under that of the source.
    pub persist_name: Option<String>,
}

/// `systemd-journal()`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JournalSource {
    /// `prefix()`: put before the names of the journal's fields.
    pub prefix: String,
    /// `max-field-size()`: longer values are cut.
    pub field_bytes_max: usize,
    /// `read-old-records()`: without a stored cursor, begin with the oldest entry.
    pub from_start: bool,
    /// `match-boot()`: entries of this boot only.
    pub this_boot: bool,
    /// `matches()`: entries with all of these `FIELD=VALUE`.
    pub matches: Vec<String>,
    /// `namespace()`: journal of that name; `*` is all.
    pub namespace: Option<String>,
    /// `folder()`: files of another machine or journal.
    pub folder: Option<PathBuf>,
}

impl Default for JournalSource {
    fn default() -> JournalSource {
        JournalSource {
            prefix: ".journald.".to_owned(),
            field_bytes_max: 65_536,
            from_start: false,
            this_boot: false,
            matches: Vec::new(),
            namespace: None,
            folder: None,
        }
    }
}

/// `pipe("name")`
#[derive(Clone, Debug)]
pub struct PipeSource {
    /// Path; created when it is not there.
    pub path: PathBuf,
    /// Owner and mode of a created pipe.
    pub permissions: FilePermissions,
    /// `create-dirs()`: owner and mode of missing folders.
    pub folders: Option<FilePermissions>,
}

/// `program("command")`: messages that it prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramSource {
    /// Command line for `/bin/sh -c`; started again when it ends.
    pub command: String,
    /// The pause before it is started again.
    pub restart_after: Duration,
    /// `inherit-environment()`.
    pub environment: Environment,
}

/// `example-msg-generator()`
#[derive(Clone)]
pub struct Generator {
    /// `num()`; 0 is no end.
    pub count: u64,
    /// `freq()`: the pause between two messages.
    pub every: Duration,
    /// `template()`
    pub template: Option<Arc<Mutex<dyn Render>>>,
    /// `values()`: name, kind and text.
    pub values: Vec<(message::FieldName, message::ValueKind, Vec<u8>)>,
}

#[cfg(test)]
mod tests;

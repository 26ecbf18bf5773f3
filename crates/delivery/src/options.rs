//! The options of a destination.
//!
//! In: values that were checked when the configuration was read. Out: the same, typed, for the drivers.
//! Holds: nothing that runs. Limits: the defaults are syslog-ng's.

use journal::{Disk, OsDisk};
use letters::DeadLetterOptions;
use message::Render;
use receivers::contract::Receiver;
use sltp::SenderOptions;
use std::{path::PathBuf, sync::Arc, time::Duration};
pub use transport::sending::output::StreamFraming;
use transport::{
    FilePermissions, IpOptions, TcpOptions, dtls::SenderDtls, shell::Environment, tls::SenderTls,
};
use wire::mail_dialogue::MailLogin;

/// One `destination` driver as configured.
pub struct DestinationSpec {
    /// `d_file#0`: name of the statement, `#`, number of the driver. The queue of this name outlives a reload.
    pub id: String,
    /// Driver as written, for the counters: `file`, `network`, `udp`, ...
    pub component: String,
    /// The driver with its own options.
    pub driver: DestinationDriver,
    /// Its queue.
    pub queueing: Queueing,
    /// How its messages become bytes.
    pub rendering: Rendering,
}

/// Every kind of target.
pub enum DestinationDriver {
    /// `file()`
    File(FileTarget),
    /// `network()`, `syslog()`, `tcp()`, `udp()`, `unix-stream()`, `unix-dgram()`
    Socket(SocketTarget),
    /// The same over UDP with `spoof-source(yes)`
    Spoof(SpoofTarget),
    /// `relp()`
    Relp(RelpTarget),
    /// `sltp()`
    Sltp(Box<SltpTarget>),
    /// `gelf()` over UDP
    Gelf(GelfTarget),
    /// `smtp()`
    Mail(Box<MailTarget>),
    /// `pipe()`
    Pipe(PipeTarget),
    /// `pseudofile()`
    Pseudofile(PseudofileTarget),
    /// `program()`
    Program(ProgramTarget),
    /// `usertty()`
    Terminals(TerminalTarget),
    /// `stdout()`
    Stdout,
    /// Any system that answers for each message: `sql()`, `http()`, ...
    Receiver(Box<dyn Receiver>),
}

/// The queue before a driver and how often it tries.
#[derive(Clone, Debug)]
pub struct Queueing {
    /// `log-fifo-size()`: most messages that wait. Further ones are dropped and counted, except on paths with flow
    /// control and for `file()`: there the sources' windows are the limit.
    pub messages_max: usize,
    /// Most bytes of received buffers that the waiting messages of paths without flow control may pin.
    pub bytes_max: usize,
    /// `time-reopen()`: the pause after an error.
    pub reopen_after: Duration,
    /// `throttle()`: most messages per second; 0 is no limit.
    pub throttle: u32,
    /// `on-full()`
    pub on_full: OverflowPolicy,
    /// `disk-buffer()`
    pub disk: Option<DiskBuffer>,
    /// `dead-letters()`: storage for messages that the receiver will never accept, for drivers that settle each
    /// message separately. These need it; others ignore it.
    pub dead_letters: Option<DeadLetterOptions>,
    /// `suppress()`: within this time a repeated message is only counted.
    pub suppress: Option<Duration>,
    /// `mark-mode()` and `mark-freq()`
    pub marks: Option<Marks>,
    /// Bytes of output to gather before writing, unless the queue runs empty first.
    pub batch_bytes: usize,
}

impl Default for Queueing {
    fn default() -> Queueing {
        Queueing {
            messages_max: 10_000,
            bytes_max: 256 << 20,
            reopen_after: Duration::from_secs(60),
            throttle: 0,
            on_full: OverflowPolicy::ByPath,
            disk: None,
            dead_letters: None,
            suppress: None,
            marks: None,
            batch_bytes: 256 << 10,
        }
    }
}

/// `on-full()`: the behaviour of a full queue, in memory or on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OverflowPolicy {
    /// Holds back the sources of paths with flow control, and drops the newest messages of others. `file()` without
    /// a queue on disk holds back all.
    #[default]
    ByPath,
    /// Holds back all sources.
    Hold,
    /// Drops messages of all paths, and holds back no source.
    Drop(Victim),
}

/// The messages that a full queue drops first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victim {
    /// The newest.
    Newest,
    /// The oldest. A queue on disk cannot do this.
    Oldest,
    /// The least severe, and of these the newest. A queue on disk does not remove messages that it already has: of
    /// its last quarter, each severity may use a seventh more than the next less severe one.
    LeastSevere,
}

/// When a destination writes `-- MARK --`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marks {
    /// `mark-mode()`
    pub mode: MarkMode,
    /// `mark-freq()`
    pub every: Duration,
}

/// `mark-mode()` of a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkMode {
    /// Always.
    Periodical,
    /// When nothing was written for this long.
    DestinationIdle,
    /// When no source of this machine received anything for this long.
    HostIdle,
}

/// `disk-buffer()`: the queue is on disk.
#[derive(Clone)]
pub struct DiskBuffer {
    /// The folder of this queue alone, which identifies it across reloads and restarts; or that of the log it shares.
    pub folder: PathBuf,
    /// `shared()`: the name of the destination in the log that it shares with others. Such a log is always `reliable`.
    pub consumer: Option<String>,
    /// `reliable()`: every message is on disk, synced, before a source learns that it is safe. Otherwise the
    /// message is by then delivered or with the operating system: it survives the end of the process, but not a
    /// loss of power.
    pub reliable: bool,
    /// `capacity-bytes()`
    pub capacity_bytes: u64,
    /// `flow-control-window-bytes()`: bytes that the destination may have in memory for writing.
    pub memory_bytes: usize,
    /// `front-cache-size()`: most messages that it may have there.
    pub memory_messages: usize,
    /// Without `reliable()`: how long a message may be in memory only before it goes to disk. Until then its source
    /// waits for the acknowledgement: the shorter this is, the less a slow destination slows down a fast source.
    pub memory_for: Duration,
    /// Behaviour when `capacity_bytes` are used; in a shared log, when the destination is that far behind.
    pub on_full: OverflowPolicy,
    /// `prealloc()`
    pub preallocate: bool,
    /// `truncate-size-ratio()`: share of the capacity that empty files may keep.
    pub truncate_ratio: Option<f64>,
    /// The file system.
    pub disk: Arc<dyn Disk>,
}

impl DiskBuffer {
    /// Least value of `front-cache-size()`: more than a source has in flight (8 MiB) when messages have 128 bytes.
    pub const MESSAGES_MIN: usize = 65_536;

    /// Time in memory only: longer than a local or near receiver takes, and short enough that the window of a source
    /// (16,384 messages) lets through 800,000 messages a second meanwhile.
    pub const MEMORY_FOR: Duration = Duration::from_millis(20);

    /// The defaults for a folder and a capacity, which is at least a mebibyte.
    pub fn new(folder: PathBuf, capacity_bytes: u64) -> DiskBuffer {
        DiskBuffer {
            folder,
            consumer: None,
            reliable: false,
            capacity_bytes: capacity_bytes.max(1 << 20),
            memory_bytes: 16 << 20,
            memory_messages: DiskBuffer::MESSAGES_MIN,
            memory_for: DiskBuffer::MEMORY_FOR,
            on_full: OverflowPolicy::ByPath,
            preallocate: false,
            truncate_ratio: None,
            disk: Arc::new(OsDisk),
        }
    }
}

impl std::fmt::Debug for DiskBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DiskBuffer { folder, reliable, capacity_bytes, .. } = self;
        write!(f, "DiskBuffer({}, reliable={reliable}, capacity={capacity_bytes})", folder.display())
    }
}

/// How a message becomes bytes.
pub struct Rendering {
    /// `template()` or the driver's default form, with a line feed at the end if the target needs one.
    pub template: Box<dyn Render>,
}

/// `file("name")`.
pub struct FileTarget {
    /// The name. The part before its first macro is trusted; values from messages cannot leave its folder.
    pub name: Box<dyn Render>,
    /// The constant text before the first macro (the whole name when there is none).
    pub trusted_prefix: String,
    /// `create-dirs()`
    pub create_folders: bool,
    /// `owner()`, `group()`, `perm()`
    pub permissions: FilePermissions,
    /// `dir-owner()`, `dir-group()`, `dir-perm()`
    pub folder_permissions: FilePermissions,
    /// `time-reap()`: a file without messages for this long is closed; `None` never.
    pub reap_after: Option<Duration>,
    /// `fsync()`: every batch reaches the disk before it is acknowledged.
    pub fsync: bool,
    /// `overwrite-if-older()`: a file that was last changed longer ago than this is emptied when it is opened;
    /// `None` never.
    pub overwrite_if_older: Option<Duration>,
    /// `logrotate()`
    pub rotation: Option<Rotation>,
    /// `compress()`: every write is a whole member of a gzip file.
    pub compress: bool,
    /// `symlink-as()`: a link to the file that was opened last.
    pub link: Option<PathBuf>,
    /// Most files open at a time; the one longest without messages is closed first.
    pub open_files_max: usize,
}

/// `logrotate()`: `name` becomes `name.1`, that becomes `name.2`, and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotation {
    /// `size()`: a file of this many bytes is put aside.
    pub bytes: u64,
    /// `rotations()`: how many are kept; at least 1.
    pub kept: u32,
}

/// Transport and address of a receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SocketKind {
    /// TCP to host and port.
    Tcp(String, u16),
    /// UDP to host and port.
    Udp(String, u16),
    /// DTLS to host and port.
    Dtls(String, u16, SenderDtls),
    /// A unix stream socket.
    UnixStream(PathBuf),
    /// A unix datagram socket.
    UnixDatagram(PathBuf),
}

/// A server by name or address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Server {
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// `failback()`: when to go back to the first server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failback {
    /// `tcp-probe-interval()`
    pub interval: Duration,
    /// `successful-probes-required()`
    pub successes: u32,
}

/// `network()`, `syslog()` and their older spellings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SocketTarget {
    /// Transport and address of the receiver.
    pub kind: SocketKind,
    /// `ip-protocol(6)`: prefer IPv6 addresses of a name.
    pub ipv6: bool,
    /// `localip()` and `localport()`.
    pub local: Option<std::net::SocketAddr>,
    /// How messages are separated on a stream.
    pub framing: StreamFraming,
    /// `so-sndbuf()`; 0 leaves the system's value.
    pub send_buffer: usize,
    /// `so-broadcast()`
    pub broadcast: bool,
    /// Keep-alive probes.
    pub tcp: TcpOptions,
    /// `keep-alive()`: the connection outlives a reload.
    pub keep_over_reload: bool,
    /// `ip-tos()` and similar options.
    pub ip: IpOptions,
    /// `transport(tls)` and its `tls()`.
    pub tls: Option<SenderTls>,
    /// `failover(servers(...))`: tried in turn when the first one fails.
    pub failover: Vec<Server>,
    /// `failover(failback(...))`; without it the present server is kept until it fails.
    pub failback: Option<Failback>,
}

impl SocketTarget {
    /// The defaults.
    pub fn new(kind: SocketKind) -> SocketTarget {
        SocketTarget {
            kind,
            ipv6: false,
            local: None,
            framing: StreamFraming::Plain,
            send_buffer: 0,
            broadcast: false,
            tcp: TcpOptions { keepalive: true, ..TcpOptions::default() },
            keep_over_reload: true,
            ip: IpOptions::default(),
            tls: None,
            failover: Vec::new(),
            failback: None,
        }
    }

    /// Returns the server that the driver names, and its substitutes.
    pub(crate) fn servers(&self) -> Vec<Server> {
        let first = match &self.kind {
            SocketKind::Tcp(host, port) | SocketKind::Udp(host, port) | SocketKind::Dtls(host, port, _) => {
                Server { host: host.clone(), port: *port }
            }
            SocketKind::UnixStream(_) | SocketKind::UnixDatagram(_) => Server::default(),
        };
        std::iter::once(first).chain(self.failover.iter().cloned()).collect()
    }
}

/// `spoof-source(yes)`: datagrams have the address of the message's sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpoofTarget {
    /// The receiver; UDP.
    pub socket: SocketTarget,
    /// `spoof-source-max-msglen()`: longer messages are cut.
    pub message_bytes_max: usize,
    /// `spoof-interface()`: packets leave by this one.
    pub interface: Option<String>,
}

/// `relp()`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelpTarget {
    /// The receiver; TCP.
    pub socket: SocketTarget,
    /// `response-timeout()`: a connection without a due answer for this long is given up.
    pub response_within: Duration,
}

/// `sltp()`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SltpTarget {
    /// The receiver; TCP.
    pub socket: SocketTarget,
    /// The options of the sending end.
    pub options: SenderOptions,
    /// `response-timeout()`: a connection without a due answer for this long is given up.
    pub response_within: Duration,
    /// `fallback(relp)`: how a receiver is spoken to that does not speak SLTP.
    pub fallback: Option<RelpTarget>,
}

/// How the payload of a GELF datagram is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Packing {
    /// Not compressed.
    None,
    /// gzip
    #[default]
    Gzip,
    /// zlib
    Zlib,
}

/// `gelf()` over UDP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GelfTarget {
    /// The receiver; UDP.
    pub socket: SocketTarget,
    /// `compression()`
    pub packing: Packing,
    /// `chunk-size()`: largest datagram.
    pub chunk_bytes: usize,
}

/// `smtp()`: the rendered text is an envelope with its mail, see `wire::mail`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailTarget {
    /// The mail server; TCP, encrypted from the start with `transport(tls)`.
    pub socket: SocketTarget,
    /// `transport(starttls)`: encrypted before anything is sent.
    pub starttls: Option<SenderTls>,
    /// `user()` and `password()`
    pub login: Option<MailLogin>,
    /// `timeout()`: a connection without a due answer for this long is given up.
    pub answer_within: Duration,
    /// `retries()`: how often a mail that the server postponed is retried.
    pub retries: u32,
}

/// `pipe("name")`.
#[derive(Clone, Debug)]
pub struct PipeTarget {
    /// Path; created if missing.
    pub path: PathBuf,
    /// Its owner and mode.
    pub permissions: FilePermissions,
    /// `create-dirs()`: owner and mode of missing folders.
    pub folders: Option<FilePermissions>,
}

/// `pseudofile("name")`: opened for every message.
#[derive(Clone, Debug)]
pub struct PseudofileTarget {
    /// Path.
    pub path: PathBuf,
}

/// `program("command")`: its standard input gets the messages.
#[derive(Clone, Debug)]
pub struct ProgramTarget {
    /// Command line for `/bin/sh -c`.
    pub command: String,
    /// `keep-alive()`: the program outlives a reload.
    pub keep_over_reload: bool,
    /// `inherit-environment()`.
    pub environment: Environment,
}

/// `usertty("user")`.
#[derive(Clone, Debug)]
pub struct TerminalTarget {
    /// Whose terminals; `*` is everyone's.
    pub user: String,
}

//! Listeners, sessions, queues and senders of log protocols: where bytes enter the program and where they leave.
//!
//! In: sockets, files, pipes, programs, the journal of the machine. Out: batches into an [`message::Intake`]; and
//! the other way round, [`message::Delivery`]s to files, sockets, pipes, programs and terminals.
//! Holds: one reactor thread a core for sources, one thread a destination, their queues and counters, the file of
//! read positions. A [`Sources`] and a [`Destinations`] set keep what a reload leaves unchanged.
//! Limits: a connection's [`Window`] bounds what it has in work; a queue is bounded in messages.

pub mod dtls;
pub mod shell;
pub mod stats;
pub mod tls;

mod clock;
mod folders;
mod host_names;
mod internal;
mod ip;
mod positions;
mod reactor;
mod stage;
mod sys;

mod destination;
mod source;

#[cfg(test)]
mod testing;

pub use destination::{
    Compression, DestinationDriver, DestinationSpec, Destinations, DiskBuffer, Failback, FilePermissions,
    FileTarget, GelfTarget, HttpTarget, ItemResults, MailLogin, MailTarget, MarkMode, Marks, Packing,
    PipeTarget, ProgramTarget, PseudofileTarget, Queueing, RelpTarget, Render, Rendering, RequestSettings,
    ResponseAction, Rotation, SecureDatagrams, Server, SocketKind, SocketTarget, SpoofTarget,
    StagedDestinations, StreamFraming, TcpOptions, TerminalTarget, mark,
};
pub use destination::{QueueSummary, look as look_into_queue, queues};
pub use host_names::HostNames;
pub(crate) use internal::LogPause;
pub use internal::{Echo, InternalLog};
pub use ip::IpOptions;
pub use source::{
    Acknowledge, CountLimits, DatagramListener, Dialogue, Encryption, FileSource, Form, Generator,
    HostPolicy, HttpOptions, JournalSource, ListenAddress, PipeSource, ProgramSource, ProxyHeader, Reading,
    Rehearsal, SourceDriver, SourceSpec, Sources, StagedSources, StreamListener, UseDns, WildcardSource,
    Window,
};
pub use stage::StageError;
pub use stats::{Counters, DropReason, REFUSAL_REASONS, RefusalCounts, RefusalReason, Registry, State};
pub use sys::{bound_free_memory, release_free_memory};

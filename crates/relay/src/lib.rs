//! Listeners, sessions, queues and senders of log protocols: where bytes enter the program and where they leave.
//!
//! In: sockets, files, pipes, programs, the journal of the machine. Out: batches into an [`message::Intake`]; and
//! the other way round, [`message::Delivery`]s to files, sockets, pipes, programs and terminals.
//! Holds: one reactor thread a core for sources, one thread a destination, their queues and counters, the file of
//! read positions. A [`Sources`] and a [`Destinations`] set keep what a reload leaves unchanged.
//! Limits: a connection's [`Window`] bounds what it has in work; a queue is bounded in messages.

mod destination;
mod positions;
mod source;

pub use destination::{
    Compression, DestinationDriver, DestinationSpec, Destinations, DiskBuffer, Failback, FileTarget,
    GelfTarget, HttpTarget, ItemResults, MailLogin, MailTarget, MarkMode, Marks, Packing, PipeTarget,
    ProgramTarget, PseudofileTarget, Queueing, RelpTarget, Rendering, RequestSettings, ResponseAction,
    Rotation, SecureDatagrams, Server, SocketKind, SocketTarget, SpoofTarget, StagedDestinations,
    StreamFraming, TerminalTarget, mark,
};
pub use destination::{QueueSummary, look as look_into_queue, queues};
pub use source::{
    Acknowledge, CountLimits, DatagramListener, Dialogue, Encryption, FileSource, Form, Generator,
    HttpOptions, JournalSource, ListenAddress, PipeSource, ProgramSource, ProxyHeader, Reading, Rehearsal,
    SourceDriver, SourceSpec, Sources, StagedSources, StreamListener, WildcardSource, Window,
};

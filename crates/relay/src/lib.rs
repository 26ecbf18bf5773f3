//! Sources: everything that brings bytes in.
//!
//! In: sockets, files, pipes, programs, the journal of the machine. Out: batches into an [`message::Intake`].
//! Holds: one reactor thread a core, the file of read positions. A [`Sources`] set keeps what a reload leaves unchanged.
//! Limits: a connection's [`Window`] bounds what it has in work.

mod positions;
mod source;

pub use source::{
    Acknowledge, CountLimits, DatagramListener, Dialogue, Encryption, FileSource, Form, Generator,
    HttpOptions, JournalSource, ListenAddress, PipeSource, ProgramSource, ProxyHeader, Reading, Rehearsal,
    SourceDriver, SourceSpec, Sources, StagedSources, StreamListener, WildcardSource, Window,
};

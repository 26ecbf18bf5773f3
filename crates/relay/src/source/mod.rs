//! Sources: everything that brings bytes in.
//!
//! In: sockets, files, pipes, programs. Out: batches for the pipeline. Holds: the set of running sources.
//! Limits: see [`Window`].

pub(crate) mod feed;
mod file;
mod http;
mod local;
mod options;
mod rehearsal;
mod relp;
mod secure;
mod session;
mod set;
mod socket;
#[cfg(test)]
mod testing;

pub use http::{Acknowledge, HttpOptions};
pub use options::{
    DatagramListener, Dialogue, Encryption, FileSource, Form, Generator, JournalSource, ListenAddress,
    PipeSource, ProgramSource, Reading, SourceDriver, SourceSpec, StreamListener, WildcardSource, Window,
};
pub use rehearsal::Rehearsal;
pub use set::{Sources, StagedSources};
pub use socket::{CountLimits, ProxyHeader};

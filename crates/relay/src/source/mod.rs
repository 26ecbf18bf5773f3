//! Sources: everything that brings bytes in.
//!
//! In: sockets, files, pipes, programs. Out: batches for the pipeline. Holds: the set of running sources.
//! Limits: see [`Window`].

mod options;

pub use options::{
    DatagramListener, FileSource, Generator, HostPolicy, ListenAddress, PipeSource, ProgramSource, Reading,
    SourceDriver, SourceSpec, StreamListener, UseDns, WildcardSource, Window,
};

//! Sources: everything that brings bytes in.
//!
//! In: sockets, files, pipes, programs, the journal of the machine. Out: batches into an [`message::Intake`].
//! Holds: the set of running sources, one reactor thread a core, the file of read positions. A reload leaves what is
//! unchanged as it is. Limits: a connection's [`Window`] bounds what it has in work.
//!
//! The modules, in reading order; each imports only what stands below it:
//!
//! | module | what it does |
//! |---|---|
//! | `set` | the running sources, kept over reloads |
//! | `rehearsal` | a source for messages that someone made up |
//! | `socket` | listeners, their connections, datagrams, who may connect |
//! | `file` | files that are followed |
//! | `local` | pipes, devices, programs, the journal, our own messages |
//! | `http` | requests of shippers, and their answers |
//! | `relp` | RELP: messages are answered when they are safe |
//! | `session` | a stream of messages, whatever carries it |
//! | `secure` | a stream inside of TLS |
//! | `batch_reader` | received bytes to batches: frames, messages, names, window, hand-over |
//! | `positions` | positions at which reading resumes after a restart |
//! | `options` | what a configuration says about a source |

mod batch_reader;
mod file;
mod http;
mod local;
mod options;
mod positions;
mod rehearsal;
mod relp;
mod secure;
mod session;
mod set;
mod socket;

#[cfg(test)]
mod testing;

pub use options::{
    Acknowledge, CountLimits, DatagramListener, Dialogue, Encryption, FileSource, Form, Generator,
    HttpOptions, JournalSource, ListenAddress, PipeSource, ProgramSource, ProxyHeader, SourceDriver,
    SourceOptions, SourceSpec, StreamListener, WildcardSource, Window,
};
pub use rehearsal::Rehearsal;
pub use set::{Sources, StagedSources};

//! Sources: everything that receives bytes.
//!
//! In: sockets, files, pipes, programs, the journal of the machine, other systems through [`Input`]. Out: batches
//! into an [`message::Intake`]. Holds: the set of running sources, one reactor thread per core, the file of read positions. A reload
//! leaves unchanged sources alone. Limits: a connection's [`Window`] bounds the messages that it has in flight.
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `set` | the running sources, kept across reloads |
//! | `rehearsal` | a source for made-up messages |
//! | `socket` | listeners, their connections, datagrams, admission |
//! | `file` | files that are followed |
//! | `local` | pipes, devices, programs, the journal, our own messages |
//! | `http` | requests of shippers, and their answers |
//! | `dialogue` | RELP, SLTP and what Beats speak: messages are answered when they are safe |
//! | `session` | a stream of messages, whatever carries it |
//! | `secure` | a stream inside TLS |
//! | `document` | what another system has of one thing, read from an offset on |
//! | `batch_reader` | turns received bytes into batches: frames, messages, names, window, forwarding |
//! | `source` | a driver, its settings, the contract with other systems that are read |
//! | `positions` | positions at which reading resumes after a restart |
//! | `options` | the options of a source |

mod batch_reader;
mod dialogue;
mod document;
mod file;
mod http;
mod local;
mod options;
mod positions;
mod rehearsal;
mod secure;
mod session;
mod set;
mod socket;
mod source;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use batch_reader::{BatchReader, Completion, FlowWindow, READ_BYTES, Run};
pub use document::DocumentReader;
pub use options::{
    Acknowledge, BeatsOptions, ClientHeader, CountLimits, DatagramListener, Dialogue, Encryption, FileSource,
    Form, Generator, HttpOffer, HttpOptions, JournalSource, ListenAddress, PathPattern, PipeSource,
    ProgramSource, ProxyHeader, RequestHeaders, SourceOptions, StreamListener, WebhookContent,
    WebhookOptions, WildcardSource, Window,
};
pub use positions::Positions;
pub use rehearsal::Rehearsal;
pub use set::{Sources, StagedSources};
pub use source::{Input, InputTask, Settings, SettingsCell, SourceDriver, SourceSpec};

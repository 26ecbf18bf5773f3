//! Destinations: a queue, a thread that renders and writes, and a driver that knows one kind of target.
//!
//! In: deliveries of the pipeline. Out: bytes in files, sockets, pipes, programs, terminals.
//! Holds: the set of running destinations by name, so that a reload leaves queues and connections alive.
//! Limits: see [`Queueing`].

mod driver;
mod file;
mod http;
mod line;
mod marks;
mod options;
mod output;
mod queue;
mod repeats;
mod set;
mod spool;
mod stopping;
mod target;
mod worker;

pub use http::{Compression, HttpTarget, ItemResults, RequestSettings, ResponseAction};
pub use marks::mark;
pub use options::{
    DestinationDriver, DestinationSpec, DiskBuffer, Failback, FileTarget, GelfTarget, MailLogin, MailTarget,
    MarkMode, Marks, Packing, PipeTarget, ProgramTarget, PseudofileTarget, Queueing, RelpTarget, Rendering,
    Rotation, Server, SocketKind, SocketTarget, SpoofTarget, StreamFraming, TerminalTarget,
};
pub use set::{Destinations, StagedDestinations};
pub use spool::{QueueSummary, look, queues};
pub use target::SecureDatagrams;

#[cfg(test)]
mod testing;

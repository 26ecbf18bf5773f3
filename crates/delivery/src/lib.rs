//! Destinations: a queue, a thread that renders and writes, and a driver that knows one kind of target.
//!
//! In: [`message::Delivery`]s of the pipeline. Out: bytes in files, sockets, pipes, programs, terminals, requests;
//! acknowledgements once the messages are there. Holds: the set of running destinations by name, so that queues and
//! connections survive a reload. Limits: see [`Queueing`] and [`DiskBuffer`].
//!
//! The modules, in reading order; each imports only modules below it:
//!
//! | module | what it does |
//! |---|---|
//! | `set` | the running destinations, kept by name across reloads |
//! | `contents` | shows users the queues on disk |
//! | `shared_log` | `disk-buffer(shared())`: one log on disk before several destinations |
//! | `spool` | `disk-buffer()`: a queue on disk before a destination |
//! | `worker` | the thread of a destination: renders, writes, retries, releases tokens; marks, `suppress()` |
//! | `queue` | the messages that wait for that thread; other threads may write in its place |
//! | `drivers` | the driver of each kind of target, and one for all receivers that answer for each message |
//! | `file` | files whose names may contain macros |
//! | `network` | receivers at the other end of a socket |
//! | `local` | pipes, programs, terminals |
//! | `line` | code shared by targets with one stream of messages |
//! | `driver` | the interface between the thread and each kind of target |
//! | `options` | the options of a destination |

mod contents;
mod driver;
mod drivers;
mod file;
mod line;
mod local;
mod network;
mod options;
mod queue;
mod set;
mod shared_log;
mod spool;
mod worker;

#[cfg(test)]
mod testing;

pub use contents::{is_consumer_file, is_shared_log, look_into_queue, queues, shrink_queue};
pub use letters::{
    ANSWER_BYTES_MAX, DeadFilter, DeadLetterOptions, DeadLetters, Letter, LetterError, LetterHead,
    LetterSelection, OnFull, StoreError, Unread, dead_folders, look_at_dead, replay,
};
pub use network::{SecureDatagrams, send_mail};
pub use options::{
    DestinationDriver, DestinationSpec, DiskBuffer, Failback, FileTarget, GelfTarget, MailTarget, MarkMode,
    Marks, OverflowPolicy, Packing, PipeTarget, ProgramTarget, PseudofileTarget, Queueing, RelpTarget,
    Rendering, Rotation, Server, SltpTarget, SocketKind, SocketTarget, SpoofTarget, StreamFraming,
    TerminalTarget, Victim,
};
pub use receivers::contract::{
    Batches, Cell, Chore, Connection, Exchange, Heartbeat, HoldReason, Judgement, Receiver, RequestLimits,
    Row, RowError, Verdict, Wait,
};
pub use receivers::partitioned::Partitioned;
pub use receivers::sequences::SequenceSet;
pub use receivers::staging::{DiskSpace, StagedBefore, Staging};
#[cfg(feature = "testing")]
pub use receivers::testing as receiver_testing;
pub use receivers::{failure, verdicts};
pub use set::{Destinations, StagedDestinations};
pub use shared_log::{SharedLogLock, SharedQueue, lock_shared_log};
pub use spool::{AppendError, LookError, QueueAppender, QueueSummary};
pub use transport::sending::stopping::patience;
pub(crate) use transport::sending::{output, stopping};
pub use worker::mark;

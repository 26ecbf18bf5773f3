//! `disk-buffer(shared())`: one log on disk for several destinations.
//!
//! In: deliveries. Out: the same, in order, to the queue of each destination's thread; tokens of sources as soon as
//! their messages are on the device. Holds: a journal in which the messages of a batch are once, with the destinations
//! they are for; for each destination a file with what it has settled.
//! Limits: each destination is at most `capacity-bytes()` behind, then its `on-full()` decides, for it alone. At most
//! 64 destinations share a log. The bytes of an entry are made and read by `message::codec::shared`.
//!
//! Messages that were delivered but not recorded before the process died are delivered again: nothing is lost, some
//! arrive twice.
//!
//! | module | what it does |
//! |---|---|
//! | `logs` | the running logs, and the entrance of each destination |
//! | `thread` | writes to disk what came for all destinations, and passes it on |
//! | `moving` | messages move in from a queue of the destination's own |
//! | `consumer` | one destination: how far it is, what it may be behind |
//! | `backlog` | what waits for one destination, moved out of the log |
//! | `inbox` | the state shared by the entrances and the thread |
//! | `contents` | shows users what is in a log |
//! | `files` | the folder |
//! | `file_index` | which destinations have messages in a file |
//! | `progress` | the file of a consumer |
//! | `in_flight` | deliveries on their way to one destination |

mod backlog;
mod consumer;
mod contents;
mod file_index;
mod files;
mod in_flight;
mod inbox;
mod logs;
mod moving;
mod progress;
mod thread;

pub use contents::{SharedLogLock, SharedQueue, lock_shared_log};
pub(super) use contents::{consumers, is_consumer, look, shrink};
pub(super) use logs::{SharedEntrance, SharedLogs};

#[cfg(test)]
mod tests;

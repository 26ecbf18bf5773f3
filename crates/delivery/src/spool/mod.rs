//! `disk-buffer()`: a queue on disk before a destination.
//!
//! In: deliveries. Out: the same, in order, to the queue of the destination's thread; tokens of sources as soon as
//! their messages are written or on disk. Holds: a journal in a folder of its own, the position up to which
//! everything is delivered, and as much in memory as the destination is about to write.
//! Limits: `capacity-bytes()` on disk. At the limit `on-full()` decides which sources wait and what is dropped.
//!
//! With `reliable(yes)` every message goes to disk first. Otherwise, it goes there when the destination does not
//! keep up (memory is full, or the message has waited there for a moment), and at the stop. Until then its source
//! waits for the acknowledgement, so that no acknowledged message is lost with the process.
//!
//! Messages that were delivered but not recorded before a loss of power are delivered again: nothing is lost, some
//! arrive twice.

mod append;
pub(crate) mod aside;
mod contents;
mod entrance;
mod files;
mod flights;
mod keeper;
pub(crate) mod overflow;
mod rereads;
mod taken;

pub(crate) use append::QueueDrain;
pub use append::{AppendError, QueueAppender};
pub use contents::{LookError, QueueSummary};
pub(crate) use contents::{is_queue, look};
pub(super) use entrance::Entrance;
pub(super) use keeper::Keeper;

#[cfg(test)]
mod tests;

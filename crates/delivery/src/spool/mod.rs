//! `disk-buffer()`: a queue on disk before a destination.
//!
//! In: deliveries. Out: the same, in order, to the queue of the destination's thread; tokens of sources as soon as
//! their messages are written or on the disk. Holds: a journal in a folder of its own, the place up to which was delivered,
//! and as much in memory as the destination is about to write.
//! Limits: `capacity-bytes()` on the disk. At the limit `on-full()` says who waits and what is dropped.
//!
//! With `reliable(yes)` every message is on the disk first. Without, it comes there when the destination does not keep up:
//! memory is full, or the message has waited there for a moment; and at the stop. Until then its source waits for its
//! acknowledgement, so that nothing that was acknowledged is lost with the process.
//!
//! What is delivered but not noted yet when the power goes is delivered again: nothing is lost, some comes twice.

mod aside;
mod contents;
mod entrance;
mod files;
mod flights;
mod keeper;
mod overflow;

pub use contents::{LookError, QueueSummary, look, queues};
pub(super) use entrance::Entrance;
pub(super) use keeper::Keeper;

#[cfg(test)]
mod tests;

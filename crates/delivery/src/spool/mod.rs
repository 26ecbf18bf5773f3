//! `disk-buffer()`: a queue on disk before a destination.
//!
//! In: deliveries. Out: the same, in order, to the queue of the destination's thread; tokens of sources as soon as
//! their messages are on the disk. Holds: a journal in a folder of its own, the place up to which was delivered, and
//! as much in memory as the destination is about to write.
//! Limits: `capacity-bytes()` on the disk. At the limit paths with flow control wait; others drop and count.
//!
//! What is delivered but not noted yet when the power goes is delivered again: nothing is lost, some comes twice.

mod aside;
mod contents;
mod entrance;
mod files;
mod flights;
mod keeper;

pub use contents::{LookError, QueueSummary, look, queues};
pub(super) use entrance::Entrance;
pub(super) use keeper::Keeper;

#[cfg(test)]
mod tests;

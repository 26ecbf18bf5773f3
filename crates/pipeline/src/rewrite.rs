//! Rewrites: changes of messages, each under a condition.
//!
//! In: a batch and the messages to change. Out: the same batch, changed. A rewrite never fails: a value that
//! cannot be made leaves the message unchanged.
//! Limits: none of its own.

mod apply;
mod group;
mod operation;
mod replace;
mod target;
mod zone;

pub use apply::{facility_of, priority_of, severity_of};
pub use operation::{Operation, Rewrite};
pub use zone::Zone;

#[cfg(test)]
mod tests;

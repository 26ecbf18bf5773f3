//! The receiving end: one connection, and the streams that outlive it.
//!
//! In: bytes of a sender; acknowledgements of the server's own destinations. Out: whole batches of messages, each number once;
//! answers. Holds: for each stream, how far it was accepted and how far it is safe.
//! Limits: see [`ReceiverOptions`]; before a sender has shown who it is, it may send one small frame.

mod connection;
mod error;
mod options;
mod streams;

pub use connection::{Arrival, Connection, Step};
pub use error::{InputError, Violation};
pub use options::ReceiverOptions;
pub use streams::{NoPositions, PositionStore, Streams, Ticket};

#[cfg(test)]
mod tests;

//! Sources with sockets: listeners, their connections, datagrams.
//!
//! In: bytes and datagrams of peers. Out: batches. Holds: sockets, which outlive a reload.
//! Limits: [`admission`]; each connection has its window.

mod admission;
mod datagram;
mod dtls;
mod gelf;
mod greeting;
mod listen;
mod peer;
mod refusals;
mod stream;

pub(crate) use admission::ConnectionBudget;
pub(crate) use datagram::receive;
pub(crate) use dtls::{DtlsCounts, receive_dtls};
pub(crate) use listen::{Listening, adjust, open_datagram, open_stream};
pub(crate) use stream::{Accepting, accept};

#[cfg(test)]
mod tests;

//! Sources with sockets: listeners, their connections, datagrams.
//!
//! In: bytes and datagrams of peers. Out: batches. Holds: sockets, which outlive a reload.
//! Limits: `max-connections()`; each connection has its window.

mod datagram;
mod dtls;
mod gelf;
mod greeting;
mod listen;
mod peer;
mod stream;

pub(crate) use datagram::receive;
pub(crate) use dtls::receive_dtls;
pub use greeting::ProxyHeader;
pub(crate) use listen::{Listening, adjust, open_datagram, open_stream};
pub(crate) use stream::{Accepting, accept};

#[cfg(test)]
mod tests;

//! The options of an endpoint, and the names of its peers.
//!
//! In: the caller's wishes. Out: the same. Holds: nothing. Limits: every buffer and number of an endpoint is bounded by one of
//! these.

use std::net::SocketAddr;
use std::time::Duration;

/// The other end of an association: the address of its datagrams and the port in its packets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Peer {
    /// Address and port of datagrams.
    pub address: SocketAddr,
    /// Port of SCTP.
    pub port: u16,
}

/// The options of an endpoint. The defaults suit a log server.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Port of SCTP in every packet.
    pub port: u16,
    /// Associations that others begin are accepted.
    pub listens: bool,
    /// Most associations at a time.
    pub associations_max: usize,
    /// Most associations at a time that one address has begun.
    pub associations_per_address_max: usize,
    /// Streams on which we want to send.
    pub outbound_streams: u16,
    /// Streams that we take at most.
    pub inbound_streams: u16,
    /// Most bytes of arrived messages of an association that nobody has taken yet, with what they cost to keep.
    pub receive_bytes: usize,
    /// Most bytes of messages of an association that wait to be sent or for an acknowledgement, with what they cost to keep.
    pub send_bytes: usize,
    /// Longest message, either way.
    pub message_bytes_max: usize,
    /// Largest packet that is tried, without the headers of UDP and IP.
    pub packet_bytes_max: usize,
    /// A cookie is valid for so long.
    pub cookie_life: Duration,
    /// A first answer is waited for so long; each further wait is twice as long, up to `retry_max`.
    pub retry_first: Duration,
    /// Longest wait for an answer. After a dead line came back, nobody waits for longer than this.
    pub retry_max: Duration,
    /// An association is given up if the peer has not answered for so long.
    pub silence_max: Duration,
    /// An idle peer is asked for a sign of life this often.
    pub heartbeat_interval: Duration,
    /// An acknowledgement waits at most so long for a second packet.
    pub acknowledgement_delay: Duration,
    /// I-DATA is offered (RFC 8260).
    pub interleaves: bool,
    /// Most bytes of copies, in percent of other bytes.
    pub copies_percent: u8,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            port: 9899,
            listens: false,
            associations_max: 10_000,
            associations_per_address_max: 1_000,
            outbound_streams: 16,
            inbound_streams: 64,
            receive_bytes: 4 << 20,
            send_bytes: 4 << 20,
            message_bytes_max: 1 << 20,
            packet_bytes_max: 1452,
            cookie_life: Duration::from_secs(60),
            retry_first: Duration::from_millis(500),
            retry_max: Duration::from_millis(250),
            silence_max: Duration::from_secs(120),
            heartbeat_interval: Duration::from_secs(30),
            acknowledgement_delay: Duration::from_millis(20),
            interleaves: true,
            copies_percent: 25,
        }
    }
}

//! The origin of messages: one record per connection or peer, shared by its messages.
//!
//! In: a listener's knowledge of its peer. Out: the same, shared. Limits: none of its own.

use std::net::{IpAddr, SocketAddr};

/// The transport of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(u8)]
pub enum Transport {
    /// A file, pipe, program or our own message.
    #[default]
    Local,
    /// UDP datagrams.
    Udp,
    /// A TCP stream.
    Tcp,
    /// A TLS stream.
    Tls,
    /// A unix datagram socket.
    UnixDgram,
    /// A unix stream socket.
    UnixStream,
}

/// The facts about a sender that some messages of a batch share.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Name of the `source` statement; followed by a `#` and more when the driver is in a nested source.
    pub source: String,
    /// Transport that carried the bytes.
    pub transport: Transport,
    /// Address of the last hop; `None` for local sources.
    pub peer: Option<SocketAddr>,
    /// Our own address that the peer reached.
    pub local: Option<SocketAddr>,
    /// Name of the last hop, as DNS, the hosts file or the address give it (`${HOST_FROM}`).
    pub host_from: String,
    /// Path of the file or socket, empty when there is none (`${FILE_NAME}`).
    pub file_name: String,
    /// Tags that every message of this origin has: `tags()` of the source and `.source.NAME`.
    pub tags: Vec<String>,
    /// Text of `${TRANSPORT}`, for instance `rfc3164+tcp`.
    pub transport_name: String,
    /// Values that every message of this origin has, for instance `.unix.pid` or `.tls.x509_cn`.
    pub values: Vec<(String, Vec<u8>)>,
}

/// Returns the unit by which peers are counted: an IPv4 address, or the first 64 bits of an IPv6 address, the least
/// that a site is assigned.
pub fn peer_network(address: IpAddr) -> [u8; 16] {
    masked_address(address, 64)
}

/// Returns an address with all but its first `bits` of 128 cleared. IPv4 addresses have 96 bits before their own,
/// and stay whole when `bits` is less.
pub fn masked_address(address: IpAddr, bits: u32) -> [u8; 16] {
    let (whole, bits) = match address.to_canonical() {
        IpAddr::V4(address) => (address.to_ipv6_mapped(), if bits < 96 { 128 } else { bits }),
        IpAddr::V6(address) => (address, bits),
    };
    let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
    (whole.to_bits() & mask).to_be_bytes()
}

/// Returns the name of the `source` statement that a driver belongs to.
pub fn source_name(source: &str) -> &str {
    source.split_once('#').map_or(source, |(name, _)| name)
}

impl Origin {
    /// Returns `${SOURCE}`: the name of the `source` statement.
    pub fn source_name(&self) -> &str {
        source_name(&self.source)
    }

    /// Returns a value by name.
    pub fn value(&self, name: &str) -> Option<&[u8]> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

//! `netmask()` and `netmask6()`: is the peer in a network.
//!
//! In: `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `2001:db8::/32`; an address. Out: whether it is inside.
//! Limits: messages without an address come from this machine: 127.0.0.1 or ::1.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// An IPv4 network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Netmask {
    address: u32,
    mask: u32,
}

/// An IPv6 network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Netmask6 {
    address: u128,
    mask: u128,
}

/// A text that is not a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetmaskError {
    text: String,
    wanted: &'static str,
}

impl fmt::Display for NetmaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no network: write it like {}", self.text, self.wanted)
    }
}

impl std::error::Error for NetmaskError {}

impl Netmask {
    /// Reads an address, or an address with a prefix length or a mask.
    pub fn parse(text: &str) -> Result<Netmask, NetmaskError> {
        let parsed = || {
            let (address, mask) = text.split_once('/').unwrap_or((text, "32"));
            let address: Ipv4Addr = address.parse().ok()?;
            let mask = match mask.parse::<u32>() {
                Ok(length @ 0..=32) => u32::MAX.checked_shl(32 - length).unwrap_or(0),
                Ok(_) => return None,
                Err(_) => u32::from(mask.parse::<Ipv4Addr>().ok()?),
            };
            Some(Netmask { address: u32::from(address) & mask, mask })
        };
        parsed()
            .ok_or_else(|| NetmaskError { text: text.to_owned(), wanted: "10.0.0.0/8 or 10.0.0.0/255.0.0.0" })
    }

    /// Returns true when the peer is in the network.
    pub fn has(self, peer: Option<SocketAddr>) -> bool {
        let address = match peer.map(|peer| peer.ip().to_canonical()) {
            None => Ipv4Addr::LOCALHOST,
            Some(IpAddr::V4(address)) => address,
            Some(IpAddr::V6(_)) => return false,
        };
        u32::from(address) & self.mask == self.address
    }
}

impl Netmask6 {
    /// Reads an address, or an address with a prefix length.
    pub fn parse(text: &str) -> Result<Netmask6, NetmaskError> {
        let parsed = || {
            let (address, length) = text.split_once('/').unwrap_or((text, "128"));
            let address: Ipv6Addr = address.parse().ok()?;
            let length = length.parse::<u32>().ok().filter(|length| *length <= 128)?;
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
            Some(Netmask6 { address: u128::from(address) & mask, mask })
        };
        parsed().ok_or_else(|| NetmaskError { text: text.to_owned(), wanted: "2001:db8::/32" })
    }

    /// Returns true when the peer is in the network.
    pub fn has(self, peer: Option<SocketAddr>) -> bool {
        let address = match peer.map(|peer| peer.ip()) {
            None => Ipv6Addr::LOCALHOST,
            Some(IpAddr::V6(address)) => address,
            Some(IpAddr::V4(_)) => return false,
        };
        u128::from(address) & self.mask == self.address
    }
}

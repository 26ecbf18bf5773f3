//! Parses networks as they are written.
//!
//! In: a text. Out: an address and the length of its prefix, or none when it is no network. Holds nothing. Limits: none.

use crate::language::words;
use std::net::IpAddr;

/// `10.0.0.0/8` as 16 bytes and a prefix length of 128.
pub(super) fn network(text: &str) -> Option<([u8; 16], u8)> {
    let (address, length) = text.split_once('/')?;
    let (address, length) = (address.parse::<IpAddr>().ok()?, length.parse::<u8>().ok()?);
    let (most, mapped) = if address.is_ipv4() { (32, 96) } else { (128, 0) };
    (length <= most).then(|| (words::address_bytes(address), length + mapped))
}

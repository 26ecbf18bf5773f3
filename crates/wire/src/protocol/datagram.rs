//! Whole UDP packets, with their IP headers: for sending with the address of another host.
//!
//! In: the two addresses, a payload. Out: an IPv4 or IPv6 packet with its checksums (RFC 768, 791, 8200).
//! Holds: nothing. Limits: both addresses have the same version of IP, and the payload fits; otherwise there is no
//! packet.

use std::net::{IpAddr, SocketAddr};

const UDP: u8 = 17;
const UDP_HEADER_BYTES: usize = 8;
const IPV4_HEADER_BYTES: usize = 20;
const PACKET_BYTES_MAX: usize = 65_535;

/// The other fields of the IP header that can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketOptions {
    /// Time to live; hop limit in IPv6.
    pub ttl: u8,
    /// Type of service; traffic class in IPv6.
    pub tos: u8,
}

/// Appends a packet. Returns false, and appends nothing, when the packet is too long or the addresses differ in family.
pub fn append_udp_packet(
    source: SocketAddr,
    target: SocketAddr,
    payload: &[u8],
    options: PacketOptions,
    out: &mut Vec<u8>,
) -> bool {
    let udp_bytes = UDP_HEADER_BYTES + payload.len();
    let Some(udp_size) = u16::try_from(udp_bytes).ok() else { return false };
    let mut addresses = Vec::with_capacity(32);
    match (source.ip(), target.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) if udp_bytes + IPV4_HEADER_BYTES <= PACKET_BYTES_MAX => {
            addresses.extend_from_slice(&from.octets());
            addresses.extend_from_slice(&to.octets());
            append_ipv4_header(&addresses, udp_size + IPV4_HEADER_BYTES as u16, options, out);
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            addresses.extend_from_slice(&from.octets());
            addresses.extend_from_slice(&to.octets());
            let class = u32::from(options.tos) << 20;
            out.extend_from_slice(&((6 << 28) + class).to_be_bytes());
            out.extend_from_slice(&udp_size.to_be_bytes());
            out.extend_from_slice(&[UDP, options.ttl]);
            out.extend_from_slice(&addresses);
        }
        _ => return false,
    }
    let start = out.len();
    for field in [source.port(), target.port(), udp_size, 0] {
        out.extend_from_slice(&field.to_be_bytes());
    }
    out.extend_from_slice(payload);
    let pseudo = sum(&addresses) + u32::from(UDP) + u32::from(udp_size);
    // In UDP a 0 means that there is no checksum, so a checksum of 0 is written in its other form.
    let checksum = match folded(pseudo + sum(&out[start..])) {
        0 => 0xffff,
        checksum => checksum,
    };
    out[start + 6..start + 8].copy_from_slice(&checksum.to_be_bytes());
    true
}

fn append_ipv4_header(addresses: &[u8], size: u16, options: PacketOptions, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0x45, options.tos]);
    out.extend_from_slice(&size.to_be_bytes());
    // Number and fragment: the kernel sets the number, and there are no fragments.
    out.extend_from_slice(&[0, 0, 0, 0, options.ttl, UDP, 0, 0]);
    out.extend_from_slice(addresses);
    let checksum = folded(sum(&out[start..]));
    out[start + 10..start + 12].copy_from_slice(&checksum.to_be_bytes());
}

/// Returns the sum of 16-bit words; at most 32,768 of them, so that it fits 32 bits.
fn sum(bytes: &[u8]) -> u32 {
    let word = |pair: &[u8]| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
    bytes.chunks(2).map(|pair| u32::from(word(pair))).sum()
}

/// Returns the one's complement of the sum in one's complement arithmetic.
fn folded(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests;

//! Packets whose checksums a receiver would accept.

use super::{PacketOptions, append_udp_packet};
use std::net::SocketAddr;

const OPTIONS: PacketOptions = PacketOptions { ttl: 64, tos: 8 };

fn packet(source: &str, target: &str, payload: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let ends: [SocketAddr; 2] = [source.parse().unwrap(), target.parse().unwrap()];
    append_udp_packet(ends[0], ends[1], payload, OPTIONS, &mut out).then_some(out)
}

/// A receiver sums all it got, including the checksum: the result is all ones.
fn adds_up(words: impl Iterator<Item = u16>) -> bool {
    let mut sum = 0_u64;
    words.for_each(|word| sum += u64::from(word));
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum == 0xffff
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))
}

#[test]
fn a_packet_is_as_the_standards_have_it() {
    let bytes = packet("192.0.2.1:514", "198.51.100.7:1514", b"hi").unwrap();
    let want: &[u8] = &[
        0x45, 8, 0, 30, 0, 0, 0, 0, 64, 17, 0x8e, 0x8b, 192, 0, 2, 1, 198, 51, 100, 7, 2, 2, 5, 0xea, 0, 10,
        0xa3, 0x48, b'h', b'i',
    ];
    assert_eq!(bytes, want);
}

#[test]
fn checksums_add_up() {
    for size in [0, 1, 2, 3, 100, 1023, 1024, 65_507] {
        let payload: Vec<u8> = (0..size).map(|at| (at * 7 % 256) as u8).collect();
        let bytes = packet("192.0.2.1:514", "198.51.100.7:1514", &payload).unwrap();
        assert!(adds_up(words(&bytes[..20])), "header of {size}");
        let pseudo = [17, (bytes.len() - 20) as u16].into_iter();
        assert!(adds_up(words(&bytes[12..]).chain(pseudo)), "payload of {size}");
        let bytes = packet("[2001:db8::1]:514", "[2001:db8::2]:514", &payload).unwrap();
        let pseudo = [17, (bytes.len() - 40) as u16].into_iter();
        assert!(adds_up(words(&bytes[8..]).chain(pseudo)), "payload of {size} over IPv6");
        assert_eq!(&bytes[..8], &[0x60, 0x80, 0, 0, bytes[4], bytes[5], 17, 64]);
    }
}

#[test]
fn what_cannot_be_is_no_packet() {
    assert_eq!(packet("192.0.2.1:1", "[::1]:1", b""), None);
    assert_eq!(packet("192.0.2.1:1", "192.0.2.2:1", &[0; 65_508]), None);
    assert_eq!(packet("[::1]:1", "[::1]:1", &[0; 65_528]), None);
}

//! Datagrams of every packing, whole and in chunks, as a receiver puts them together.

use super::*;
use crate::{
    SocketKind, SocketTarget,
    testing::{Setup, spec},
};
use flate2::read::{GzDecoder, ZlibDecoder};
use std::{io::Read, net::UdpSocket, time::Duration};
use wire::{Chunks, Payload};

#[track_caller]
fn check(packing: Packing, chunk_bytes: usize, text: &str) {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(transport::testing::PATIENCE)).unwrap();
    let kind = SocketKind::Udp("127.0.0.1".to_owned(), receiver.local_addr().unwrap().port());
    let target = GelfTarget { socket: SocketTarget::new(kind), packing, chunk_bytes };
    let setup = Setup::new(spec(DestinationDriver::Gelf(target), "$MSG"));
    setup.send(&[&format!("h|{text}")]);
    let (mut chunks, mut datagram) = (Chunks::default(), [0; 65_536]);
    let payload = loop {
        let size = receiver.recv(&mut datagram).unwrap();
        assert!(size <= chunk_bytes);
        match chunks.take(&datagram[..size], None, Duration::ZERO) {
            Payload::Whole(bytes) => break bytes.to_vec(),
            Payload::Joined(bytes) => break bytes,
            other => assert_eq!(other, Payload::Waiting),
        }
    };
    let mut unpacked = String::new();
    match (text.len() < PACKED_BYTES_MIN, packing) {
        (true, _) | (_, Packing::None) => unpacked = String::from_utf8(payload).unwrap(),
        (_, Packing::Gzip) => drop(GzDecoder::new(&payload[..]).read_to_string(&mut unpacked).unwrap()),
        (_, Packing::Zlib) => drop(ZlibDecoder::new(&payload[..]).read_to_string(&mut unpacked).unwrap()),
    }
    assert_eq!(unpacked, text);
}

#[test]
fn datagrams_are_packed_and_cut() {
    let long: String = (0..2_000).map(|number| format!("{number} ")).collect();
    for packing in [Packing::None, Packing::Gzip, Packing::Zlib] {
        check(packing, 1_420, "{}");
        check(packing, 1_420, &long);
        check(packing, 60_000, &long);
    }
}

//! Datagrams of every packing, whole and in chunks, as a receiver puts them together.

use super::*;
use crate::{
    SocketKind, SocketTarget,
    testing::{Setup, spec},
};
use flate2::read::{GzDecoder, ZlibDecoder};
use std::{io::Read, net::UdpSocket, time::Duration};
use transport::testing::output;
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

fn receiver() -> UdpSocket {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(transport::testing::PATIENCE)).unwrap();
    receiver
}

fn target(kind: SocketKind, chunk_bytes: usize) -> GelfTarget {
    GelfTarget { socket: SocketTarget::new(kind), packing: Packing::None, chunk_bytes }
}

fn udp(receiver: &UdpSocket) -> SocketKind {
    SocketKind::Udp("127.0.0.1".to_owned(), receiver.local_addr().unwrap().port())
}

fn gelf(target: GelfTarget) -> Gelf {
    Gelf::new(target, InternalLog::new("test", None))
}

fn receive(receiver: &UdpSocket) -> Vec<u8> {
    let mut datagram = vec![0; 65_536];
    let size = receiver.recv(&mut datagram).unwrap();
    datagram.truncate(size);
    datagram
}

#[test]
fn no_two_messages_have_one_number() {
    assert_eq!(first_id(1, 7), (1 << 40) + 7);
    assert_eq!(first_id(3, (1 << 40) + 7), (2 << 40) + 7);
    let receiver = receiver();
    let mut gelf = gelf(target(udp(&receiver), 200));
    let first = gelf.id;
    gelf.write(&mut output(&[&[b'a'; 300], &[b'b'; 300]])).unwrap();
    let ids: Vec<Vec<u8>> = (0..4).map(|_| receive(&receiver)[2..10].to_vec()).collect();
    assert_eq!((&ids[0], &ids[2]), (&ids[1], &ids[3]));
    assert_ne!(ids[0], ids[2]);
    assert_eq!(gelf.id, first.wrapping_add(2));
}

#[test]
fn the_end_of_a_text_is_none_of_it_and_too_many_chunks_are_dropped() {
    let receiver = receiver();
    let mut gelf = gelf(target(udp(&receiver), 100));
    let long = vec![b'z'; 100 * 130];
    let mut text = output(&[&long, b"{}\0", b"\0", b"{1}"]);
    gelf.write(&mut text).unwrap();
    assert_eq!((text.size(), gelf.is_open()), (0, true));
    assert_eq!(
        (receive(&receiver), receive(&receiver), receive(&receiver)),
        (b"{}".to_vec(), vec![], b"{1}".to_vec())
    );
    let (said, _) = gelf.log.take(9);
    assert_eq!(said.len(), 1);
    assert!(said[0].text.ends_with("dropped; size='13000'"), "{}", said[0].text);
}

#[test]
fn nobody_who_listens_is_no_error() {
    let gone = receiver();
    let mut gelf = gelf(target(udp(&gone), 1_000));
    drop(gone);
    for _ in 0..3 {
        let mut text = output(&[b"a", b"b"]);
        gelf.write(&mut text).unwrap();
        assert_eq!(text.size(), 0);
    }
}

#[test]
fn a_receiver_without_room_is_waited_for_and_other_errors_close_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let receiver = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    let mut gelf = gelf(target(SocketKind::UnixDatagram(path), 1 << 20));
    let texts = vec![&b"a"[..]; 10_000];
    let mut text = output(&texts);
    assert_eq!(gelf.write(&mut text).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    let left = text.size();
    assert!(left > 0 && left < texts.len() && gelf.is_open(), "{left}");
    receiver.recv(&mut [0; 9]).unwrap();
    assert_eq!(gelf.write(&mut text).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert_eq!(text.size(), left - 1);
    let long = vec![b'z'; 1 << 19];
    let mut text = output(&[&long]);
    assert_eq!(gelf.write(&mut text).unwrap_err().raw_os_error(), Some(libc::EMSGSIZE));
    assert_eq!((text.size(), gelf.is_open()), (long.len(), false));
}

#[test]
fn new_settings_open_a_new_socket_where_they_differ() {
    let (receiver, other) = (receiver(), self::receiver());
    let mut gelf = gelf(target(udp(&receiver), 1_000));
    assert!(!gelf.is_open());
    gelf.write(&mut output(&[b"a"])).unwrap();
    gelf.configure(DestinationDriver::Gelf(target(udp(&receiver), 1_000)));
    assert!(gelf.is_open());
    gelf.configure(DestinationDriver::Gelf(target(udp(&other), 1_000)));
    assert!(!gelf.is_open());
    gelf.write(&mut output(&[b"b"])).unwrap();
    assert_eq!((receive(&receiver), receive(&other)), (b"a".to_vec(), b"b".to_vec()));
    gelf.close();
    assert!(!gelf.is_open());
}

//! Packets with the addresses of senders, and datagrams from our own address. Only one test needs CAP_NET_RAW; without it,
//! it expects the refusal.

use super::*;
use crate::{Destinations, SocketKind, SocketTarget, testing::spec};
use message::{Ack, Batch, Message, Origin, Selection};
use std::{net::UdpSocket, sync::Arc};
use transport::{
    IpOptions, Registry, StageError,
    testing::{PATIENCE, Text},
};

fn receiver() -> UdpSocket {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    receiver
}

fn target(receiver: &UdpSocket) -> SpoofTarget {
    let kind = SocketKind::Udp("127.0.0.1".to_owned(), receiver.local_addr().unwrap().port());
    SpoofTarget { socket: SocketTarget::new(kind), message_bytes_max: 8, interface: None }
}

fn spoof(target: SpoofTarget) -> Spoof {
    Spoof::new(target, Rendering { template: Text::boxed("<$MSG>") }, InternalLog::new("test", None))
}

/// A delivery of texts, all from one sender.
fn delivery(peer: Option<&str>, texts: &[&str]) -> Delivery {
    let peer = peer.map(|peer| peer.parse().unwrap());
    let origin = Origin { peer, ..Origin::default() };
    let mut batch = Batch::new(Arc::default(), vec![Arc::new(origin)], Stamp::known(0, 0), Ack::none());
    for text in texts {
        let mut record = Message::default();
        record.text = batch.add_extra(text.as_bytes());
        batch.messages.push(record);
    }
    let selection = Selection::all(batch.len());
    Delivery { batch: Arc::new(batch), selection, controlled: true, ack: Ack::none(), first: None }
}

#[track_caller]
fn check_received(receiver: &UdpSocket, want: &str) {
    let mut bytes = [0; 70_000];
    let size = receiver.recv(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes[..size]), want);
}

#[track_caller]
fn check_packet(from: Option<&str>, to: &str, options: (Option<u32>, Option<u32>), want: Option<[u8; 4]>) {
    let receiver = receiver();
    let mut target = target(&receiver);
    target.socket.ip = IpOptions { ttl: options.0, tos: options.1, ..IpOptions::default() };
    let mut spoof = spoof(target);
    // A packet before it leaves nothing behind.
    spoof.packet.extend_from_slice(b"the last one");
    let is_made = spoof.make_packet(from.map(|from| from.parse().unwrap()), to.parse().unwrap(), b"text");
    assert_eq!(is_made, want.is_some());
    let Some([version, tos, ttl, sender]) = want else { return };
    let packet = &spoof.packet;
    let found = match packet[0] >> 4 {
        4 => (4, packet[1], packet[8], packet[15], &packet[28..]),
        6 => (6, packet[0] << 4 | packet[1] >> 4, packet[7], packet[23], &packet[48..]),
        other => panic!("{other} is no version of IP"),
    };
    assert_eq!(found, (version, tos, ttl, sender, &b"text"[..]));
}

#[test]
fn a_packet_has_the_address_of_the_sender() {
    let (v4, v6) = ("10.0.0.9:514", "[fe80::7]:514");
    check_packet(Some(v4), "127.0.0.1:514", (None, None), Some([4, 0, 64, 9]));
    check_packet(Some(v4), "127.0.0.1:514", (Some(3), Some(8)), Some([4, 8, 3, 9]));
    check_packet(Some(v4), "127.0.0.1:514", (Some(256), Some(1000)), Some([4, 255, 255, 9]));
    check_packet(Some(v6), "[::1]:514", (Some(5), Some(16)), Some([6, 16, 5, 7]));
    check_packet(Some(v6), "127.0.0.1:514", (None, None), None);
    check_packet(None, "127.0.0.1:514", (None, None), None);
}

#[test]
fn a_mapped_address_is_one_of_ipv4() {
    for (address, want) in [
        ("[::ffff:10.0.0.9]:514", "10.0.0.9:514"),
        ("10.0.0.9:1", "10.0.0.9:1"),
        ("[fe80::7]:5", "[fe80::7]:5"),
    ] {
        assert_eq!(plain(address.parse().unwrap()), want.parse().unwrap());
    }
}

/// Lets a driver send without a raw socket: only messages without a sender can be sent.
fn open(spoof: &mut Spoof, receiver: &UdpSocket) {
    let own = UdpSocket::bind("127.0.0.1:0").unwrap();
    own.connect(receiver.local_addr().unwrap()).unwrap();
    let raw = UdpSocket::bind("127.0.0.1:0").unwrap().into();
    spoof.open = Some(Open { to: receiver.local_addr().unwrap(), raw, own: own.into() });
}

#[test]
fn messages_without_a_sender_come_from_us() {
    let receiver = receiver();
    let mut spoof = spoof(target(&receiver));
    open(&mut spoof, &receiver);
    let mut sequence = 4;
    spoof.add(&delivery(None, &["a", "longer than eight bytes"]), &mut sequence);
    assert_eq!((sequence, spoof.size()), (6, 3 + 8));
    spoof.flush().unwrap();
    assert_eq!(spoof.size(), 0);
    check_received(&receiver, "<a>");
    check_received(&receiver, "<longer ");
    assert!(spoof.open.is_some(), "the socket stays open");
    spoof.reopen();
    assert!(spoof.open.is_none());
    // There is nothing to send, so nothing is opened.
    spoof.flush().unwrap();
    assert!(spoof.open.is_none());
}

#[test]
fn empty_messages_wait_as_well() {
    let receiver = receiver();
    let mut spoof = spoof(target(&receiver));
    spoof.rendering.template = Text::boxed("$MSG");
    spoof.add(&delivery(None, &["", "", ""]), &mut 0);
    assert_eq!(spoof.size(), 3);
    assert_eq!((spoof.abandon(), spoof.size(), spoof.abandon()), (3, 0, 0));
    spoof.add(&delivery(None, &["abc"]), &mut 0);
    assert_eq!((spoof.size(), spoof.abandon(), spoof.size()), (3, 1, 0));
}

#[test]
fn a_message_too_long_for_a_datagram_is_dropped_and_counted() {
    let receiver = receiver();
    let mut spoof = spoof(SpoofTarget { message_bytes_max: 1 << 20, ..target(&receiver) });
    open(&mut spoof, &receiver);
    let long = "l".repeat(70_000);
    spoof.add(&delivery(None, &[&long, "b", &long, "c"]), &mut 0);
    spoof.flush().unwrap();
    check_received(&receiver, "<b>");
    check_received(&receiver, "<c>");
    assert_eq!((spoof.take_unwritable(), spoof.take_unwritable(), spoof.size()), (2, 0, 0));
}

#[test]
fn nobody_who_listens_is_no_error_and_a_broken_socket_is_one() {
    let gone = receiver();
    let mut spoof = spoof(target(&gone));
    open(&mut spoof, &gone);
    drop(gone);
    for _ in 0..3 {
        spoof.add(&delivery(None, &["a", "b"]), &mut 0);
        spoof.flush().unwrap();
        assert_eq!((spoof.size(), spoof.take_unwritable()), (0, 0));
    }
    let unconnected = UdpSocket::bind("127.0.0.1:0").unwrap();
    let open = spoof.open.as_mut().unwrap();
    open.own = unconnected.into();
    spoof.add(&delivery(None, &["a", "bc"]), &mut 0);
    assert_eq!(spoof.flush().unwrap_err().raw_os_error(), Some(libc::EDESTADDRREQ));
    assert_eq!((spoof.size(), spoof.open.is_some()), (7, false), "it is opened again, and nothing is lost");
    let texts: Vec<_> = spoof.waiting.iter().map(|(_, text)| text.as_slice()).collect();
    assert_eq!(texts, [&b"<a>"[..], b"<bc>"]);
}

#[test]
fn new_settings_open_new_sockets_where_they_differ() {
    let (receiver, other) = (receiver(), receiver());
    let mut spoof = spoof(target(&receiver));
    open(&mut spoof, &receiver);
    let rendering = || Rendering { template: Text::boxed("[$MSG]") };
    spoof.configure(DestinationDriver::Spoof(target(&receiver)), rendering());
    assert!(spoof.open.is_some());
    spoof.add(&delivery(None, &["a"]), &mut 0);
    spoof.flush().unwrap();
    check_received(&receiver, "[a]");
    spoof.configure(DestinationDriver::Spoof(target(&other)), rendering());
    assert!(spoof.open.is_none() && spoof.target == target(&other));
}

#[test]
fn the_time_of_a_delivery_reaches_the_template() {
    let receiver = receiver();
    let mut spoof = spoof(target(&receiver));
    let time = Arc::default();
    spoof.rendering.template = Box::new(crate::testing::Noting(Arc::clone(&time)));
    spoof.begin(Stamp::known(77, 0));
    assert_eq!(time.load(std::sync::atomic::Ordering::Relaxed), 77);
}

#[test]
fn packets_are_sent_where_that_is_allowed() {
    let receiver = receiver();
    let destinations = Destinations::new(Registry::default(), InternalLog::new("test", None));
    let staged = destinations.stage(vec![spec(DestinationDriver::Spoof(target(&receiver)), "<$MSG>")]);
    match staged {
        Ok(staged) => {
            let from = delivery(Some("127.0.0.77:514"), &["a"]);
            staged.outlets()["d#0"].deliver(from, &message::WriteBudget::none());
            let mut bytes = [0; 100];
            let (size, sender) = receiver.recv_from(&mut bytes).unwrap();
            assert_eq!((&bytes[..size], sender), (&b"<a>"[..], "127.0.0.77:514".parse().unwrap()));
        }
        Err(StageError::Open { id, what, source }) => {
            assert_eq!((id.as_str(), source.kind()), ("d#0", io::ErrorKind::PermissionDenied));
            assert!(what.contains("CAP_NET_RAW"), "{what}");
        }
        Err(error) => panic!("{error}"),
    }
    let target = SpoofTarget { interface: Some("no-such-interface".to_owned()), ..target(&receiver) };
    assert!(raw_socket(&target, Domain::IPV4).is_err());
}

#[test]
fn a_socket_has_the_options_of_its_target() {
    let receiver = receiver();
    let socket = || Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    let (plain, changed) = (socket(), socket());
    let usual = plain.send_buffer_size().unwrap();
    let mut target = target(&receiver);
    set_options(&target, &plain).unwrap();
    assert_eq!((plain.broadcast().unwrap(), plain.send_buffer_size().unwrap()), (false, usual));
    target.socket.broadcast = true;
    target.socket.send_buffer = 10_000;
    set_options(&target, &changed).unwrap();
    // The kernel doubles it.
    assert_eq!((changed.broadcast().unwrap(), changed.send_buffer_size().unwrap()), (true, 20_000));
    target.socket.ip.interface = Some("no-such-interface".to_owned());
    assert!(set_options(&target, &changed).is_err());
}

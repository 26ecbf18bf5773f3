//! Sockets as targets, with real peers on this machine.

use crate::{
    DestinationDriver, DestinationSpec, Queueing, SocketKind, SocketTarget, StreamFraming,
    testing::{Setup, accept, check_read, spec, tcp_to},
};
use message::WriteBudget;
use std::{
    io::Read,
    net::{TcpListener, UdpSocket},
    os::unix::net::{UnixDatagram, UnixListener},
    time::Duration,
};
use transport::testing::{PATIENCE, delivery, eventually, token};

#[test]
fn sends_over_tcp_in_both_framings() {
    for (framing, want) in [(StreamFraming::Plain, "a\nbc\n"), (StreamFraming::OctetCounted, "1 a2 bc")] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = SocketTarget { framing, ..tcp_to(&listener) };
        let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG\n"));
        setup.send(&["h|a", "h|bc"]);
        check_read(&mut accept(&listener), want);
    }
}

#[test]
fn connects_again_when_the_peer_goes_and_loses_nothing_that_it_knows_of() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let setup = Setup::new(spec(DestinationDriver::Socket(tcp_to(&listener)), "$MSG\n"));
    setup.send(&["h|one"]);
    let mut first = accept(&listener);
    check_read(&mut first, "one\n");
    drop(first);
    setup.send(&["h|two"]);
    check_read(&mut accept(&listener), "two\n");
}

#[test]
fn waits_for_a_peer_that_is_not_there_yet() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let target = tcp_to(&listener);
    drop(listener);
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG\n"));
    setup.send(&["h|kept"]);
    let counters = setup.registry.list()[0].clone();
    eventually("an error", || counters.errors.load(std::sync::atomic::Ordering::Relaxed) > 0);
    let listener = TcpListener::bind(address).unwrap();
    check_read(&mut accept(&listener), "kept\n");
}

#[test]
fn a_peer_that_does_not_read_is_no_error_and_the_stop_is_obeyed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = SocketTarget { send_buffer: 4_096, ..tcp_to(&listener) };
    let mut setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG\n"));
    let long = format!("h|{}", "z".repeat(8 << 20));
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&[&long], ack, true), &WriteBudget::none());
    let stream = accept(&listener);
    setup.destinations.stop(Duration::from_millis(1));
    assert_eq!(*seen.lock().unwrap(), Some(message::Outcome::Failed));
    let counters = &setup.registry.list()[0];
    assert_eq!((counters.errors.load(std::sync::atomic::Ordering::Relaxed), counters.dropped()), (0, 1));
    drop(stream);
}

#[test]
fn a_reload_to_another_address_takes_what_waits_along() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = tcp_to(&nobody);
    drop(nobody);
    let mut setup = Setup::new(DestinationSpec {
        queueing: Queueing { reopen_after: Duration::from_secs(600), ..Queueing::default() },
        ..spec(DestinationDriver::Socket(target), "$MSG\n")
    });
    setup.send(&["h|waits"]);
    let counters = setup.registry.list()[0].clone();
    eventually("an error", || counters.errors.load(std::sync::atomic::Ordering::Relaxed) > 0);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let staged = setup
        .destinations
        .stage(vec![spec(DestinationDriver::Socket(tcp_to(&listener)), "new $MSG\n")])
        .unwrap();
    setup.destinations.commit(staged);
    setup.send(&["h|more"]);
    check_read(&mut accept(&listener), "waits\nnew more\n");
}

#[test]
fn sends_datagrams() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let port = receiver.local_addr().unwrap().port();
    let target = SocketTarget::new(SocketKind::Udp("127.0.0.1".to_owned(), port));
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "<$MSG>"));
    setup.send(&["h|a", "h|b"]);
    let mut bytes = [0; 100];
    for want in ["<a>", "<b>"] {
        let size = receiver.recv(&mut bytes).unwrap();
        assert_eq!(&bytes[..size], want.as_bytes());
    }
}

#[test]
fn a_datagram_that_nobody_takes_is_sent_all_the_same() {
    let gone = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let target = SocketTarget::new(SocketKind::Udp(gone.ip().to_string(), gone.port()));
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG"));
    let long = format!("h|{}", "l".repeat(100_000));
    let (ack, seen) = token();
    setup.outlet.deliver(delivery(&["h|a", "h|b", &long, "h|c"], ack, true), &WriteBudget::none());
    eventually("all are gone", || seen.lock().unwrap().is_some());
    assert_eq!(setup.registry.list()[0].errors.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn sends_to_unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let (stream, datagram) = (folder.path().join("stream"), folder.path().join("datagram"));
    let listener = UnixListener::bind(&stream).unwrap();
    let setup = Setup::new(spec(
        DestinationDriver::Socket(SocketTarget::new(SocketKind::UnixStream(stream))),
        "$MSG\n",
    ));
    setup.send(&["h|a"]);
    check_read(&mut listener.accept().unwrap().0, "a\n");
    let receiver = UnixDatagram::bind(&datagram).unwrap();
    let setup = Setup::new(spec(
        DestinationDriver::Socket(SocketTarget::new(SocketKind::UnixDatagram(datagram))),
        "$MSG",
    ));
    setup.send(&["h|b"]);
    let mut bytes = [0; 10];
    let size = receiver.recv(&mut bytes).unwrap();
    assert_eq!(&bytes[..size], b"b");
}

#[test]
fn a_datagram_waits_for_a_receiver_on_this_machine_unless_it_is_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("datagram");
    let receiver = UnixDatagram::bind(&path).unwrap();
    let target =
        SocketTarget { send_buffer: 4_096, ..SocketTarget::new(SocketKind::UnixDatagram(path.clone())) };
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG"));
    let check = |receiver: &UnixDatagram, want: &str| {
        receiver.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut bytes = [0; 10];
        let size = receiver.recv(&mut bytes).unwrap();
        assert_eq!(&bytes[..size], want.as_bytes());
    };
    setup.send(&["h|a"]);
    check(&receiver, "a");
    drop(receiver);
    std::fs::remove_file(&path).unwrap();
    setup.send(&["h|b"]);
    let counters = setup.registry.list().remove(0);
    eventually("an error", || counters.errors.load(std::sync::atomic::Ordering::Relaxed) > 0);
    let receiver = UnixDatagram::bind(&path).unwrap();
    check(&receiver, "b");
    let long = format!("h|{}", "l".repeat(1 << 20));
    setup.send(&[&long, "h|c"]);
    check(&receiver, "c");
}

#[test]
fn keeps_to_the_throttle() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = spec(DestinationDriver::Socket(tcp_to(&listener)), "$MSG\n");
    let mut setup =
        Setup::new(DestinationSpec { queueing: Queueing { throttle: 2, ..base.queueing.clone() }, ..base });
    setup.send(&["h|a", "h|b", "h|c"]);
    let mut stream = accept(&listener);
    check_read(&mut stream, "a\nb\n");
    stream.set_nonblocking(true).unwrap();
    assert!(stream.read(&mut [0; 10]).is_err(), "the third message waits for the next second");
    setup.destinations.stop(Duration::ZERO);
    let counters = &setup.registry.list()[0];
    let written = counters.written.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!((written, counters.dropped()), (2, 1));
}

#[test]
fn tells_how_often_a_message_came() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = spec(DestinationDriver::Socket(tcp_to(&listener)), "$MSG\n");
    let suppress = Some(Duration::from_millis(50));
    let mut setup =
        Setup::new(DestinationSpec { queueing: Queueing { suppress, ..base.queueing.clone() }, ..base });
    setup.send(&["h|a", "h|a", "h|a"]);
    let mut stream = accept(&listener);
    check_read(&mut stream, "a\nLast message 'a' repeated 2 times, suppressed by syslog-ng on ");
    setup.destinations.stop(PATIENCE);
    let counters = &setup.registry.list()[0];
    let [processed, written] =
        [&counters.processed, &counters.written].map(|c| c.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!((processed, written, counters.dropped()), (4, 2, 2));
}

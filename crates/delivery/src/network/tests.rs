//! Sockets as targets, with real peers on this machine.

use super::{
    connect::{Connection, addresses, connect},
    talk::SocketDial,
};
use crate::{
    DestinationDriver, DestinationSpec, Queueing, Server, SocketKind, SocketTarget, StreamFraming,
    line::Target,
    testing::{Setup, accept, spec, tcp_to},
};
use message::WriteBudget;
use std::{
    io::{self, Read, Write},
    net::{TcpListener, UdpSocket},
    os::unix::net::{UnixDatagram, UnixListener},
    time::{Duration, Instant},
};
use transport::{
    Dial, InternalLog, ReadMode,
    testing::{PATIENCE, Pki, SecurePeer, check_read, delivery, eventually, output, token},
    tls::{PeerVerify, SenderTls, TlsOptions},
};

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

fn direct(target: SocketTarget) -> super::Socket {
    super::Socket::new(target, InternalLog::new("test", None))
}

#[test]
fn a_connection_stays_over_a_reload_unless_something_changes() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = tcp_to(&listener);
    let mut socket = direct(target.clone());
    assert!(!socket.is_open());
    let check = |socket: &mut super::Socket, target: &SocketTarget, want: bool| {
        socket.write(&mut output(&[b"a\n"])).unwrap();
        check_read(&mut accept(&listener), "a\n");
        assert!(socket.is_open());
        socket.configure(DestinationDriver::Socket(target.clone()));
        assert_eq!(socket.is_open(), want);
        socket.close();
        assert!(!socket.is_open());
    };
    check(&mut socket, &target, true);
    let counted = SocketTarget { framing: StreamFraming::OctetCounted, ..target };
    assert_eq!(socket.framing(), StreamFraming::Plain);
    check(&mut socket, &counted, false);
    assert_eq!(socket.framing(), StreamFraming::OctetCounted);
    check(&mut socket, &counted, true);
    let restarting = SocketTarget { keep_over_reload: false, ..counted };
    check(&mut socket, &restarting, false);
    check(&mut socket, &restarting, false);
}

#[test]
fn datagrams_have_no_framing_and_are_cut_at_the_longest() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let port = receiver.local_addr().unwrap().port();
    let kind = SocketKind::Udp("127.0.0.1".to_owned(), port);
    let target = SocketTarget { framing: StreamFraming::OctetCounted, ..SocketTarget::new(kind) };
    let mut socket = direct(target);
    assert_eq!(socket.framing(), StreamFraming::Plain);
    let (longest, longer) = (vec![b'y'; 65_507], vec![b'z'; 65_508]);
    let mut text = output(&[b"a", &longest, &longer, b"b"]);
    socket.write(&mut text).unwrap();
    assert_eq!(text.size(), 0);
    let mut bytes = vec![0; 70_000];
    for want in [&b"a"[..], &longest, &longer[..65_507], b"b"] {
        let size = receiver.recv(&mut bytes).unwrap();
        assert!(&bytes[..size] == want, "{size} bytes");
    }
}

#[test]
fn more_datagrams_than_one_call_takes_are_sent_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let receiver = UnixDatagram::bind(&path).unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut socket = direct(SocketTarget::new(SocketKind::UnixDatagram(path)));
    let texts: Vec<String> = (0..5_000).map(|number| number.to_string()).collect();
    let mut text = output(&texts.iter().map(String::as_bytes).collect::<Vec<_>>());
    let count = texts.len();
    let reader = std::thread::spawn(move || {
        let receive = |_| {
            let mut bytes = [0; 10];
            let size = receiver.recv(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes[..size]).into_owned()
        };
        (0..count).map(receive).collect::<Vec<_>>()
    });
    while text.size() > 0 {
        if let Err(error) = socket.write(&mut text) {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            assert!(socket.is_open(), "a receiver without room is no error");
        }
    }
    let found = reader.join().unwrap();
    assert_eq!(found, texts);
}

#[test]
fn names_are_looked_up_and_the_wanted_family_comes_first() {
    let server = |host: &str| Server { host: host.to_owned(), port: 514 };
    let target = |ipv6| SocketTarget { ipv6, ..SocketTarget::new(SocketKind::UnixStream("/x".into())) };
    for ipv6 in [false, true] {
        let found = addresses(&target(ipv6), &server("localhost")).unwrap();
        assert!(found.iter().all(|address| address.ip().is_loopback() && address.port() == 514), "{found:?}");
        let has_wanted = found.iter().any(|address| address.is_ipv6() == ipv6);
        assert!(!found.is_empty() && (!has_wanted || found[0].is_ipv6() == ipv6), "{found:?}");
        let number = addresses(&target(ipv6), &server("::1")).unwrap();
        assert_eq!(number, ["[::1]:514".parse().unwrap()]);
    }
}

#[test]
fn a_connection_has_the_options_of_its_target() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port() };
    let open = |target: &SocketTarget| match connect(target, &server).unwrap() {
        Connection::Plain(socket) | Connection::Datagrams(socket) => socket,
        _ => panic!("it is not encrypted"),
    };
    let target = tcp_to(&listener);
    let usual = open(&target);
    let local = "127.0.0.3:0".parse().unwrap();
    let changed = open(&SocketTarget { send_buffer: 20_000, local: Some(local), ..target.clone() });
    assert_eq!(changed.local_addr().unwrap().as_socket().map(|address| address.ip()), Some(local.ip()));
    assert_eq!(changed.send_buffer_size().unwrap(), 40_000, "the kernel doubles it");
    assert_ne!(usual.send_buffer_size().unwrap(), 40_000);
    assert!(usual.write_timeout().unwrap().is_some_and(|limit| limit < Duration::from_secs(1)));
    assert!(
        usual.keepalive().unwrap() && changed.reuse_address().unwrap() && !usual.reuse_address().unwrap()
    );
    // An address of the other family is of no use.
    let local = Some("[::1]:0".parse().unwrap());
    assert!(open(&SocketTarget { local, ..target.clone() }).peer_addr().is_ok());
    let kind = SocketKind::Udp("127.0.0.1".to_owned(), 9);
    let broadcast = SocketTarget { broadcast: true, ..SocketTarget::new(kind) };
    assert!(open(&broadcast).broadcast().unwrap() && !usual.broadcast().unwrap());
}

#[test]
fn encrypted_messages_arrive_as_they_are() {
    let pki = Pki::new();
    pki.issue("local", &["127.0.0.1"], |_| {});
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let tls = Some(SenderTls::new(pki.anonymous()));
    let target = SocketTarget { tls, framing: StreamFraming::OctetCounted, ..tcp_to(&listener) };
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG\n"));
    setup.send(&["h|a", "h|bc"]);
    let options = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("local") };
    let mut peer = SecurePeer::shake(accept(&listener), &options).unwrap();
    check_read(&mut peer, "1 a2 bc");
}

/// A dialogue with a peer that says things: nothing, a text behind another, its end.
#[test]
fn both_sides_of_a_connection_speak() {
    let pki = Pki::new();
    pki.issue("local", &["127.0.0.1"], |_| {});
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = tcp_to(&listener);
    let tls = SenderTls::new(pki.anonymous());
    let options = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("local") };
    for is_encrypted in [false, true] {
        let target = SocketTarget { tls: is_encrypted.then(|| tls.clone()), ..plain.clone() };
        let (mut talk, mut peer) = std::thread::scope(|scope| {
            let peer = scope.spawn(|| -> Box<dyn ReadWrite + Send> {
                let stream = accept(&listener);
                if is_encrypted {
                    Box::new(SecurePeer::shake(stream, &options).unwrap())
                } else {
                    Box::new(stream)
                }
            });
            let dial = SocketDial(target.clone());
            let before = Instant::now();
            assert!(dial.now() >= before && dial.now() <= Instant::now());
            (dial.dial().unwrap(), peer.join().unwrap())
        });
        let mut text = b"> ".to_vec();
        assert!(!talk.receive(&mut text, ReadMode::NonBlocking).unwrap());
        assert!(!talk.receive(&mut text, ReadMode::Blocking).unwrap(), "it waits a moment only");
        assert_eq!((talk.send(b"hello\n").unwrap(), text.as_slice()), (6, &b"> "[..]));
        check_read(&mut peer, "hello\n");
        peer.write_all(b"yes").unwrap();
        assert!(talk.receive(&mut text, ReadMode::Blocking).unwrap());
        assert_eq!(text, b"> yes");
        drop(peer);
        let error = talk.receive(&mut text, ReadMode::Blocking).unwrap_err();
        assert_eq!((error.kind(), text.as_slice()), (io::ErrorKind::UnexpectedEof, &b"> yes"[..]));
    }
}

trait ReadWrite: Read + Write {}

impl<S: Read + Write> ReadWrite for S {}

//! Sockets of every kind with real senders on this machine: framing, limits, flow control, reloads, hostile bytes.

use crate::{
    DatagramListener, ListenAddress, SourceDriver, SourceOptions, Sources, StreamListener,
    testing::{Setup, here, source_options, spec},
};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket},
    os::unix::net::{UnixDatagram, UnixStream},
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use transport::{
    InternalLog, Registry,
    testing::{Collected, PATIENCE, eventually},
};
use wire::{Framing, MultiLine};

/// Sends in pieces and closes; shows the messages.
#[track_caller]
fn check(framing: Framing, pieces: &[&str], want: &[&str]) {
    let setup = Setup::tcp(SourceOptions { framing, ..source_options() });
    let mut client = setup.connect();
    client.set_nodelay(true).unwrap();
    for piece in pieces {
        client.write_all(piece.as_bytes()).unwrap();
    }
    drop(client);
    assert_eq!(setup.collected.wait(want.len()), want);
}

#[test]
fn reads_streams() {
    let host = "127.0.0.1";
    check(
        Framing::Newline,
        &["<13>Nov 21 09:00:00 web su: one\n<13>Nov 21 09:00:00 web su: two\n"],
        &["web|su|one", "web|su|two"],
    );
    check(Framing::Newline, &["<13>Nov 21 09:00:00 w", "eb su: o", "ne\n"], &["web|su|one"]);
    check(Framing::Newline, &["<13>Nov 21 09:00:00 web su: no end"], &["web|su|no end"]);
    check(Framing::Newline, &["<13>su: no host\n"], &[&format!("{host}|su|no host")]);
    check(
        Framing::OctetCounted,
        &["31 <13>Nov 21 09:00:00 web su: o", "ne31 <13>Nov 21 09:00:00 web su: two"],
        &["web|su|one", "web|su|two"],
    );
    check(Framing::Nul, &["<13>Nov 21 09:00:00 web su: a\nb\0"], &["web|su|a\nb"]);
}

#[test]
fn a_message_of_several_lines_waits_for_more_but_not_for_ever() {
    let mut options = SourceOptions { multi_line: Some(Arc::new(MultiLine::Indented)), ..source_options() };
    options.multi_line_timeout = Some(Duration::from_millis(20));
    options.encoding = wire::CharacterSet::from_name("latin1");
    let setup = Setup::tcp(options);
    let mut client = setup.connect();
    client.write_all(b"<13>Nov 21 09:00:00 web su: \xe1\n b\n<13>Nov 21 09:00:00 web su: c").unwrap();
    assert_eq!(setup.collected.wait(2), ["web|su|á\n b", "web|su|c"]);
}

#[test]
fn a_port_is_read_by_all_reactors() {
    let all = |port| ListenAddress::Ip(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)));
    let setup = Setup::new(|port| SourceDriver::Datagram(DatagramListener::new(all(port))), source_options());
    let senders: Vec<UdpSocket> = (0..16).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    for (number, sender) in senders.iter().enumerate() {
        let text = format!("<13>Nov 21 09:00:00 web su: {number}");
        sender.send_to(text.as_bytes(), (Ipv4Addr::LOCALHOST, setup.port)).unwrap();
    }
    let mut lines = setup.collected.wait(16);
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 16, "{lines:?}");
    // The port is taken, no matter who asks for it.
    let log = InternalLog::new("test", None);
    let second = Sources::start(Registry::default(), log, 2, None).unwrap();
    let driver = SourceDriver::Datagram(DatagramListener::new(all(setup.port)));
    assert!(second.stage(vec![spec(driver, source_options(), Collected::new())]).is_err());
}

#[test]
fn a_message_longer_than_a_read_is_one_message() {
    let long = "x".repeat(600_000);
    let text = format!("<13>Nov 21 09:00:00 web su: {long}\n");
    let setup = Setup::tcp(SourceOptions { message_bytes_max: 1 << 20, ..source_options() });
    setup.connect().write_all(text.as_bytes()).unwrap();
    assert_eq!(setup.collected.wait(1), [format!("web|su|{long}")]);
}

#[test]
fn reads_datagrams_of_many_senders() {
    let setup =
        Setup::new(|port| SourceDriver::Datagram(DatagramListener::new(here(port))), source_options());
    let senders: Vec<UdpSocket> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    for round in 0..50 {
        for (number, sender) in senders.iter().enumerate() {
            let text = format!("<13>Nov 21 09:00:00 web su: {number}.{round}\n");
            sender.send_to(text.as_bytes(), (Ipv4Addr::LOCALHOST, setup.port)).unwrap();
        }
    }
    let mut got = setup.collected.wait(150);
    got.sort();
    assert_eq!((got[0].as_str(), got.len()), ("web|su|0.0", 150));
    let ports = setup.collected.batches(|batches| {
        let peers = batches.iter().flat_map(|batch| (0..batch.len()).map(|index| batch.origin(index).peer));
        peers.map(|peer| peer.unwrap().port()).collect::<std::collections::HashSet<_>>()
    });
    assert_eq!(ports.len(), 3);
}

#[test]
fn reads_unix_sockets_with_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let address = ListenAddress::Unix(path.clone());
    type Make = fn(ListenAddress) -> SourceDriver;
    type Send = fn(&Path);
    let kinds: [(Make, Send); 2] = [
        (
            |address| SourceDriver::Datagram(DatagramListener::new(address)),
            |path| {
                UnixDatagram::unbound().unwrap().send_to(b"<13>su: local", path).unwrap();
            },
        ),
        (
            |address| SourceDriver::Stream(StreamListener::new(address)),
            |path| UnixStream::connect(path).unwrap().write_all(b"<13>su: local\n").unwrap(),
        ),
    ];
    for (make, send) in kinds {
        let setup = Setup::new(|_| make(address.clone()), source_options());
        send(&path);
        setup.collected.wait(1);
        setup.collected.batches(|batches| {
            let pid = batches[0].field(0, &message::FieldName::parse(".unix.pid")).unwrap().into_owned();
            assert_eq!(pid, std::process::id().to_string().into_bytes());
        });
        drop(setup);
        assert!(!path.exists());
    }
}

#[test]
fn a_foreign_file_is_not_replaced_by_a_socket() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let registry = Registry::default();
    let sources = Sources::start(registry, InternalLog::new("test", None), 1, None).unwrap();
    let driver = SourceDriver::Stream(StreamListener::new(ListenAddress::Unix(file.path().to_owned())));
    let error = sources.stage(vec![spec(driver, source_options(), Collected::new())]).err().unwrap();
    assert!(error.to_string().contains("a file that is no socket has this name"), "{error}");
    assert!(file.path().is_file());
}

#[test]
fn an_address_in_use_is_an_error_of_the_stage() {
    let setup = Setup::tcp(source_options());
    let other = Sources::start(Registry::default(), InternalLog::new("test", None), 1, None).unwrap();
    let driver = SourceDriver::Stream(StreamListener::new(here(setup.port)));
    let error = other.stage(vec![spec(driver, source_options(), Collected::new())]).err().unwrap();
    assert!(error.to_string().starts_with("cannot open afsocket_sd.(stream,AF_INET(127.0.0.1:"), "{error}");
    // With optional() the others start all the same.
    let driver = SourceDriver::Stream(StreamListener::new(here(setup.port)));
    let optional = SourceOptions { optional: true, ..source_options() };
    assert!(other.stage(vec![spec(driver, optional, Collected::new())]).is_ok());
}

#[test]
fn too_many_connections_are_refused_and_counted() {
    let options = |port| {
        SourceDriver::Stream(StreamListener {
            connections: crate::CountLimits { total: 1, per_peer: None },
            ..StreamListener::new(here(port))
        })
    };
    let setup = Setup::new(options, source_options());
    let mut first = setup.connect();
    first.write_all(b"<13>su: a\n").unwrap();
    setup.collected.wait(1);
    let mut second = setup.connect();
    second.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(second.read(&mut [0]), Ok(0) | Err(_)));
    let counters = setup.registry.list()[0].clone();
    eventually("refused", || counters.refusals.count(transport::RefusalReason::MaxConnections) == 1);
    assert_eq!(counters.connections.load(Ordering::Relaxed), 1);
    drop(first);
    eventually("closed", || counters.connections.load(Ordering::Relaxed) == 0);
}

#[test]
fn a_silent_connection_is_closed() {
    let options = |port| {
        let idle_timeout = Some(Duration::from_millis(30));
        SourceDriver::Stream(StreamListener { idle_timeout, ..StreamListener::new(here(port)) })
    };
    let setup = Setup::new(options, source_options());
    let mut client = setup.connect();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
}

#[test]
fn a_closed_window_stops_reading_until_tokens_come_back() {
    let mut options = source_options();
    options.window.bytes = 50_000;
    let setup = Setup::tcp(options);
    setup.collected.hold();
    let mut client = setup.connect();
    let line = format!("<13>su: {}\n", "y".repeat(1_000));
    let total = 20_000;
    let sender = std::thread::spawn(move || {
        for _ in 0..total {
            client.write_all(line.as_bytes()).unwrap();
        }
    });
    setup.collected.wait(50);
    // The batch that closed the window is at most one read.
    let held =
        || setup.collected.batches(|batches| batches.iter().map(|b| b.received_bytes.len()).sum::<usize>());
    eventually("the sender is held up", || setup.collected.count() >= 50);
    assert!(held() < 50_000 + (256 << 10) + 4_096, "{} bytes in work", held());
    setup.collected.release();
    setup.collected.wait(total);
    sender.join().unwrap();
}

#[test]
fn a_connection_outlives_a_reload_and_takes_the_new_settings() {
    let mut setup = Setup::tcp(source_options());
    let mut client = setup.connect();
    client.write_all(b"<13>su: before\n<13>su: ").unwrap();
    setup.collected.wait(1);
    let after = Collected::new();
    let mut changed = source_options();
    changed.program_override = Some("new".to_owned());
    changed.hosts.host_override = Some("host".to_owned());
    let driver = SourceDriver::Stream(StreamListener::new(here(setup.port)));
    let staged = setup.sources.stage(vec![spec(driver, changed, after.clone())]).unwrap();
    setup.sources.commit(staged);
    client.write_all(b"after\n").unwrap();
    assert_eq!(after.wait(1), ["host|new|after"]);
    assert_eq!(setup.collected.count(), 1);
    assert_eq!(setup.registry.list()[0].connections.load(Ordering::Relaxed), 1);
}

#[test]
fn a_reload_can_move_and_remove_listeners() {
    let mut setup = Setup::tcp(source_options());
    let mut old = setup.connect();
    old.write_all(b"<13>su: a\n").unwrap();
    setup.collected.wait(1);
    // The same port on all addresses, which is only possible once the old listener is gone.
    let all = ListenAddress::Ip(SocketAddr::from((Ipv4Addr::UNSPECIFIED, setup.port)));
    let driver = SourceDriver::Stream(StreamListener::new(all));
    let staged = setup.sources.stage(vec![spec(driver, source_options(), setup.collected.clone())]).unwrap();
    setup.sources.commit(staged);
    old.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(old.read(&mut [0]), Ok(0) | Err(_)));
    setup.connect().write_all(b"<13>su: b\n").unwrap();
    setup.collected.wait(2);
    setup.sources.stop(PATIENCE);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, setup.port)).is_err());
}

#[test]
fn keep_alive_no_closes_connections_at_a_reload() {
    let options = |port| StreamListener { keep_over_reload: false, ..StreamListener::new(here(port)) };
    let mut setup = Setup::new(|port| SourceDriver::Stream(options(port)), source_options());
    let mut old = setup.connect();
    old.write_all(b"<13>su: a\n").unwrap();
    setup.collected.wait(1);
    let driver = SourceDriver::Stream(options(setup.port));
    let staged = setup.sources.stage(vec![spec(driver, source_options(), setup.collected.clone())]).unwrap();
    setup.sources.commit(staged);
    old.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(old.read(&mut [0]), Ok(0) | Err(_)));
    setup.connect().write_all(b"<13>su: b\n").unwrap();
    setup.collected.wait(2);
}

/// Whatever one client sends, another is served.
#[track_caller]
fn check_hostile(framing: Framing, bytes: &[u8]) {
    let setup = Setup::tcp(SourceOptions { framing, ..source_options() });
    let mut hostile = setup.connect();
    // The server may close on it.
    let _ = hostile.write_all(bytes);
    let mut good = setup.connect();
    let line = b"<13>Nov 21 09:00:00 web su: good";
    let (header, end) = match framing {
        Framing::OctetCounted => (format!("{} ", line.len()), ""),
        _ => (String::new(), "\n"),
    };
    good.write_all(&[header.as_bytes(), line, end.as_bytes()].concat()).unwrap();
    drop(good);
    let mut seen = 0;
    eventually("the good message", || {
        let count = setup.collected.count();
        let fresh = count != seen;
        seen = count;
        fresh && setup.collected.wait(count).iter().any(|line| line == "web|su|good")
    });
}

#[test]
fn hostile_bytes_hold_up_nobody() {
    for framing in [Framing::Newline, Framing::OctetCounted, Framing::Auto] {
        check_hostile(framing, &[b'1'; 5_000]);
        check_hostile(framing, b"18446744073709551617 <13>x");
        check_hostile(framing, b"99999999 <13>x");
        check_hostile(framing, b"\0\0\0\n\n\n");
        check_hostile(framing, &[b'<'; 400_000]);
        check_hostile(framing, &[0xFF; 70_000]);
    }
}

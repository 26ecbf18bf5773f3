//! Failing over and back, with listeners that come and go.

use super::{Failback, Server, Servers};
use crate::{
    DestinationDriver, SocketKind, SocketTarget,
    testing::{Setup, accept, spec, tcp_to},
};
use std::{io::Read, net::TcpListener, time::Duration};
use transport::testing::{PATIENCE, eventually};

#[test]
fn each_server_is_tried_once_before_a_pause() {
    let server = |number: u16| Server { host: format!("host{number}"), port: number };
    for others in 0..3 {
        let kind = SocketKind::Tcp("host0".to_owned(), 0);
        let failover = (1..=others).map(server).collect();
        let target = SocketTarget { failover, ..SocketTarget::new(kind) };
        let mut servers = Servers::of(&target);
        assert_eq!(servers.has_others(), others > 0);
        for _ in 0..2 {
            for number in 0..=others {
                assert_eq!(servers.present(), server(number));
                assert_eq!(servers.failed(), number < others, "{number} of {others}");
            }
        }
        // One that was reached begins a new round.
        servers.failed();
        servers.connected(&target);
        for number in 1..=others {
            assert_eq!(servers.present(), server(number));
            assert!(servers.failed());
        }
        assert!(!servers.is_back());
    }
}

#[test]
fn fails_over_and_back() {
    let second = TcpListener::bind("127.0.0.1:0").unwrap();
    let first = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = first.local_addr().unwrap();
    let target = SocketTarget {
        failover: vec![Server { host: "127.0.0.1".to_owned(), port: second.local_addr().unwrap().port() }],
        failback: Some(Failback { interval: Duration::from_millis(5), successes: 2 }),
        ..tcp_to(&first)
    };
    drop(first);
    let setup = Setup::new(spec(DestinationDriver::Socket(target), "$MSG\n"));
    setup.send(&["h|one"]);
    let mut stream = accept(&second);
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"one\n");
    let first = TcpListener::bind(address).unwrap();
    // Two looks that only connect, then messages.
    drop(accept(&first));
    drop(accept(&first));
    first.set_nonblocking(true).unwrap();
    let mut back = None;
    eventually("it came back", || {
        setup.send(&["h|1"]);
        back = first.accept().ok();
        back.is_some()
    });
    let (mut stream, _) = back.unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.read_exact(&mut bytes[..1]).unwrap();
    assert!(bytes[0].is_ascii_digit());
}

//! Failing over and back, with listeners that come and go.

use super::{Failback, Server};
use crate::{
    DestinationDriver, SocketTarget,
    testing::{Setup, accept, spec, tcp_to},
};
use std::{io::Read, net::TcpListener, time::Duration};
use transport::testing::{PATIENCE, eventually};

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

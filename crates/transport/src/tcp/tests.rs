//! Options on real sockets.

use super::*;
use socket2::{Domain, Type};

#[test]
fn probes_are_as_asked() {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let shown = || {
        (
            socket.keepalive().unwrap(),
            socket.tcp_keepalive_time().unwrap().as_secs(),
            socket.tcp_keepalive_interval().unwrap().as_secs(),
            socket.tcp_keepalive_retries().unwrap(),
        )
    };
    let (_, time, interval, probes) = shown();
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    let off = TcpOptions::default();
    for (options, want) in [
        (TcpOptions { keepalive: true, ..off.clone() }, (true, time, interval, probes)),
        (off.clone(), (false, time, interval, probes)),
        (
            TcpOptions { keepalive: true, keepalive_time: seconds(61), ..off.clone() },
            (true, 61, interval, probes),
        ),
        (
            TcpOptions { keepalive: true, keepalive_interval: seconds(7), ..off.clone() },
            (true, 61, 7, probes),
        ),
        (TcpOptions { keepalive: true, keepalive_probes: Some(4), ..off }, (true, 61, 7, 4)),
    ] {
        options.set(&socket).unwrap();
        assert_eq!(shown(), want);
    }
}

//! PROXY headers and handshakes as a listener sees them, with our own sender at the other end of the encrypted ones.

use crate::{
    ListenAddress, ProxyHeader, SourceDriver, StreamListener,
    testing::{Setup, here, source_options},
};
use delivery::{
    DestinationDriver, DestinationSpec, Destinations, Queueing, Rendering, SocketKind, SocketTarget,
};
use message::{Ack, Field, FieldName, WriteBudget};
use std::{io::Write, sync::atomic::Ordering, time::Duration};
use transport::{
    InternalLog, Registry,
    testing::{Pki, Text, delivery, eventually},
    tls::{ListenerTls, SenderTls, TlsOptions},
};

fn listener(address: ListenAddress, proxy: ProxyHeader, tls: Option<TlsOptions>) -> SourceDriver {
    SourceDriver::Stream(StreamListener {
        proxy,
        tls: tls.map(ListenerTls::new),
        ..StreamListener::new(address)
    })
}

#[track_caller]
fn check_proxied(header: &[u8], want: &str) {
    let setup = Setup::new(|port| listener(here(port), ProxyHeader::First, None), source_options());
    let mut client = setup.connect();
    client.set_nodelay(true).unwrap();
    for byte in header {
        client.write_all(&[*byte]).unwrap();
    }
    client.write_all(b"<13>Nov 21 09:00:00 web su: one\n").unwrap();
    setup.collected.wait(1);
    let shown = setup.collected.batches(|batches| {
        let origin = batches[0].origin(0);
        let value = |name: &str| String::from_utf8_lossy(origin.value(name).unwrap_or(b"-")).into_owned();
        let ends =
            [origin.peer, origin.local].map(|end| end.map_or("-".to_owned(), |end| end.ip().to_string()));
        format!("{} {} by {} for {}", ends[0], ends[1], value(".proxy.peer_ip"), value("PROXIED_SRCPORT"))
    });
    assert_eq!(shown, want);
}

#[test]
fn takes_the_ends_that_a_proxy_names() {
    check_proxied(
        b"PROXY TCP4 192.0.2.1 198.51.100.2 1234 514\r\n",
        "192.0.2.1 198.51.100.2 by 127.0.0.1 for 1234",
    );
    check_proxied(b"PROXY UNKNOWN\r\n", "127.0.0.1 127.0.0.1 by 127.0.0.1 for -");
    let binary = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x01\xc6\x33\x64\x02\x04\xd2\x02\x02";
    check_proxied(binary, "192.0.2.1 198.51.100.2 by 127.0.0.1 for 1234");
}

#[test]
fn closes_connections_without_a_header() {
    let setup = Setup::new(|port| listener(here(port), ProxyHeader::First, None), source_options());
    setup.connect().write_all(b"<13>Nov 21 09:00:00 web su: one\n").unwrap();
    let counters = setup.registry.list().remove(0);
    eventually("the connection is an error", || counters.errors.load(Ordering::Relaxed) == 1);
    assert_eq!(setup.collected.count(), 0);
}

/// Sends over TLS to a listener; shows what comes in.
#[test]
fn carries_messages_encrypted() {
    let pki = Pki::new();
    pki.issue("here", &["127.0.0.1"], |_| {});
    let setup = Setup::new(
        |port| listener(here(port), ProxyHeader::None, Some(pki.options("here"))),
        source_options(),
    );
    let target = SocketTarget {
        tls: Some(SenderTls::new(pki.options("client"))),
        ..SocketTarget::new(SocketKind::Tcp("127.0.0.1".to_owned(), setup.port))
    };
    let mut destinations = Destinations::new(Registry::default(), InternalLog::new("test", None));
    let spec = DestinationSpec {
        id: "d#0".to_owned(),
        component: "network".to_owned(),
        driver: DestinationDriver::Socket(target),
        queueing: Queueing { reopen_after: Duration::from_millis(20), ..Queueing::default() },
        rendering: Rendering { template: Text::boxed("<13>Nov 21 09:00:00 $HOST su: $MSG\n") },
    };
    let staged = destinations.stage(vec![spec]).unwrap();
    let outlet = staged.outlets()["d#0"].clone();
    destinations.commit(staged);
    let long = "x".repeat(40_000);
    let mut want = Vec::new();
    for number in 0..50 {
        let text = format!("web|{number} {long}");
        outlet.deliver(delivery(&[&text], Ack::none(), true), &WriteBudget::none());
        want.push(format!("web|su|{number} {long}"));
    }
    assert!(setup.collected.wait(50) == want, "other messages came than were sent");
    let name = FieldName::parse(".tls.x509_cn");
    setup.collected.batches(|batches| {
        assert_eq!(batches[0].field(0, &name).as_deref(), Some(&b"client"[..]));
        assert_eq!(batches[0].fixed(0, Field::Transport), b"rfc3164+tls");
    });
    destinations.stop(Duration::from_secs(5));
    let counters = setup.registry.list().remove(0);
    eventually("the connection is closed", || counters.connections.load(Ordering::Relaxed) == 0);
    assert_eq!(counters.errors.load(Ordering::Relaxed), 0, "the sender said goodbye");
}

#[test]
fn messages_name_the_proxy_of_their_connection() {
    let shown = |hop: &str, ends: Option<(&str, &str)>| {
        let ends = ends.map(|(source, target)| (source.parse().unwrap(), target.parse().unwrap()));
        let values = super::proxy_values(hop.parse().unwrap(), ends);
        let texts =
            values.into_iter().map(|(name, value)| format!("{name}={}", String::from_utf8(value).unwrap()));
        texts.collect::<Vec<_>>().join(" ")
    };
    let hop = ".proxy.peer_ip=192.0.2.1 .proxy.peer_port=99";
    assert_eq!(shown("192.0.2.1:99", None), hop);
    for (source, target, want) in [
        (
            "10.0.0.1:5",
            "10.0.0.2:6",
            "PROXIED_SRCIP=10.0.0.1 PROXIED_SRCPORT=5 PROXIED_DSTIP=10.0.0.2 PROXIED_DSTPORT=6 PROXIED_IP_VERSION=4",
        ),
        (
            "[2001:db8::1]:5",
            "[2001:db8::2]:6",
            "PROXIED_SRCIP=2001:db8::1 PROXIED_SRCPORT=5 PROXIED_DSTIP=2001:db8::2 PROXIED_DSTPORT=6 PROXIED_IP_VERSION=6",
        ),
    ] {
        assert_eq!(shown("192.0.2.1:99", Some((source, target))), format!("{hop} {want}"));
    }
}

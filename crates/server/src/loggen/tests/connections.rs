//! Connections of each kind, and what is sent before the messages.

use super::*;
use crate::loggen::connection::proxy_header;
use rustls::{ServerConnection, StreamOwned};
use std::{
    net::TcpStream,
    os::unix::net::{UnixDatagram, UnixListener},
};
use transport::{
    testing::{PATIENCE, Pki},
    tls::{PeerVerify, ServerTls, TlsOptions},
};

#[test]
fn proxy_headers_are_those_of_the_protocol() {
    let header = |line: &str, version| {
        proxy_header(&options(&format!("{line} host")), version).map_err(|error| error.to_string())
    };
    let v4 =
        "--proxy-src-ip 192.0.2.1 --proxy-dst-ip 198.51.100.2 --proxy-src-port 4711 --proxy-dst-port 6514";
    let v6 = "--proxy-src-ip 2001:db8::1 --proxy-dst-ip 2001:db8::2";
    assert_eq!(header(v4, 1).unwrap(), b"PROXY TCP4 192.0.2.1 198.51.100.2 4711 6514\r\n");
    assert_eq!(header(v6, 1).unwrap(), b"PROXY TCP6 2001:db8::1 2001:db8::2 1234 514\r\n");
    let signature = b"\x0d\x0a\x0d\x0a\x00\x0d\x0a\x51\x55\x49\x54\x0a".as_slice();
    let body = b"\xc0\x00\x02\x01\xc6\x33\x64\x02\x12\x67\x19\x72".as_slice();
    assert_eq!(header(v4, 2).unwrap(), [signature, b"\x21\x11\x00\x0c", body].concat());
    let address = |last| [b"\x20\x01\x0d\xb8".as_slice(), &[0; 11], &[last]].concat();
    let body = [address(1), address(2), b"\x04\xd2\x02\x02".to_vec()].concat();
    assert_eq!(header(v6, 2).unwrap(), [signature, b"\x21\x21\x00\x24", &body].concat());
    let mixed = "--proxy-src-ip 2001:db8::1";
    let want = "--proxy-src-ip and --proxy-dst-ip must both be of IPv4 or both of IPv6";
    assert_eq!(header(mixed, 1).unwrap_err(), want);
    assert_eq!(header(mixed, 2).unwrap_err(), want);
}

#[test]
fn a_proxy_header_is_sent_first() {
    let text = received("-n 1 -s 5 --perf -H");
    assert_eq!(text, "PROXY TCP4 127.0.0.1 127.0.0.1 1234 514\r\n<38>2\n");
    let text = received("-n 1 -s 5 --perf --proxied-tls-passthrough");
    assert_eq!(text, "PROXY TCP4 127.0.0.1 127.0.0.1 1234 514\r\n<38>2\n");
    assert_eq!(received("-n 1 -s 5 --perf"), "<38>2\n");
}

/// Returns what a TLS server gets in clear and encrypted from one run that ends with a goodbye.
fn encrypted(line: &str) -> (String, String) {
    let pki = Pki::new();
    let options_of_server = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("server") };
    let config = ServerTls::load(&options_of_server).unwrap().config().clone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reader = thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        let mut clear = Vec::new();
        let mut first = [0];
        // A handshake begins with 0x16.
        while peer.peek(&mut first).unwrap() == 1 && first[0] != 0x16 {
            peer.read_exact(&mut first).unwrap();
            clear.extend(first);
        }
        let session = ServerConnection::new(config).unwrap();
        let (mut stream, mut text) = (StreamOwned::new(session, peer), String::new());
        // It fails when the peer says no goodbye.
        stream.read_to_string(&mut text).unwrap();
        (String::from_utf8(clear).unwrap(), text)
    });
    send_all(&options(&format!("{line} -U -Q 127.0.0.1 {port}"))).unwrap();
    reader.join().unwrap()
}

#[test]
fn tls_ends_with_a_goodbye_and_the_header_is_where_it_belongs() {
    let header = "PROXY TCP4 127.0.0.1 127.0.0.1 1234 514\r\n";
    let both = |clear: &str, text: &str| (clear.to_owned(), text.to_owned());
    assert_eq!(encrypted("-n 2 -s 5 --perf"), both("", "<38>2\n<38>2\n"));
    assert_eq!(encrypted("-n 1 -s 5 --perf -H"), both("", &format!("{header}<38>2\n")));
    assert_eq!(encrypted("-n 1 -s 5 --perf --proxied-tls-passthrough"), both(header, "<38>2\n"));
}

#[test]
fn dtls_begins_with_a_handshake() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let port = socket.local_addr().unwrap().port();
    let sender = thread::spawn(move || send_all(&options(&format!("--dtls -Q -n 1 127.0.0.1 {port}"))));
    let mut bytes = [0; 2000];
    let length = socket.recv(&mut bytes).unwrap();
    // Nobody answers any more: the second try is refused.
    drop(socket);
    // A handshake of DTLS 1.0 or later (RFC 6347, section 4.1).
    assert!(length > 13 && bytes[..2] == [0x16, 0xfe], "{:x?}", &bytes[..length.min(13)]);
    assert!(sender.join().unwrap().is_err());
}

#[test]
fn unix_sockets_get_streams_and_datagrams() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    let listener = UnixListener::bind(&path).unwrap();
    let line = |more: &str, path: &std::path::Path| {
        options(&format!("-x {more} -n 2 -s 5 --perf -Q {}", path.display()))
    };
    send_all(&line("-S", &path)).unwrap();
    let mut text = String::new();
    listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
    assert_eq!(text, "<38>2\n<38>2\n");
    let path = folder.path().join("datagram");
    let socket = UnixDatagram::bind(&path).unwrap();
    send_all(&line("-D", &path)).unwrap();
    let mut bytes = [0; 100];
    for _ in 0..2 {
        let length = socket.recv(&mut bytes).unwrap();
        assert_eq!(&bytes[..length], b"<38>2");
    }
    let error = send_all(&line("-D", &folder.path().join("nowhere"))).unwrap_err().to_string();
    assert!(error.contains("cannot connect to ") && error.contains("/nowhere: "), "{error}");
}

#[test]
fn the_local_port_and_the_family_are_those_asked_for() {
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, local) = (listener.local_addr().unwrap().port(), free());
    send_all(&options(&format!("-n 1 --perf -Q --client-port {local} 127.0.0.1 {port}"))).unwrap();
    assert_eq!(listener.accept().unwrap().1.port(), local);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (port, local) = (socket.local_addr().unwrap().port(), free());
    send_all(&options(&format!("-D -n 1 --perf -Q --client-port {local} 127.0.0.1 {port}"))).unwrap();
    assert_eq!(socket.recv_from(&mut [0; 500]).unwrap().1.port(), local);
    let refused = |line: &str| send_all(&options(&format!("-Q -n 1 {line} 1"))).unwrap_err().to_string();
    assert_eq!(refused("-6 127.0.0.1"), "127.0.0.1 has no IPv6 address");
    assert_eq!(refused("::1"), "::1 has no IPv4 (try --ipv6) address");
}

/// Sends at a rate to a server that closes the first connection, and returns what the second one gets.
fn interrupted(line: &str) -> (io::Result<()>, Option<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let reader = thread::spawn(move || {
        drop(listener.accept().unwrap());
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        text
    });
    let sent = send_all(&options(&format!("{line} -s 6 -n 200 -r 1000 -Q 127.0.0.1 {}", address.port())));
    if sent.is_err() {
        // The server waits for a second connection.
        drop(TcpStream::connect(address).unwrap());
    }
    let text = reader.join().unwrap();
    (sent, Some(text).filter(|text| !text.is_empty()))
}

#[test]
fn a_lost_connection_is_an_error_or_replaced() {
    let (sent, rest) = interrupted("");
    let error = sent.unwrap_err().to_string();
    assert!(error.starts_with("the connection was lost: "), "{error}");
    assert_eq!(rest, None);
    let (sent, rest) = interrupted("--reconnect");
    sent.unwrap();
    assert!(rest.unwrap().starts_with("<38>20"));
}

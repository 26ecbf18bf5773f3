//! Both ends of a stream in one test: plain, encrypted, with peers that refuse, are silent or leave.

use super::*;
use crate::{
    testing::{PATIENCE, Pki, SecurePeer, check_read, output},
    tls::{PeerVerify, TlsOptions, TlsVersions},
};
use socket2::{Domain, Type};
use std::{os::unix::net::UnixStream, thread};

fn pair() -> (Socket, UnixStream) {
    let (near, far) = Socket::pair(Domain::UNIX, Type::STREAM, None).unwrap();
    near.set_write_timeout(Some(PATIENCE)).unwrap();
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    (near, UnixStream::from(std::os::fd::OwnedFd::from(far)))
}

fn shown<T>(result: io::Result<T>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

const CLOSED: &str = "ConnectionReset: the peer closed the connection";

#[test]
fn plain_text_is_written_while_the_peer_stays() {
    let (near, mut far) = pair();
    let mut text = output(&[b"one\n", b"two\n"]);
    write_plain(&near, &mut text).unwrap();
    assert_eq!(text.size(), 0);
    check_read(&mut far, "one\ntwo\n");
    // A peer may speak; nobody listens.
    far.write_all(&[b'x'; 3_000]).unwrap();
    let mut text = output(&[b"three\n"]);
    write_plain(&near, &mut text).unwrap();
    check_read(&mut far, "three\n");
    drop(far);
    let mut text = output(&[b"four\n"]);
    assert_eq!(shown(write_plain(&near, &mut text)), CLOSED);
    assert_eq!(text.size(), 5);
}

#[test]
fn a_full_plain_connection_takes_what_fits() {
    let (near, mut far) = pair();
    near.set_nonblocking(true).unwrap();
    let long = vec![b'z'; 4 << 20];
    let mut text = output(&[&long]);
    write_plain(&near, &mut text).unwrap();
    assert!((1..long.len()).contains(&text.size()));
    let error = write_plain(&near, &mut text).and_then(|()| write_plain(&near, &mut text));
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    let left = text.size();
    let mut read = vec![0; long.len() - left];
    far.read_exact(&mut read).unwrap();
    write_plain(&near, &mut text).unwrap();
    assert!(text.size() < left);
}

/// A client and the options of its server.
struct Ends {
    client: ClientTls,
    server: TlsOptions,
}

impl Ends {
    /// Two that know each other.
    fn new(pki: &Pki) -> Ends {
        Ends { client: ClientTls::load(&pki.options("client")).unwrap(), server: pki.options("server") }
    }

    fn connect(&self) -> (Secure, SecurePeer<UnixStream>) {
        let (near, far) = pair();
        let server = self.server.clone();
        let peer = thread::spawn(move || SecurePeer::shake(far, &server).unwrap());
        let secure = Secure::connect(near, &self.client, "logs.example", PATIENCE).unwrap();
        assert_eq!(secure.socket.read_timeout().unwrap(), None);
        (secure, peer.join().unwrap())
    }
}

#[test]
fn text_is_encrypted_both_ways() {
    let pki = Pki::new();
    let (mut secure, mut peer) = Ends::new(&pki).connect();
    let mut text = output(&[b"one\n", b"two\n"]);
    secure.write(&mut text).unwrap();
    assert_eq!(text.size(), 0);
    check_read(&mut peer, "one\ntwo\n");
    assert_eq!(secure.say(b"EHLO\r\n").unwrap(), 6);
    check_read(&mut peer, "EHLO\r\n");
    peer.write_all(b"250 me").unwrap();
    let mut heard = b"> ".to_vec();
    assert!(secure.hear(&mut heard, ReadMode::Blocking).unwrap());
    assert_eq!(heard, b"> 250 me");
    // An answer that nobody reads does not hold up what is written.
    peer.write_all(&[b'x'; 3_000]).unwrap();
    secure.write(&mut output(&[b"three\n"])).unwrap();
    check_read(&mut peer, "three\n");
}

#[test]
fn a_piece_counts_when_its_last_byte_is_sent() {
    let pki = Pki::new();
    let (mut secure, mut peer) = Ends::new(&pki).connect();
    secure.socket.set_nonblocking(true).unwrap();
    peer.stream.set_nonblocking(true).unwrap();
    let whole = 2 * PIECE_BYTES + 1_000;
    let long: Vec<u8> = (0..whole).map(|at| (at % 251) as u8).collect();
    let (mut text, mut arrived, mut left) = (output(&[&long]), Vec::new(), vec![whole]);
    while text.size() > 0 {
        if let Err(error) = secure.write(&mut text) {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        }
        if left.last() != Some(&text.size()) {
            left.push(text.size());
        }
        while peer.read_to_end(&mut arrived).is_ok() {}
    }
    while peer.read_to_end(&mut arrived).is_ok() {}
    assert!(arrived == long, "{} bytes of {whole} arrived", arrived.len());
    assert_eq!(left, [whole, whole - PIECE_BYTES, 1_000, 0]);
}

#[test]
fn what_is_said_in_parts_counts_when_all_is_sent() {
    let pki = Pki::new();
    let (mut secure, mut peer) = Ends::new(&pki).connect();
    secure.socket.set_send_buffer_size(4_096).unwrap();
    secure.socket.set_nonblocking(true).unwrap();
    let long = vec![b'z'; 60_000];
    assert_eq!(secure.say(&long).unwrap(), 0, "a part of the record was sent");
    let (mut arrived, mut said) = (vec![0; 60_000], 0);
    let reader = thread::spawn(move || peer.read_exact(&mut arrived).map(|()| (peer, arrived)));
    while said == 0 {
        match secure.say(&long) {
            Ok(size) => said = size,
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
    }
    assert_eq!(said, long.len());
    let (mut peer, arrived) = reader.join().unwrap().unwrap();
    assert!(arrived == long);
    assert_eq!(secure.say(b"more").unwrap(), 4);
    check_read(&mut peer, "more");
}

#[test]
fn hearing_waits_as_long_as_it_is_asked_to() {
    let pki = Pki::new();
    let (mut secure, mut peer) = Ends::new(&pki).connect();
    let mut heard = Vec::new();
    let nothing = secure.hear(&mut heard, ReadMode::NonBlocking);
    assert_eq!(nothing.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    secure.set_patience(Duration::from_millis(20)).unwrap();
    let start = Instant::now();
    let nothing = secure.hear(&mut heard, ReadMode::Blocking);
    assert_eq!(nothing.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert!(start.elapsed() >= Duration::from_millis(15));
    let record = peer.record("250 OK");
    peer.stream.write_all(&record[..9]).unwrap();
    assert!(!secure.hear(&mut heard, ReadMode::NonBlocking).unwrap(), "a part of a record");
    peer.stream.write_all(&record[9..]).unwrap();
    assert!(secure.hear(&mut heard, ReadMode::NonBlocking).unwrap());
    assert_eq!(heard, b"250 OK");
}

#[test]
fn a_peer_that_leaves_or_talks_nonsense_ends_the_connection() {
    type Act = fn(SecurePeer<UnixStream>) -> Option<SecurePeer<UnixStream>>;
    let leaves: Act = |_| None;
    let says_goodbye: Act = |mut peer| {
        peer.say_goodbye();
        Some(peer)
    };
    let talks_nonsense: Act = |mut peer| {
        peer.stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        Some(peer)
    };
    let pki = Pki::new();
    let ends = Ends::new(&pki);
    let eof = "UnexpectedEof: unexpected end of file";
    let nonsense = "InvalidData: TLS: ";
    for (act, written, heard) in
        [(leaves, CLOSED, eof), (says_goodbye, CLOSED, eof), (talks_nonsense, nonsense, nonsense)]
    {
        let (mut secure, peer) = ends.connect();
        let peer = act(peer);
        let mut text = output(&[b"one\n"]);
        let found = shown(secure.write(&mut text));
        assert!(found.starts_with(written), "{found}");
        assert_eq!(text.size(), 4);
        drop(peer);
        let (mut secure, peer) = ends.connect();
        let peer = act(peer);
        let found = shown(secure.hear(&mut Vec::new(), ReadMode::Blocking));
        assert!(found.starts_with(heard), "{found}");
        drop(peer);
    }
}

#[test]
fn the_end_is_said_unless_something_is_half_sent() {
    let pki = Pki::new();
    let ends = Ends::new(&pki);
    let (secure, mut peer) = ends.connect();
    drop(secure);
    assert_eq!(peer.receive().unwrap(), SessionState::Over);
    let (mut secure, mut peer) = ends.connect();
    secure.socket.set_send_buffer_size(4_096).unwrap();
    secure.socket.set_nonblocking(true).unwrap();
    assert_eq!(secure.say(&[b'z'; 60_000]).unwrap(), 0);
    drop(secure);
    let end = loop {
        match peer.receive() {
            Ok(SessionState::Open) => {}
            end => break end,
        }
    };
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "cut, not said to be over");
}

/// Compares the end of a handshake with a peer that acts so.
#[track_caller]
fn check_handshake(
    client: &TlsOptions,
    host: &str,
    act: impl FnOnce(UnixStream) + Send + 'static,
    want: &str,
) {
    let (near, far) = pair();
    let peer = thread::spawn(move || act(far));
    let client = ClientTls::load(client).unwrap();
    let found = shown(Secure::connect(near, &client, host, PATIENCE));
    peer.join().unwrap();
    assert!(found.starts_with(want), "{found}");
}

#[test]
fn a_handshake_ends_with_its_reason() {
    let (pki, others) = (Pki::new(), Pki::new());
    let (ours, anonymous) = (pki.options("client"), pki.anonymous());
    let serve = |options: TlsOptions| {
        move |far: UnixStream| {
            let mut peer = SecurePeer::shake(far, &options).unwrap();
            let _ = peer.receive();
        }
    };
    let refuse = |options: TlsOptions| {
        move |far: UnixStream| {
            assert!(SecurePeer::shake(far, &options).is_err());
        }
    };
    let open = TlsOptions { peer_verify: PeerVerify::NotAsked, ..pki.options("server") };
    check_handshake(&ours, "logs.example", serve(pki.options("server")), "done");
    check_handshake(&anonymous, "logs.example", serve(open.clone()), "done");
    let old = TlsOptions { versions: TlsVersions::Only12, ..pki.options("server") };
    check_handshake(&ours, "logs.example", serve(old), "done");
    check_handshake(&ours, "other.example", refuse(open), "InvalidData: TLS: ");
    check_handshake(&ours, "no host", |_| (), "InvalidData: TLS: ");
    let leave = |mut far: UnixStream| drop(far.read(&mut [0; 1 << 12]));
    check_handshake(&ours, "logs.example", leave, "UnexpectedEof: the peer left the TLS handshake");
    let nonsense = |mut far: UnixStream| {
        far.write_all(b"220 hello, this is no TLS\r\n").unwrap();
        let _ = far.read(&mut [0; 1 << 12]);
    };
    check_handshake(&ours, "logs.example", nonsense, "InvalidData: TLS: ");
    // With TLS 1.3 the server checks our certificate when we are done.
    let strict = TlsOptions { ca_file: Some(others.path("ca.pem")), ..pki.options("server") };
    check_handshake(&ours, "logs.example", refuse(strict), "InvalidData: TLS: ");
}

#[test]
fn what_a_server_says_of_our_certificate_is_awaited() {
    let pki = Pki::new();
    let (ours, server) = (pki.options("client"), pki.options("server"));
    let (leaving, polite, talking) = (server.clone(), server.clone(), server.clone());
    check_handshake(
        &ours,
        "logs.example",
        move |far| drop(SecurePeer::shake(far, &leaving).unwrap()),
        CLOSED,
    );
    let says_goodbye = move |far| SecurePeer::shake(far, &polite).unwrap().say_goodbye();
    check_handshake(&ours, "logs.example", says_goodbye, CLOSED);
    let talks = move |far| {
        let mut peer = SecurePeer::shake(far, &talking).unwrap();
        peer.write_all(b"220 hi").unwrap();
        let _ = peer.receive();
    };
    check_handshake(&ours, "logs.example", talks, "done");
    let fails = move |far: UnixStream| {
        let mut peer = SecurePeer::shake(far, &server).unwrap();
        peer.stream.write_all(b"this is no TLS\r\n").unwrap();
        let _ = peer.receive();
    };
    check_handshake(&ours, "logs.example", fails, "InvalidData: TLS: ");
}

#[test]
fn a_peer_that_does_not_shake_hands_is_left_in_time() {
    let pki = Pki::new();
    let client = ClientTls::load(&pki.options("client")).unwrap();
    for within in [Duration::ZERO, STALL + Duration::from_millis(20)] {
        let (near, far) = pair();
        let start = Instant::now();
        let found = shown(Secure::connect(near, &client, "logs.example", within));
        assert_eq!(found, "TimedOut: the peer did not finish the TLS handshake in time");
        assert!(start.elapsed() >= within);
        drop(far);
        // A peer that reads nothing, either.
        let (near, far) = pair();
        near.set_nonblocking(true).unwrap();
        let mut writer = &near;
        while writer.write(&[0; 4_096]).is_ok() {}
        let start = Instant::now();
        let result = Secure::connect(near, &client, "logs.example", within);
        assert_eq!(result.err().map(|error| error.kind()), Some(io::ErrorKind::WouldBlock));
        assert!(start.elapsed() >= within);
        drop(far);
    }
}

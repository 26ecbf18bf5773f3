//! A receiver on this machine that shows the text of each record.

use super::*;
use crate::{
    DestinationDriver, SocketKind, SocketTarget, StreamFraming,
    testing::{Setup, spec},
};
use socket2::{Domain, Type};
use std::{
    net::{SocketAddr, UdpSocket},
    sync::atomic::Ordering,
};
use transport::{
    dtls::{Association, RECORD_TEXT_BYTES_MAX, SenderDtls, ServerDtls},
    testing::{PATIENCE, Pki, eventually, output},
    tls::PeerVerify,
};
use wire::dtls::{Start, append_verify_request, start};

struct Receiver {
    socket: UdpSocket,
    settings: ServerDtls,
    association: Option<Association>,
}

impl Receiver {
    fn new(pki: &Pki) -> Receiver {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Receiver { socket, settings: ServerDtls::load(&pki.options("server")).unwrap(), association: None }
    }

    fn target(&self, pki: &Pki, framing: StreamFraming) -> Setup {
        let mut options = pki.options("client");
        // The certificate is for another name than the address that is dialled.
        options.peer_verify = PeerVerify::RequiredUntrusted;
        let port = self.socket.local_addr().unwrap().port();
        let kind = SocketKind::Dtls("127.0.0.1".to_owned(), port, SenderDtls::new(options));
        let target = SocketTarget { framing, ..SocketTarget::new(kind) };
        Setup::new(spec(DestinationDriver::Socket(target), "<$MSG>\n"))
    }

    /// Takes datagrams until there are `count` records.
    #[track_caller]
    fn records(&mut self, count: usize) -> Vec<String> {
        let mut records = Vec::new();
        let mut bytes = vec![0; 65_536];
        while records.len() < count {
            let (size, from) = self.socket.recv_from(&mut bytes).unwrap();
            let datagram = &bytes[..size];
            match (start(datagram), &mut self.association) {
                (Start::Hello(hello), _) if hello.cookie.is_empty() => {
                    let mut answer = Vec::new();
                    append_verify_request(hello.sequence, b"crumbs", &mut answer);
                    self.socket.send_to(&answer, from).unwrap();
                }
                (Start::Hello(_), _) => {
                    self.association = Some(self.settings.accept(datagram, 1200).unwrap())
                }
                (_, Some(association)) => {
                    association
                        .take(datagram, |record| records.push(String::from_utf8(record.to_vec()).unwrap()))
                        .unwrap();
                }
                _ => {}
            }
            if let Some(association) = &mut self.association {
                for datagram in association.outgoing().iter() {
                    self.socket.send_to(datagram, from).unwrap();
                }
                association.outgoing().clear();
            }
        }
        records
    }
}

#[test]
fn packs_counted_messages_and_no_others() {
    let pki = Pki::new();
    let mut receiver = Receiver::new(&pki);
    let setup = receiver.target(&pki, StreamFraming::OctetCounted);
    setup.send(&["h|a", "h|bc", "h|d"]);
    assert_eq!(receiver.records(1), ["3 <a>4 <bc>3 <d>"]);
    let mut receiver = Receiver::new(&pki);
    let setup = receiver.target(&pki, StreamFraming::Plain);
    setup.send(&["h|a", "h|bc", "h|d"]);
    assert_eq!(receiver.records(3), ["<a>", "<bc>", "<d>"]);
}

#[test]
fn cuts_what_no_record_holds_and_counts_it() {
    let pki = Pki::new();
    let mut receiver = Receiver::new(&pki);
    let setup = receiver.target(&pki, StreamFraming::OctetCounted);
    let long = format!("h|{}", "é".repeat(10_000));
    setup.send(&["h|a", &long, "h|b"]);
    let records = receiver.records(3);
    assert_eq!((records[0].as_str(), records[2].as_str()), ("3 <a>", "3 <b>"));
    let (count, text) = records[1].split_once(' ').unwrap();
    assert_eq!(count, text.len().to_string());
    assert!(records[1].len() <= RECORD_TEXT_BYTES_MAX && records[1].len() > RECORD_TEXT_BYTES_MAX - 4);
    assert!(text.starts_with("<é") && text.ends_with('é'));
    let counters = setup.registry.list().remove(0);
    eventually("one is counted", || counters.frame_errors.load(Ordering::Relaxed) == 1);
    eventually("all are written", || counters.written.load(Ordering::Relaxed) == 3);
}

#[test]
fn a_receiver_that_leaves_is_looked_for_again() {
    let pki = Pki::new();
    let mut receiver = Receiver::new(&pki);
    let setup = receiver.target(&pki, StreamFraming::Plain);
    setup.send(&["h|a"]);
    assert_eq!(receiver.records(1), ["<a>"]);
    let mut association = receiver.association.take().unwrap();
    association.say_goodbye();
    let to = receiver.socket.local_addr().unwrap();
    // The goodbye goes where the last datagram came from.
    setup.send(&["h|lost"]);
    let mut bytes = [0; 2048];
    let (_, from) = receiver.socket.recv_from(&mut bytes).unwrap();
    for datagram in association.outgoing().iter() {
        receiver.socket.send_to(datagram, from).unwrap();
    }
    assert_ne!(from, to);
    setup.send(&["h|b"]);
    assert_eq!(receiver.records(1), ["<b>"]);
}

/// Connects to a port, within a time.
fn connect(pki: &Pki, port: u16, within: Duration) -> io::Result<SecureDatagrams> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
    socket.connect(&SocketAddr::from(([127, 0, 0, 1], port)).into()).unwrap();
    let mut options = pki.options("client");
    options.peer_verify = PeerVerify::RequiredUntrusted;
    let settings = ClientDtls::load(&options).unwrap();
    SecureDatagrams::connect(socket, &settings, "127.0.0.1", StreamFraming::Plain, within)
}

fn shown<T>(result: io::Result<T>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

#[test]
fn a_handshake_without_an_answer_ends_in_time() {
    let pki = Pki::new();
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    for within in [Duration::ZERO, Duration::from_millis(300)] {
        let start = Instant::now();
        let found = shown(connect(&pki, port, within));
        assert_eq!(found, "TimedOut: the peer did not finish the DTLS handshake in time");
        assert!(start.elapsed() >= within);
    }
    drop(silent);
    let found = shown(connect(&pki, port, PATIENCE));
    assert_eq!(found, "ConnectionRefused: nobody listens on this port");
}

#[test]
fn an_association_says_texts_and_notices_the_end_of_its_peer() {
    let pki = Pki::new();
    let mut receiver = Receiver::new(&pki);
    let port = receiver.socket.local_addr().unwrap().port();
    let mut secure = std::thread::scope(|scope| {
        let secure = scope.spawn(|| {
            let mut secure = connect(&pki, port, PATIENCE).unwrap();
            secure.say(b"one").unwrap();
            secure
        });
        assert_eq!(receiver.records(1), ["one"]);
        secure.join().unwrap()
    });
    // Messages without text have no record, and count as written with the last one that has.
    let mut text = output(&[b"", b"a\n", b"\n", b"b", b"\n", b"\n"]);
    secure.write(&mut text).unwrap();
    assert_eq!((text.size(), receiver.records(2)), (0, vec!["a".to_owned(), "b".to_owned()]));
    let mut text = output(&[b"\n", b"\n"]);
    secure.write(&mut text).unwrap();
    assert_eq!(text.size(), 0);
    drop(receiver);
    // The first one finds the port closed, which shows with the next one.
    let mut text = output(&[b"c\n"]);
    let found = loop {
        if let Err(error) = secure.write(&mut text) {
            break shown::<()>(Err(error));
        }
        text = output(&[b"c\n"]);
    };
    assert_eq!(found, "ConnectionRefused: nobody listens on this port");
}

#[test]
fn many_records_go_in_several_calls() {
    let pki = Pki::new();
    let mut receiver = Receiver::new(&pki);
    let setup = receiver.target(&pki, StreamFraming::Plain);
    let count = 2 * transport::sys::SENT_MAX + 1;
    let texts: Vec<String> = (0..count).map(|number| format!("h|{number}")).collect();
    setup.send(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let want: Vec<String> = (0..count).map(|number| format!("<{number}>")).collect();
    assert_eq!(receiver.records(count), want);
}

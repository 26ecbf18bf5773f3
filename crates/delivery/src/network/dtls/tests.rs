//! A receiver on this machine that shows the text of each record.

use crate::{
    DestinationDriver, SocketKind, SocketTarget, StreamFraming,
    testing::{Setup, spec},
};
use std::{net::UdpSocket, sync::atomic::Ordering};
use transport::{
    dtls::{Association, RECORD_TEXT_BYTES_MAX, SenderDtls, ServerDtls},
    testing::{PATIENCE, Pki, eventually},
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
        options.peer_verify = transport::tls::PeerVerify::RequiredUntrusted;
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

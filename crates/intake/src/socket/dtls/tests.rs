//! A DTLS listener on this machine, with senders of ours: many peers, peers that start again, hostile datagrams,
//! limits.

use crate::{
    DatagramListener, SourceDriver, SourceOptions,
    testing::{Setup, here, source_options},
};
use std::{
    net::UdpSocket,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};
use transport::{
    RefusalReason,
    dtls::{Association, AssociationState, ClientDtls, ListenerDtls},
    testing::{PATIENCE, Pki, eventually},
};

const LINE: &str = "<13>Nov 21 09:00:00 web su: ";

fn listening(pki: &Pki, change: impl Fn(&mut DatagramListener)) -> Setup {
    let tls = ListenerDtls::new(pki.options("server"));
    let driver = |port| {
        let mut listener = DatagramListener::new(here(port));
        listener.dtls = Some(tls.clone());
        change(&mut listener);
        SourceDriver::Datagram(listener)
    };
    Setup::new(driver, SourceOptions { ..source_options() })
}

struct Client {
    socket: UdpSocket,
    association: Association,
}

impl Client {
    /// A client after its handshake, from a socket that may have been used before.
    fn on(socket: UdpSocket, pki: &Pki) -> Client {
        let settings = ClientDtls::load(&pki.options("client")).unwrap();
        let association = settings.connect("logs.example", 1200).unwrap();
        let mut client = Client { socket, association };
        let end = Instant::now() + PATIENCE;
        while !client.association.is_open() {
            assert!(Instant::now() < end, "no handshake");
            client.flush();
            assert_eq!(
                client.hear(),
                Some(AssociationState::Handshaking)
                    .filter(|_| !client.association.is_open())
                    .or(Some(AssociationState::Open))
            );
        }
        client
    }

    fn new(setup: &Setup, pki: &Pki) -> Client {
        Client::on(plain(setup), pki)
    }

    fn flush(&mut self) {
        for datagram in self.association.outgoing().iter() {
            self.socket.send(datagram).unwrap();
        }
        self.association.outgoing().clear();
    }

    fn hear(&mut self) -> Option<AssociationState> {
        let mut bytes = [0; 4096];
        let size = self.socket.recv(&mut bytes).ok()?;
        Some(self.association.take(&bytes[..size], |_| {}).unwrap())
    }

    fn say(&mut self, text: &str) {
        self.association.encrypt(text.as_bytes()).unwrap();
        self.flush();
    }
}

fn plain(setup: &Setup) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(("127.0.0.1", setup.port)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// Waits until a counter of the listener has a value.
fn reaches(setup: &Setup, what: &str, counter: impl Fn(&transport::Counters) -> &AtomicU64, value: u64) {
    let read =
        || setup.registry.list().iter().map(|entry| counter(entry).load(Ordering::Relaxed)).sum::<u64>();
    eventually(what, || read() >= value);
    assert_eq!(read(), value, "{what}");
}

#[test]
fn many_peers_send_over_one_socket() {
    let pki = Pki::new();
    let setup = listening(&pki, |_| {});
    let mut clients: Vec<Client> = (0..5).map(|_| Client::new(&setup, &pki)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.say(&format!("{LINE}{number}"));
        let counted = format!("{LINE}{number}.counted");
        client.say(&format!("{} {counted}{} {counted}", counted.len(), counted.len()));
    }
    let mut lines = setup.collected.wait(15);
    lines.sort();
    assert_eq!(lines[..4], ["web|su|0", "web|su|0.counted", "web|su|0.counted", "web|su|1"]);
    setup.collected.batches(|batches| {
        let origin = batches[0].origin(0);
        let value = |name: &str| {
            origin.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        assert_eq!(value(".tls.x509_cn").as_deref(), Some(&b"client"[..]));
        assert_eq!(origin.transport_name, "rfc3164+dtls");
    });
    reaches(&setup, "peers", |counters| &counters.connections, 5);
    clients[0].association.say_goodbye();
    clients[0].flush();
    eventually("one peer less", || connections(&setup) == 4);
    // The close_notify is answered.
    assert_eq!(clients[0].hear(), Some(AssociationState::Over));
}

fn connections(setup: &Setup) -> u64 {
    setup.registry.list().iter().map(|entry| entry.connections.load(Ordering::Relaxed)).sum()
}

#[test]
fn a_peer_begins_again_from_the_same_port() {
    let pki = Pki::new();
    let setup = listening(&pki, |_| {});
    let mut first = Client::new(&setup, &pki);
    first.say(&format!("{LINE}first"));
    setup.collected.wait(1);
    // A late hello of the old association, or a stranger's with that address, changes nothing.
    let socket = first.socket.try_clone().unwrap();
    let settings = ClientDtls::load(&pki.options("client")).unwrap();
    let hello = settings.connect("logs.example", 1200).unwrap().outgoing().iter().next().unwrap().to_vec();
    socket.send(&hello).unwrap();
    let mut answer = [0; 512];
    let size = socket.recv(&mut answer).unwrap();
    assert!(size < hello.len(), "asked for a cookie");
    first.say(&format!("{LINE}still there"));
    setup.collected.wait(2);
    let mut second = Client::on(socket, &pki);
    second.say(&format!("{LINE}second"));
    assert_eq!(setup.collected.wait(3)[1..], ["web|su|still there", "web|su|second"]);
    assert_eq!(connections(&setup), 1);
}

#[test]
fn hostile_datagrams_disturb_nobody() {
    let pki = Pki::new();
    let setup = listening(&pki, |_| {});
    let mut client = Client::new(&setup, &pki);
    client.association.encrypt(format!("{LINE}again").as_bytes()).unwrap();
    let datagram = client.association.outgoing().iter().next().unwrap().to_vec();
    client.flush();
    client.socket.send(&datagram).unwrap();
    let mut garbled = datagram.clone();
    garbled[20] ^= 1;
    client.socket.send(&garbled).unwrap();
    client.socket.send(&datagram[..30]).unwrap();
    let stranger = plain(&setup);
    for bytes in [&b"<13>plain text"[..], &[0; 1], &[0xff; 1000], &datagram] {
        stranger.send(bytes).unwrap();
    }
    // A sender of records without an association gets a hint that it is unknown.
    let mut answer = [0; 512];
    assert_eq!(stranger.recv(&mut answer).unwrap(), 15);
    client.say(&format!("{LINE}after"));
    assert_eq!(setup.collected.wait(2), ["web|su|again", "web|su|after"]);
    reaches(&setup, "odd datagrams", |counters| &counters.frame_errors, 7);
}

#[test]
fn peers_are_counted() {
    let pki = Pki::new();
    let setup = listening(&pki, |listener| listener.connections.total = 2);
    let _clients: Vec<Client> = (0..2).map(|_| Client::new(&setup, &pki)).collect();
    let settings = ClientDtls::load(&pki.options("client")).unwrap();
    let mut third =
        Client { socket: plain(&setup), association: settings.connect("logs.example", 1200).unwrap() };
    third.flush();
    assert_eq!(third.hear(), Some(AssociationState::Handshaking));
    third.flush();
    eventually("refused", || setup.registry.list()[0].refusals.count(RefusalReason::MaxConnections) == 1);
}

#[test]
fn silent_peers_hear_a_goodbye() {
    let pki = Pki::new();
    let setup = listening(&pki, |listener| listener.idle_timeout = Some(Duration::from_millis(500)));
    let mut client = Client::new(&setup, &pki);
    assert_eq!(client.hear(), Some(AssociationState::Over));
    eventually("gone", || connections(&setup) == 0);
}

#[test]
fn a_flood_of_hellos_is_answered_and_forgotten() {
    let pki = Pki::new();
    let setup = listening(&pki, |_| {});
    let settings = ClientDtls::load(&pki.options("client")).unwrap();
    let hello = settings.connect("logs.example", 1200).unwrap().outgoing().iter().next().unwrap().to_vec();
    for _ in 0..50 {
        let stranger = plain(&setup);
        stranger.send(&hello).unwrap();
        let mut answer = [0; 512];
        assert!(stranger.recv(&mut answer).unwrap() < hello.len());
        // The cookie of another address begins nothing.
    }
    assert_eq!(connections(&setup), 0);
    Client::new(&setup, &pki).say(&format!("{LINE}honest"));
    setup.collected.wait(1);
}

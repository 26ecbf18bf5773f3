//! Peers without a socket, at times that the tests choose: which are answered, which give way, which are
//! forgotten.

use super::*;
use crate::{
    options::CountLimits,
    testing::{here, source_options},
};
use std::sync::atomic::Ordering;
use transport::{
    Registry,
    dtls::{ClientDtls, ListenerDtls},
    testing::{Collected, Pki},
};

/// Results of datagrams.
#[derive(Default)]
struct Seen {
    texts: Vec<(String, Arc<Origin>)>,
    sent: Vec<(SocketAddr, Vec<u8>)>,
    odd: usize,
}

impl Events for Seen {
    fn text(&mut self, record: &[u8], origin: &Arc<Origin>) {
        self.texts.push((String::from_utf8(record.to_vec()).unwrap(), origin.clone()));
    }

    fn answer(&mut self, to: SocketAddr, datagram: &[u8]) {
        self.sent.push((to, datagram.to_vec()));
    }

    fn odd(&mut self) {
        self.odd += 1;
    }
}

struct Setup {
    pki: Pki,
    peers: Peers,
    settings: Settings,
    log: InternalLog,
    seen: Seen,
    start: Instant,
}

/// A nanosecond.
const MOMENT: Duration = Duration::from_nanos(1);

impl Setup {
    fn new(change: impl Fn(&mut DatagramListener)) -> Setup {
        let (pki, log, start) = (Pki::new(), InternalLog::new("test", None), Instant::now());
        let mut listener = DatagramListener::new(here(1));
        listener.dtls = Some(ListenerDtls::new(pki.options("server")));
        change(&mut listener);
        let settings = Settings {
            id: "s#0".to_owned(),
            component: "network".to_owned(),
            driver: SourceDriver::Datagram(listener),
            options: Arc::new(source_options()),
            intake: Collected::new(),
            counters: Registry::default().register("src.network", "s#0", "here"),
        };
        let names = HostNames::start().unwrap();
        let cookies = Cookies::new(start).unwrap();
        let peers = Peers::new((names, log.clone()), DtlsCounts::default(), cookies, None);
        Setup { pki, peers, settings, log, seen: Seen::default(), start }
    }

    fn take(&mut self, from: SocketAddr, datagram: &[u8], after: Duration) {
        self.peers.take(from, datagram, self.start + after, &self.settings, &mut self.seen);
    }

    fn client(&self) -> Association {
        ClientDtls::load(&self.pki.options("client")).unwrap().connect("logs.example", 1200).unwrap()
    }

    /// Delivers the client's datagrams, and the answers back to it.
    fn exchange(&mut self, from: SocketAddr, client: &mut Association, after: Duration) {
        let datagrams: Vec<Vec<u8>> = client.outgoing().iter().map(<[u8]>::to_vec).collect();
        client.outgoing().clear();
        datagrams.iter().for_each(|datagram| self.take(from, datagram, after));
        for (to, datagram) in std::mem::take(&mut self.seen.sent) {
            assert_eq!(to, from);
            client.take(&datagram, |_| {}).unwrap();
        }
    }

    /// A client whose handshake has begun: its cookie was valid.
    fn begun(&mut self, from: SocketAddr, after: Duration) -> Association {
        let mut client = self.client();
        (0..2).for_each(|_| self.exchange(from, &mut client, after));
        assert!(!client.is_open());
        client
    }

    /// A client that may send.
    fn opened(&mut self, from: SocketAddr, after: Duration) -> Association {
        let mut client = self.begun(from, after);
        self.exchange(from, &mut client, after);
        assert!(client.is_open());
        client
    }

    fn say(&mut self, from: SocketAddr, client: &mut Association, text: &str, after: Duration) {
        client.encrypt(text.as_bytes()).unwrap();
        self.exchange(from, client, after);
    }

    fn tick(&mut self, after: Duration) {
        let sent = &mut self.seen.sent;
        let mut send = |to: SocketAddr, datagram: &[u8]| sent.push((to, datagram.to_vec()));
        self.peers.tick(self.start + after, &self.settings, &mut send);
    }

    fn part_with_silent(&mut self, after: Duration) {
        let sent = &mut self.seen.sent;
        let mut send = |to: SocketAddr, datagram: &[u8]| sent.push((to, datagram.to_vec()));
        self.peers.part_with_silent(self.start + after, &self.settings, &mut send);
    }

    fn texts(&self) -> Vec<&str> {
        self.seen.texts.iter().map(|(text, _)| text.as_str()).collect()
    }

    fn connections(&self) -> u64 {
        self.settings.counters.connections.load(Ordering::Relaxed)
    }

    fn errors(&self) -> u64 {
        self.settings.counters.errors.load(Ordering::Relaxed)
    }

    fn refused(&self, reason: RefusalReason) -> u64 {
        self.settings.counters.refusals.count(reason)
    }

    /// Takes the lines of our log, their beginnings.
    fn log(&self) -> Vec<String> {
        let begin = |text: String| text.split("; ").next().unwrap_or_default().to_owned();
        self.log.take(100).0.into_iter().map(|entry| begin(entry.text)).collect()
    }
}

fn at(host: u8, port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, host], port))
}

/// A record as its outside shows it.
fn record(content: u8, epoch: u8) -> Vec<u8> {
    [&[content, 0xfe, 0xfd, 0, epoch][..], &[0; 6], &[0, 1, 0]].concat()
}

#[test]
fn a_peer_sends_and_leaves() {
    let mut setup = Setup::new(|_| {});
    let (from, now) = (at(1, 1), Duration::ZERO);
    assert!(!setup.peers.is_handshaking());
    let mut client = setup.begun(from, now);
    assert!(setup.peers.is_handshaking());
    assert_eq!(setup.connections(), 0);
    setup.exchange(from, &mut client, now);
    assert!(client.is_open() && !setup.peers.is_handshaking());
    setup.say(from, &mut client, "one", now);
    setup.say(from, &mut client, "two", now);
    assert_eq!((setup.texts(), setup.connections(), setup.seen.odd), (vec!["one", "two"], 1, 0));
    client.say_goodbye();
    setup.exchange(from, &mut client, now);
    assert_eq!((setup.connections(), setup.peers.open.len(), setup.errors()), (0, 0, 0));
    assert_eq!(setup.log(), ["Syslog connection accepted", "Syslog connection closed"]);
}

#[test]
fn a_handshake_may_end_in_one_datagram() {
    let mut setup = Setup::new(|_| {});
    let (from, now) = (at(1, 1), Duration::ZERO);
    let mut client = setup.begun(from, now);
    // The last flight, as one datagram.
    let last: Vec<u8> = client.outgoing().iter().flatten().copied().collect();
    client.outgoing().clear();
    setup.take(from, &last, now);
    let (_, answer) = setup.seen.sent.remove(0);
    assert!(setup.connections() == 1 && !answer.is_empty() && setup.texts().is_empty());
}

#[test]
fn an_origin_is_good_for_a_while() {
    let mut setup = Setup::new(|_| {});
    let from = at(1, 1);
    let mut client = setup.opened(from, Duration::ZERO);
    let good = UNNAMED_GOOD_FOR;
    for after in [Duration::ZERO, good - MOMENT, good, good + MOMENT] {
        setup.say(from, &mut client, "x", after);
    }
    let origins: Vec<&Arc<Origin>> = setup.seen.texts.iter().map(|(_, origin)| origin).collect();
    let same = |one: usize, other: usize| Arc::ptr_eq(origins[one], origins[other]);
    assert!(same(0, 1) && !same(1, 2) && same(2, 3));
    assert_eq!((origins[0].host_from.as_str(), origins[0].peer), ("192.0.2.1", Some(from)));
    assert_eq!(origins[0].transport_name, "rfc3164+dtls");
    assert!(origins[0].values.iter().any(|(name, _)| name == ".tls.x509_cn"));
}

#[test]
fn a_reload_makes_origins_again_and_may_close() {
    let mut setup = Setup::new(|_| {});
    let from = at(1, 1);
    let mut client = setup.opened(from, Duration::ZERO);
    setup.say(from, &mut client, "before", Duration::ZERO);
    let mut options = source_options();
    options.ignores_peer_values = true;
    setup.settings.options = Arc::new(options);
    setup.peers.reload(&setup.settings, |_, _| panic!("nobody hears of it"));
    setup.say(from, &mut client, "after", Duration::ZERO);
    let origins: Vec<&Arc<Origin>> = setup.seen.texts.iter().map(|(_, origin)| origin).collect();
    assert!(!origins[0].values.is_empty() && origins[1].values.is_empty());
    if let SourceDriver::Datagram(listener) = &mut setup.settings.driver {
        listener.keep_over_reload = false;
    }
    let mut goodbyes = Vec::new();
    setup.peers.reload(&setup.settings, |to, datagram| goodbyes.push((to, datagram.to_vec())));
    assert_eq!((goodbyes.len(), goodbyes[0].0, setup.connections()), (1, from, 0));
    assert_eq!(client.take(&goodbyes[0].1, |_| {}).unwrap(), AssociationState::Over);
}

#[test]
fn a_peer_that_sends_nothing_is_parted_with() {
    let idle = Duration::from_secs(60);
    let mut setup = Setup::new(|listener| listener.idle_timeout = Some(idle));
    let from = at(1, 1);
    let mut client = setup.opened(from, Duration::ZERO);
    let later = Duration::from_secs(30);
    setup.say(from, &mut client, "x", later);
    // Datagrams without a text do not count for it.
    setup.take(from, &record(content::APPLICATION_DATA, 1), later + MOMENT);
    assert_eq!(setup.seen.odd, 1);
    setup.part_with_silent(later + idle - MOMENT);
    assert_eq!((setup.connections(), setup.seen.sent.len()), (1, 0));
    setup.part_with_silent(later + idle);
    assert_eq!((setup.connections(), setup.seen.sent.len()), (0, 1));
    assert_eq!(setup.log()[1..], ["Syslog connection closed, it was idle"]);
    let mut patient = Setup::new(|listener| listener.idle_timeout = None);
    patient.opened(from, Duration::ZERO);
    patient.part_with_silent(Duration::from_secs(1 << 30));
    assert_eq!(patient.connections(), 1);
}

#[test]
fn hints_to_strangers_are_limited() {
    let mut setup = Setup::new(|_| {});
    let now = Duration::ZERO;
    for (content, epoch, hints) in [
        (content::APPLICATION_DATA, 1, 1),
        (content::APPLICATION_DATA, 0, 0),
        (content::ALERT, 1, 0),
        (content::HANDSHAKE, 1, 0),
        (content::APPLICATION_DATA, 2, 1),
    ] {
        setup.take(at(1, 1), &record(content, epoch), now);
        assert_eq!(std::mem::take(&mut setup.seen.sent).len(), hints, "{content} {epoch}");
    }
    assert_eq!(setup.seen.odd, 5);
    setup.tick(now);
    (0..=HINTS_MAX).for_each(|_| setup.take(at(1, 1), &record(content::APPLICATION_DATA, 1), now));
    assert_eq!(std::mem::take(&mut setup.seen.sent).len(), HINTS_MAX);
    setup.tick(now);
    setup.take(at(1, 1), &record(content::APPLICATION_DATA, 1), now);
    assert_eq!(setup.seen.sent.len(), 1);
}

#[test]
fn an_old_handshake_gives_way_and_a_young_one_does_not() {
    let mut setup = Setup::new(|listener| listener.handshakes = CountLimits { total: 2, per_peer: None });
    setup.begun(at(1, 1), Duration::ZERO);
    setup.begun(at(2, 1), MOMENT);
    let try_third = |setup: &mut Setup, after| {
        let mut client = setup.client();
        (0..2).for_each(|_| setup.exchange(at(3, 1), &mut client, after));
        setup.peers.handshaking.contains_key(&at(3, 1))
    };
    assert!(!try_third(&mut setup, YOUNG_FOR - MOMENT));
    assert_eq!((setup.refused(RefusalReason::Handshakes), setup.peers.handshaking.len()), (1, 2));
    assert!(try_third(&mut setup, YOUNG_FOR));
    assert_eq!(setup.refused(RefusalReason::Handshakes), 2);
    let mut left: Vec<SocketAddr> = setup.peers.handshaking.keys().copied().collect();
    left.sort();
    assert_eq!(left, [at(2, 1), at(3, 1)], "the oldest gave way");
}

#[test]
fn a_handshake_of_the_same_address_gives_way_to_its_own() {
    let mut setup = Setup::new(|listener| listener.handshakes = CountLimits { total: 9, per_peer: Some(2) });
    for (from, after) in [(at(1, 1), 0), (at(2, 1), 1), (at(2, 2), 2)] {
        setup.begun(from, Duration::from_nanos(after));
    }
    setup.begun(at(2, 3), YOUNG_FOR + MOMENT);
    let mut left: Vec<SocketAddr> = setup.peers.handshaking.keys().copied().collect();
    left.sort();
    assert_eq!(left, [at(1, 1), at(2, 2), at(2, 3)]);
}

#[test]
fn a_handshake_ends_in_time() {
    let mut setup = Setup::new(|_| {});
    let mut client = setup.client();
    setup.exchange(at(1, 1), &mut client, Duration::ZERO);
    let hello: Vec<u8> = client.outgoing().iter().next().unwrap().to_vec();
    setup.exchange(at(1, 1), &mut client, Duration::ZERO);
    // Its hello arrives again: that is the same handshake.
    setup.take(at(1, 1), &hello, Duration::from_secs(10));
    setup.tick(HANDSHAKE_WITHIN);
    assert!(setup.peers.is_handshaking() && setup.errors() == 0);
    setup.tick(HANDSHAKE_WITHIN + MOMENT);
    assert!(!setup.peers.is_handshaking() && setup.errors() == 1);
    assert_eq!(setup.log(), ["Syslog connection broken"]);
}

#[test]
fn a_peer_that_starts_over_is_heard_until_it_has() {
    let mut setup = Setup::new(|_| {});
    let (from, now) = (at(1, 1), Duration::ZERO);
    let mut client = setup.client();
    setup.exchange(from, &mut client, now);
    let hello: Vec<u8> = client.outgoing().iter().next().unwrap().to_vec();
    (0..2).for_each(|_| setup.exchange(from, &mut client, now));
    assert!(client.is_open());
    // A late hello of its own begins nothing.
    setup.take(from, &hello, now);
    assert_eq!((setup.seen.odd, setup.peers.is_handshaking()), (1, false));
    let mut next = setup.begun(from, now);
    setup.say(from, &mut client, "still there", now);
    setup.exchange(from, &mut next, now);
    assert!(next.is_open());
    setup.say(from, &mut next, "new", now);
    assert_eq!((setup.texts(), setup.connections()), (vec!["still there", "new"], 1));
    assert_eq!(setup.log(), ["Syslog connection accepted", "Syslog connection restarted"]);
}

#[test]
fn associations_have_limits() {
    let mut setup = Setup::new(|listener| listener.connections = CountLimits { total: 3, per_peer: Some(2) });
    let now = Duration::ZERO;
    let _open: Vec<Association> = [at(1, 1), at(1, 2)].map(|from| setup.opened(from, now)).into();
    let refused = |setup: &mut Setup, from| {
        let mut client = setup.client();
        (0..2).for_each(|_| setup.exchange(from, &mut client, now));
        assert!(!setup.peers.handshaking.contains_key(&from));
    };
    refused(&mut setup, at(1, 3));
    assert_eq!(setup.refused(RefusalReason::PerAddress), 1);
    setup.opened(at(2, 1), now);
    refused(&mut setup, at(3, 1));
    assert_eq!(setup.refused(RefusalReason::MaxConnections), 1);
    // One that is open may start over.
    setup.opened(at(2, 1), now);
    assert_eq!(setup.connections(), 3);
    let lines: Vec<String> = setup.log.take(100).0.into_iter().map(|entry| entry.text).collect();
    let max = |what: &str| {
        let line = lines.iter().find(|line| line.contains(what)).unwrap();
        line.split("max='").nth(1).unwrap().split('\'').next().unwrap().to_owned()
    };
    assert_eq!((max("of one address reached").as_str(), max("connections reached").as_str()), ("2", "3"));
    let mut sent = Vec::new();
    setup.peers.close(&setup.settings.counters, |to, _| sent.push(to));
    sent.sort();
    assert_eq!((sent, setup.connections()), (vec![at(1, 1), at(1, 2), at(2, 1)], 0));
}

#[test]
fn a_cookie_is_of_one_address() {
    let mut setup = Setup::new(|_| {});
    let now = Duration::ZERO;
    let mut client = setup.client();
    setup.exchange(at(1, 1), &mut client, now);
    let hello: Vec<u8> = client.outgoing().iter().next().unwrap().to_vec();
    setup.take(at(2, 1), &hello, now);
    assert!(!setup.peers.is_handshaking());
    assert!(std::mem::take(&mut setup.seen.sent)[0].1.len() < hello.len(), "asked for another one");
    setup.take(at(1, 1), &hello, now);
    assert!(setup.peers.is_handshaking());
    setup.take(at(1, 1), b"no record", now);
    assert_eq!(setup.seen.odd, 1);
}

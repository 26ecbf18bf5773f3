//! Handshakes in memory between our two sides, over a line that loses, duplicates and changes datagrams.

use super::*;
use crate::{
    testing::Pki,
    tls::{
        CipherSuites, TlsOptions,
        fixtures::{GOOD, UNKNOWN_CA, pinned_and_named, revoked_clients, wrong_clients, wrong_servers},
    },
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::{fs, net::SocketAddr, time::Instant};
use wire::dtls::{Start, append_verify_request, start};

const MTU: usize = 1400;
const PEER: &str = "192.0.2.7:4000";

/// Both ends of a handshake: their errors, and the text that the server received.
struct Ends {
    server: Option<Result<Association, String>>,
    client: Association,
    cookies: Cookies,
    text: Vec<u8>,
    said: [Option<String>; 2],
    /// Largest possible datagram.
    largest: usize,
}

impl Ends {
    fn new(client: &TlsOptions, host: &str) -> Ends {
        let client = ClientDtls::load(client).unwrap().connect(host, MTU).unwrap();
        let cookies = Cookies::new(Instant::now()).unwrap();
        Ends { server: None, client, cookies, text: Vec::new(), said: [None, None], largest: 0 }
    }

    /// Delivers the client's datagrams to the server; `line` returns how many copies of each arrive.
    fn client_speaks(&mut self, settings: &ServerDtls, line: &mut dyn FnMut(&[u8]) -> usize) {
        let sent: Vec<Vec<u8>> = self.client.outgoing().iter().map(<[u8]>::to_vec).collect();
        self.client.outgoing().clear();
        for datagram in sent {
            self.largest = self.largest.max(datagram.len());
            (0..line(&datagram)).for_each(|_| self.server_takes(settings, &datagram));
        }
    }

    fn server_takes(&mut self, settings: &ServerDtls, datagram: &[u8]) {
        let peer: SocketAddr = PEER.parse().unwrap();
        match (&mut self.server, start(datagram)) {
            (None, Start::Hello(hello)) => {
                let now = Instant::now();
                if self.cookies.fits(hello.cookie, peer, &hello.random, now) {
                    self.server = Some(settings.accept(datagram, MTU).map_err(|error| error.to_string()));
                } else {
                    let mut answer = Vec::new();
                    let cookie = self.cookies.cookie(peer, &hello.random, now);
                    append_verify_request(hello.sequence, &cookie, &mut answer);
                    let taken = self.client.take(&answer, |_| {}).unwrap();
                    assert_eq!(taken, AssociationState::Handshaking);
                }
            }
            (Some(Ok(server)), _) => {
                let text = &mut self.text;
                if let Err(error) = server.take(datagram, |record| text.extend_from_slice(record)) {
                    self.said[0] = Some(error.to_string());
                }
            }
            _ => {}
        }
    }

    /// Delivers the server's datagrams to the client; `line` returns how many copies of each arrive.
    fn server_speaks(&mut self, line: &mut dyn FnMut(&[u8]) -> usize) {
        let Some(Ok(server)) = &mut self.server else { return };
        let sent: Vec<Vec<u8>> = server.outgoing().iter().map(<[u8]>::to_vec).collect();
        server.outgoing().clear();
        for datagram in sent {
            self.largest = self.largest.max(datagram.len());
            for _ in 0..line(&datagram) {
                if let Err(error) = self.client.take(&datagram, |_| {}) {
                    self.said[1] = Some(error.to_string());
                }
            }
        }
    }

    fn shown(&self) -> (String, String) {
        let server = match &self.server {
            Some(Ok(server)) if server.is_open() => format!("open {}", String::from_utf8_lossy(&self.text)),
            Some(Ok(_)) => "shaking".to_owned(),
            Some(Err(error)) => error.clone(),
            None => "nothing".to_owned(),
        };
        let client = if self.client.is_open() { "open" } else { "shaking" };
        let [of_server, of_client] = self.said.clone();
        (of_server.unwrap_or(server), of_client.unwrap_or_else(|| client.to_owned()))
    }
}

fn shake(server: &TlsOptions, client: &TlsOptions, host: &str) -> (String, String) {
    let server = ServerDtls::load(server).unwrap();
    let mut ends = Ends::new(client, host);
    for _ in 0..6 {
        ends.client_speaks(&server, &mut |_| 1);
        ends.server_speaks(&mut |_| 1);
    }
    if ends.client.is_open() {
        ends.client.encrypt(b"hello").unwrap();
        ends.client_speaks(&server, &mut |_| 1);
    }
    assert!(ends.largest <= MTU, "a datagram of {} bytes", ends.largest);
    ends.shown()
}

#[track_caller]
fn check(server: &TlsOptions, client: &TlsOptions, host: &str, want: (&str, &str)) {
    let (server, client) = shake(server, client, host);
    assert_eq!((server.as_str(), client.as_str()), want);
}

#[test]
fn trusts_both_ways() {
    let pki = Pki::new();
    check(&pki.options("server"), &pki.options("client"), "logs.example", GOOD);
    let mut suites = CipherSuites::default();
    assert_eq!(suites.add("ECDHE-ECDSA-CHACHA20-POLY1305:!aNULL"), [""; 0]);
    let chosen = TlsOptions { suites, ..pki.options("client") };
    check(&pki.options("server"), &chosen, "logs.example", GOOD);
    let mut suites = CipherSuites::default();
    suites.add("ECDHE-RSA-AES128-GCM-SHA256");
    let other = TlsOptions { suites, ..pki.options("client") };
    let (server, client) = shake(&pki.options("server"), &other, "logs.example");
    assert_eq!(server, "there is no common version or cipher suite: no shared cipher");
    assert!(client == "shaking" || client.starts_with("the peer refused"), "{client}");
}

/// An RSA key, an intermediate CA, and a certificate below it: a chain that must be sent as a whole, in
/// fragments.
fn rsa_chain(pki: &Pki, name: &str, host: &str) -> TlsOptions {
    let rsa = || {
        let key = openssl::rsa::Rsa::generate(2048).unwrap();
        let pem = openssl::pkey::PKey::from_rsa(key).unwrap().private_key_to_pem_pkcs8().unwrap();
        KeyPair::from_pem(&String::from_utf8(pem).unwrap()).unwrap()
    };
    let mut middle = CertificateParams::default();
    middle.distinguished_name.push(DnType::CommonName, format!("between {name}"));
    middle.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    let middle_key = rsa();
    let middle_certificate = pki.sign(&middle, &middle_key);
    let issuer = Issuer::new(middle, middle_key);
    let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = rsa();
    let leaf = params.signed_by(&key, &issuer).unwrap().pem();
    fs::write(pki.path(&format!("{name}.pem")), leaf + &middle_certificate).unwrap();
    fs::write(pki.path(&format!("{name}.key")), key.serialize_pem()).unwrap();
    pki.options(name)
}

#[test]
fn shows_and_checks_chains_of_rsa() {
    let pki = Pki::new();
    let mut suites = CipherSuites::default();
    assert_eq!(suites.add("ECDHE-RSA-AES128-GCM-SHA256"), [""; 0]);
    let server = TlsOptions { suites, ..rsa_chain(&pki, "rsa-server", "logs.example") };
    let client = rsa_chain(&pki, "rsa-client", "client.example");
    check(&server, &client, "logs.example", GOOD);
    // Without the intermediate certificate the chain cannot be verified.
    let text = fs::read_to_string(pki.path("rsa-client.pem")).unwrap();
    let end = text.find("-----END").unwrap() + "-----END CERTIFICATE-----\n".len();
    fs::write(pki.path("rsa-client.pem"), &text[..end]).unwrap();
    let refused = (UNKNOWN_CA, "the peer refused: it does not know the CA of our certificate");
    check(&server, &client, "logs.example", refused);
}

#[test]
fn says_what_is_wrong_with_a_client() {
    wrong_clients(shake, "the peer refused: there is no common cipher suite, or it wants a certificate");
}

#[test]
fn says_what_is_wrong_with_a_server() {
    wrong_servers(shake);
}

#[test]
fn narrows_down_who_is_trusted() {
    pinned_and_named(shake);
    let pki = Pki::new();
    let server = ServerDtls::load(&pki.options("server")).unwrap();
    let mut ends = Ends::new(&pki.options("client"), "logs.example");
    for _ in 0..6 {
        ends.client_speaks(&server, &mut |_| 1);
        ends.server_speaks(&mut |_| 1);
    }
    let Some(Ok(association)) = &ends.server else { panic!("{:?}", ends.shown()) };
    let (identity, _) = association.peer().unwrap();
    assert_eq!(identity.part("CN"), Some("client"));
}

#[test]
fn obeys_revocation_lists() {
    revoked_clients(shake);
}

#[track_caller]
fn refuses(options: &TlsOptions, want: &str) {
    let error = ServerDtls::load(options).unwrap_err().to_string();
    assert!(error.contains(want), "{error}");
}

#[test]
fn says_what_is_wrong_with_files() {
    let pki = Pki::new();
    let good = pki.options("server");
    refuses(&pki.anonymous(), "needs its certificate and key");
    refuses(&TlsOptions { key_file: Some(pki.path("client.key")), ..good.clone() }, "key values mismatch");
    refuses(&TlsOptions { key_file: Some(pki.path("server.pem")), ..good }, "there is no private key");
}

#[test]
fn a_handshake_outlives_a_bad_line() {
    let pki = Pki::new();
    let server = ServerDtls::load(&rsa_chain(&pki, "rsa", "logs.example")).unwrap();
    // Which datagram is lost (0) or duplicated (2), by its number among all that were sent.
    for pattern in [[0, 1, 1, 1, 1], [2, 2, 2, 2, 2], [1, 0, 1, 1, 1], [1, 1, 0, 2, 1]] {
        let mut ends = Ends::new(&pki.options("client"), "logs.example");
        let mut count = 0;
        let mut line = |_: &[u8]| {
            count += 1;
            pattern.get(count - 1).copied().unwrap_or(1)
        };
        let end = Instant::now() + crate::testing::PATIENCE;
        while !ends.client.is_open() && Instant::now() < end {
            ends.client_speaks(&server, &mut line);
            ends.server_speaks(&mut line);
            let timer = ends.client.timer();
            if timer.is_some_and(|left| left.is_zero()) {
                ends.client.expire().unwrap();
            }
            if let Some(Ok(server)) = &mut ends.server {
                server.expire().unwrap();
            }
            std::thread::yield_now();
        }
        ends.client.encrypt(b"hello").unwrap();
        ends.client_speaks(&server, &mut |_| 1);
        assert_eq!(ends.shown().0, "open hello", "{pattern:?}");
    }
}

#[test]
fn text_is_taken_once_and_unchanged() {
    let pki = Pki::new();
    let server = ServerDtls::load(&pki.options("server")).unwrap();
    let mut ends = Ends::new(&pki.options("client"), "logs.example");
    for _ in 0..6 {
        ends.client_speaks(&server, &mut |_| 1);
        ends.server_speaks(&mut |_| 1);
    }
    for text in [&b"a"[..], b"b", b"c"] {
        ends.client.encrypt(text).unwrap();
    }
    let sent: Vec<Vec<u8>> = ends.client.outgoing().iter().map(<[u8]>::to_vec).collect();
    let Some(Ok(server)) = &mut ends.server else { panic!("{:?}", ends.shown()) };
    let mut take = |datagram: &[u8]| {
        let mut text = String::new();
        let taken = server.take(datagram, |record| text.push_str(&String::from_utf8_lossy(record)));
        assert_eq!(taken.unwrap(), AssociationState::Open);
        text
    };
    // Out of order, repeated, changed, truncated.
    assert_eq!((take(&sent[2]), take(&sent[0])), ("c".to_owned(), "a".to_owned()));
    assert_eq!((take(&sent[2]), take(&sent[0])), (String::new(), String::new()));
    for at in 0..sent[1].len() {
        let mut changed = sent[1].clone();
        changed[at] ^= 1;
        assert_eq!(take(&changed), "", "byte {at}");
        assert_eq!(take(&sent[1][..at]), "", "{at} bytes");
    }
    assert_eq!(take(&sent[1]), "b");
    ends.client.say_goodbye();
    ends.text.clear();
    let goodbye: Vec<Vec<u8>> = ends.client.outgoing().iter().skip(3).map(<[u8]>::to_vec).collect();
    let Some(Ok(server)) = &mut ends.server else { panic!("{:?}", ends.shown()) };
    let taken = server.take(&goodbye[0], |_| panic!("a goodbye has no text"));
    assert_eq!(taken.unwrap(), AssociationState::Over);
}

#[test]
fn a_cookie_is_good_for_one_peer_and_a_minute() {
    let start = Instant::now();
    let cookies = Cookies::new(start).unwrap();
    let (peer, other): (SocketAddr, SocketAddr) = (PEER.parse().unwrap(), "192.0.2.7:4001".parse().unwrap());
    let cookie = cookies.cookie(peer, &[1; 32], start);
    let after = |seconds| start + std::time::Duration::from_secs(seconds);
    for (peer, random, seconds, good) in [
        (peer, 1, 0, true),
        (peer, 1, 119, true),
        (peer, 1, 120, false),
        (other, 1, 0, false),
        (peer, 2, 0, false),
    ] {
        assert_eq!(
            cookies.fits(&cookie, peer, &[random; 32], after(seconds)),
            good,
            "{peer} {random} {seconds}"
        );
    }
    assert!(!cookies.fits(&cookie[1..], peer, &[1; 32], start) && !cookies.fits(b"", peer, &[1; 32], start));
    assert!(!Cookies::new(start).unwrap().fits(&cookie, peer, &[1; 32], start), "another process");
}

#[test]
fn survives_any_bytes() {
    let pki = Pki::new();
    let server = ServerDtls::load(&pki.options("server")).unwrap();
    for bytes in [&b""[..], b"<13>hello", &[0x16; 200], &[0xff; 100_000]] {
        assert!(server.accept(bytes, MTU).is_err(), "{bytes:?}");
        let mut client =
            ClientDtls::load(&pki.options("client")).unwrap().connect("logs.example", MTU).unwrap();
        assert!(!matches!(client.take(bytes, |_| panic!("text")), Ok(AssociationState::Open)), "{bytes:?}");
    }
}

/// Both ends of an association, open.
fn opened(server: &TlsOptions, client: &TlsOptions) -> Ends {
    let settings = ServerDtls::load(server).unwrap();
    let mut ends = Ends::new(client, "logs.example");
    for _ in 0..6 {
        ends.client_speaks(&settings, &mut |_| 1);
        ends.server_speaks(&mut |_| 1);
    }
    assert!(ends.client.is_open(), "{:?}", ends.shown());
    ends
}

#[test]
fn only_handshakes_have_a_timer() {
    let pki = Pki::new();
    let mut fresh = Ends::new(&pki.options("client"), "logs.example").client;
    let left = fresh.timer().unwrap();
    assert!(!left.is_zero() && left <= std::time::Duration::from_secs(1), "{left:?}");
    // Before its time nothing is repeated.
    fresh.outgoing().clear();
    fresh.expire().unwrap();
    assert_eq!(fresh.outgoing().iter().count(), 0);
    let mut ends = opened(&pki.options("server"), &pki.options("client"));
    assert_eq!(ends.client.timer(), None);
    ends.client.expire().unwrap();
}

#[test]
fn a_smaller_path_gets_smaller_datagrams() {
    let pki = Pki::new();
    let settings = ServerDtls::load(&rsa_chain(&pki, "rsa", "logs.example")).unwrap();
    let small = 400;
    let mut ends = Ends::new(&pki.options("client"), "logs.example");
    ends.client.set_mtu(small);
    for _ in 0..6 {
        ends.client_speaks(&settings, &mut |_| 1);
        if let Some(Ok(server)) = &mut ends.server {
            server.set_mtu(small);
        }
        ends.server_speaks(&mut |_| 1);
    }
    assert!(ends.client.is_open(), "{:?}", ends.shown());
    // The answer to the hello was written before the server knew of the client.
    let mut sizes = Vec::new();
    ends.client.encrypt(&[b'x'; 300]).unwrap();
    ends.client_speaks(&settings, &mut |datagram| {
        sizes.push(datagram.len());
        1
    });
    assert_eq!((sizes.as_slice(), ends.text.len()), (&[300 + RECORD_OVERHEAD_BYTES][..], 300));
}

#[test]
fn an_association_that_failed_stays_so() {
    let pki = Pki::new();
    let stranger = Pki::new();
    let foreign = TlsOptions { ca_file: Some(pki.path("ca.pem")), ..stranger.options("server") };
    let settings = ServerDtls::load(&foreign).unwrap();
    let mut ends = Ends::new(&pki.options("client"), "logs.example");
    for _ in 0..6 {
        ends.client_speaks(&settings, &mut |_| 1);
        ends.server_speaks(&mut |_| 1);
    }
    assert_eq!(ends.said[1].as_deref(), Some(UNKNOWN_CA));
    ends.client.outgoing().clear();
    assert_eq!(ends.client.take(&[], |_| {}).unwrap_err().to_string(), UNKNOWN_CA);
    assert_eq!(ends.client.encrypt(b"x").unwrap_err().to_string(), UNKNOWN_CA);
    ends.client.say_goodbye();
    assert!(!ends.client.is_open() && ends.client.outgoing().iter().count() == 0);
}

#[test]
fn nothing_is_said_before_the_handshake_is_over() {
    let pki = Pki::new();
    let mut client = Ends::new(&pki.options("client"), "logs.example").client;
    assert!(!client.is_open() && client.peer().is_none());
    client.outgoing().clear();
    client.say_goodbye();
    assert_eq!(client.outgoing().iter().count(), 0);
    let settings = ClientDtls::load(&pki.options("client")).unwrap();
    let error = settings.connect("a b", MTU).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "`a b` is no name of a host");
}

#[test]
fn an_end_that_has_said_goodbye_is_not_open() {
    let pki = Pki::new();
    let mut ends = opened(&pki.options("server"), &pki.options("client"));
    let Some(Ok(server)) = &mut ends.server else { panic!("no server") };
    server.say_goodbye();
    ends.server_speaks(&mut |_| 1);
    assert!(!ends.client.is_open());
    assert_eq!(ends.client.take(b"", |_| panic!("text")).unwrap(), AssociationState::Over);
}

#[test]
fn secrets_are_written_for_those_who_ask() {
    let pki = Pki::new();
    let path = pki.path("secrets");
    let options = TlsOptions { keylog_file: Some(path.clone()), ..pki.options("client") };
    opened(&pki.options("server"), &options);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("CLIENT_RANDOM ") && text.ends_with('\n'), "{text}");
}

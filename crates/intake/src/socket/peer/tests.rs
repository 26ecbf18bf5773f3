//! Origins of senders, how long they are remembered, and their processes and certificates.

use super::*;
use crate::{source::SourceDriver, testing::source_options};
use transport::{
    Registry,
    testing::{Collected, Pki},
};

fn settings(ignores_peer_values: bool) -> Settings {
    let mut options = source_options();
    options.ignores_peer_values = ignores_peer_values;
    Settings {
        id: "s#0".to_owned(),
        component: "network".to_owned(),
        driver: SourceDriver::Stdin,
        options: Arc::new(options),
        intake: Collected::new(),
        counters: Registry::default().register("src.network", "s#0", "here"),
    }
}

fn peers(transport: Transport) -> Peers {
    Peers::new(HostNames::start().unwrap(), transport, None, "/run/log".to_owned())
}

fn sender(number: u16) -> Sender {
    Sender::Ip(SocketAddr::from(([192, 0, 2, 1], number)))
}

#[test]
fn an_origin_is_made_once_while_it_is_good() {
    let (mut peers, settings, start) = (peers(Transport::Udp), settings(false), Instant::now());
    let first = peers.origin(sender(1), &settings, start);
    let other = peers.origin(sender(2), &settings, start);
    assert!(!Arc::ptr_eq(&first, &other));
    assert!(Arc::ptr_eq(&other, &peers.origin(sender(2), &settings, start)));
    assert!(Arc::ptr_eq(&first, &peers.origin(sender(1), &settings, start)));
    assert_eq!((first.host_from.as_str(), first.file_name.as_str()), ("192.0.2.1", "/run/log"));
    // It has no name yet.
    let moment = Duration::from_nanos(1);
    peers.age(start + UNNAMED_GOOD_FOR - moment);
    assert!(Arc::ptr_eq(&first, &peers.origin(sender(1), &settings, start)));
    peers.age(start + UNNAMED_GOOD_FOR);
    assert!(!Arc::ptr_eq(&first, &peers.origin(sender(1), &settings, start)));
    let again = peers.origin(sender(1), &settings, start);
    peers.forget();
    assert!(!Arc::ptr_eq(&again, &peers.origin(sender(1), &settings, start)));
}

#[test]
fn the_number_of_remembered_senders_is_limited() {
    let (mut peers, settings, start) = (peers(Transport::Udp), settings(false), Instant::now());
    for number in 0..PEERS_MAX as u16 {
        assert!(!peers.is_full(), "{number}");
        peers.origin(sender(number), &settings, start);
        peers.age(start);
    }
    // The last one filled it, and the next look-up emptied it.
    assert!(peers.known.is_empty());
    (0..PEERS_MAX as u16).for_each(|number| drop(peers.origin(sender(number), &settings, start)));
    assert!(peers.is_full());
}

#[test]
fn local_senders_are_known_by_their_process() {
    let here = (std::process::id() as i32, 7, 8);
    for (credentials, ignores, want) in [(None, false, 0), (Some(here), true, 0), (Some(here), false, 5)] {
        let mut peers = peers(Transport::UnixDgram);
        let origin = peers.origin(Sender::Local(credentials), &settings(ignores), Instant::now());
        assert_eq!(origin.values.len(), want);
        // It is kept for longer than one from the network without a name.
        peers.age(Instant::now() + UNNAMED_GOOD_FOR);
        assert_eq!(peers.known.len(), 1);
        peers.age(Instant::now() + GOOD_FOR);
        assert_eq!(peers.known.len(), 0);
    }
}

#[test]
fn a_process_has_a_command_line_and_a_program() {
    let values = process_values((std::process::id() as i32, 7, 8));
    let value = |name: &str| {
        let value = values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        String::from_utf8(value.unwrap()).unwrap()
    };
    assert_eq!(value(".unix.pid"), std::process::id().to_string());
    assert_eq!((value(".unix.uid").as_str(), value(".unix.gid").as_str()), ("7", "8"));
    assert_eq!(value(".unix.exe"), std::env::current_exe().unwrap().to_str().unwrap());
    assert_eq!(value(".unix.cmdline"), std::env::args().collect::<Vec<_>>().join(" "));
    assert_eq!(process_values((i32::MAX, 7, 8)).len(), 3, "nobody has this number");
}

#[test]
fn a_certificate_names_its_owner() {
    let pki = Pki::new();
    let pem = fs::read_to_string(pki.path("client.pem")).unwrap();
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let der = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, base64).unwrap();
    let values = peer_values((Identity::of(&der), Fingerprint::of(&der)));
    let shown: Vec<(&str, &str)> =
        values.iter().map(|(name, value)| (name.as_str(), std::str::from_utf8(value).unwrap())).collect();
    assert_eq!(shown[0], (".tls.x509_fp", Fingerprint::of(&der).to_string().as_str()));
    let rest = [(".tls.x509_cn", "client"), (".tls.x509_o", "Example, Inc"), (".tls.x509_ou", "Logs")];
    assert_eq!(shown[1..], rest);
}

#[test]
fn ipv4_within_ipv6_is_ipv4() {
    for (address, want) in [
        ("[::ffff:192.0.2.1]:5", "192.0.2.1:5"),
        ("192.0.2.1:5", "192.0.2.1:5"),
        ("[2001:db8::1]:5", "[2001:db8::1]:5"),
    ] {
        assert_eq!(canonical(address.parse().unwrap()).to_string(), want);
    }
}

//! Checks of peers that TLS and DTLS must both pass.
//!
//! In: a handshake function. Out: rows that must hold for it. Holds: nothing. Limits: none.

use super::*;
use crate::testing::Pki;
use rcgen::{ExtendedKeyUsagePurpose, date_time_ymd};
use std::fs;

/// Shakes hands between a server and a client that sends a text to a host; returns the result of each.
pub(crate) type Shake = fn(&TlsOptions, &TlsOptions, &str) -> (String, String);

pub(crate) const GOOD: (&str, &str) = ("open hello", "open");
pub(crate) const UNKNOWN_CA: &str =
    "the certificate of the peer is not signed by a CA in ca-file() or ca-dir()";

#[track_caller]
fn check(shake: Shake, server: &TlsOptions, client: &TlsOptions, host: &str, want: (&str, &str)) {
    let (server, client) = shake(server, client, host);
    assert_eq!((server.as_str(), client.as_str()), want);
}

/// Checks clients that are not trusted, and those that need not be. `wants` is the error of a client without a
/// certificate.
pub(crate) fn wrong_clients(shake: Shake, wants: &str) {
    let pki = Pki::new();
    let server = pki.options("server");
    let check = |server: &TlsOptions, client: &TlsOptions, want| {
        check(shake, server, client, "logs.example", want);
    };
    let none = "the peer shows no certificate, and peer-verify() requires one";
    check(&server, &pki.anonymous(), (none, wants));
    let optional = TlsOptions { peer_verify: PeerVerify::OptionalTrusted, ..server.clone() };
    check(&optional, &pki.anonymous(), GOOD);
    let stranger = Pki::new();
    let foreign = TlsOptions { ca_file: Some(pki.path("ca.pem")), ..stranger.options("client") };
    let unknown = (UNKNOWN_CA, "the peer refused: it does not know the CA of our certificate");
    check(&server, &foreign, unknown);
    check(&optional, &foreign, unknown);
    for mode in [PeerVerify::RequiredUntrusted, PeerVerify::OptionalUntrusted] {
        check(&TlsOptions { peer_verify: mode, ..server.clone() }, &foreign, GOOD);
    }
    let required = TlsOptions { peer_verify: PeerVerify::RequiredUntrusted, ..server.clone() };
    check(&required, &pki.anonymous(), (none, wants));
    pki.issue("old", &["x"], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let expired =
        ("the certificate of the peer has expired", "the peer refused: our certificate has expired");
    check(&server, &pki.options("old"), expired);
    pki.issue("web", &["x"], |params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    check(&server, &pki.options("web"), GOOD);
    let strict = TlsOptions { checks_key_usage: true, ..server };
    let (said, _) = shake(&strict, &pki.options("web"), "logs.example");
    assert_eq!(said, "the certificate of the peer is meant for another use (extended key usage)");
}

/// Servers that are not trusted, and one that need not be.
pub(crate) fn wrong_servers(shake: Shake) {
    let pki = Pki::new();
    let client = pki.options("client");
    let (_, said) = shake(&pki.options("server"), &client, "other.example");
    assert!(said.starts_with("the certificate of the peer is not for other.example, but for "), "{said}");
    pki.issue("old", &["logs.example"], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let (_, said) = shake(&pki.options("old"), &client, "logs.example");
    assert_eq!(said, "the certificate of the peer has expired");
    let stranger = Pki::new();
    let foreign = TlsOptions { ca_file: Some(pki.path("ca.pem")), ..stranger.options("server") };
    assert_eq!(shake(&foreign, &client, "logs.example").1, UNKNOWN_CA);
    let careless = TlsOptions { peer_verify: PeerVerify::RequiredUntrusted, ..client };
    check(shake, &foreign, &careless, "another.example", GOOD);
}

/// Peers that are known by their certificate or its name.
pub(crate) fn pinned_and_named(shake: Shake) {
    let pki = Pki::new();
    let client = pki.options("client");
    let leaf = material::certificates(&pki.path("client.pem")).unwrap().remove(0);
    let pinned = TlsOptions {
        peer_verify: PeerVerify::RequiredUntrusted,
        fingerprints: vec![Fingerprint::of(&leaf)],
        ..pki.options("server")
    };
    check(shake, &pinned, &client, "logs.example", GOOD);
    let (said, refused) = shake(&pinned, &pki.options("server"), "logs.example");
    assert!(
        said.starts_with("the certificate of the peer is none of trusted-fingerprints(): SHA256:"),
        "{said}"
    );
    assert!(refused.starts_with("the peer refused: "), "{refused}");
    for (pattern, good) in [("*, O=Example\\, Inc, C=*", true), ("CN=client*", true), ("CN=other*", false)] {
        let named = TlsOptions { trusted_dn: vec![pattern.to_owned()], ..pki.options("server") };
        let (said, _) = shake(&named, &client, "logs.example");
        let refusal = "the name of the peer's certificate is none of trusted-dn(): CN=client, OU=Logs, O=Example\\, Inc, C=HU";
        assert_eq!(said, if good { "open hello" } else { refusal });
    }
}

/// Checks clients that are on a revocation list, and others.
pub(crate) fn revoked_clients(shake: Shake) {
    let pki = Pki::new();
    let folder = pki.path("crl");
    fs::create_dir(&folder).unwrap();
    let server = TlsOptions { crl_dir: Some(folder.clone()), ..pki.options("server") };
    check(shake, &server, &pki.options("client"), "logs.example", GOOD);
    pki.revoke("client", &folder.join("ca.r0"));
    let revoked =
        ("the certificate of the peer was revoked", "the peer refused: our certificate was revoked");
    check(shake, &server, &pki.options("client"), "logs.example", revoked);
    pki.issue("fresh", &["x"], |_| {});
    check(shake, &server, &pki.options("fresh"), "logs.example", GOOD);
    let hashed = TlsOptions { ca_file: None, ca_dir: Some(pki.folder.path().to_owned()), ..server };
    check(shake, &hashed, &pki.options("fresh"), "logs.example", GOOD);
}

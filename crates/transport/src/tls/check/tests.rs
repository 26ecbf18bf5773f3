//! Rows for names, patterns, times and the reasons of a refusal. Handshakes are in the tests of `tls` and `dtls`.

use super::*;
use crate::{
    testing::Pki,
    tls::{PeerVerify, describe, settings::Papers},
};
use rcgen::date_time_ymd;
use std::time::Duration;

fn at(seconds: u64) -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(seconds))
}

#[test]
fn common_names_can_name_hosts() {
    for (pattern, name, fits) in [
        ("web.example", "web.example", true),
        ("Web.Example", "wEB.example", true),
        ("web.example", "web.example.org", false),
        ("*.example", "web.example", true),
        ("*.Example", "web.eXAMPLE", true),
        ("*.example", "a.web.example", false),
        ("*.example", "example", false),
        ("*.", "web.", true),
        ("w*.example", "web.example", false),
        ("*", "web", false),
    ] {
        assert_eq!(fits_name(pattern, name), fits, "{pattern} {name}");
    }
}

#[test]
fn patterns_of_names() {
    for (pattern, text, fits) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("**", "", true),
        ("?", "", false),
        ("?", "a", true),
        ("?", "ab", false),
        ("a", "a", true),
        ("a", "b", false),
        ("ab", "a", false),
        ("a*", "a", true),
        ("a*c", "abc", true),
        ("a*c", "abcb", false),
        ("*b", "aab", true),
        ("*ab", "aaab", true),
        ("*a?b*", "xxaxbyy", true),
        ("*a?b", "aabab", false),
        ("a*b*c", "aXbYbZc", true),
        ("a*b*c", "aXbYbZ", false),
        ("a**b", "ab", true),
        ("CN=*, O=x", "CN=a, O=y, O=x", true),
        ("*x*", "abc", false),
        ("?*", "a", true),
        ("*?", "", false),
    ] {
        assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
    }
}

#[test]
fn a_certificate_that_is_trusted_as_it_is_has_its_time() {
    let pki = Pki::new();
    pki.issue("pinned", &["logs.example"], |params| {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    });
    let (from, until) = (978_307_200, 1_009_843_200);
    // The folder is searched for certificates: the leaf is one of them.
    let options = TlsOptions { ca_dir: Some(pki.folder.path().to_owned()), ..TlsOptions::default() };
    let check = Papers::read(&options).unwrap().check;
    let leaf = super::super::material::certificates(&pki.path("pinned.pem")).unwrap().remove(0);
    let verdict = |seconds| check.check(&leaf, &[], None, at(seconds)).map_err(|error| describe(&error));
    let early = "the certificate of the peer is not valid yet: compare the clocks";
    for (seconds, want) in [
        (from - 1, Err(early)),
        (from, Ok(())),
        (until, Ok(())),
        (until + 1, Err("the certificate of the peer has expired")),
    ] {
        assert_eq!(verdict(seconds), want.map_err(str::to_owned), "{seconds}");
    }
    let other = ServerName::try_from("other.example").unwrap();
    assert!(check.check(&leaf, &[], Some(&other), at(from)).is_err(), "the name counts all the same");
    let unreadable = check.check_time(&CertificateDer::from(&b"hello"[..]), at(from));
    assert_eq!(unreadable, Err(Error::InvalidCertificate(CertificateError::BadEncoding)));
}

#[test]
fn tells_clients_which_authorities_are_trusted() {
    let pki = Pki::new();
    for (peer_verify, required, hints) in [
        (PeerVerify::RequiredTrusted, true, 1),
        (PeerVerify::RequiredUntrusted, true, 0),
        (PeerVerify::OptionalTrusted, false, 1),
        (PeerVerify::OptionalUntrusted, false, 0),
    ] {
        let check = Papers::read(&TlsOptions { peer_verify, ..pki.options("server") }).unwrap().check;
        let told = ClientCertVerifier::root_hint_subjects(&check);
        assert_eq!((check.client_auth_mandatory(), told.len()), (required, hints), "{peer_verify:?}");
        assert!(told.iter().all(|hint| hint.as_ref().len() > 10));
    }
}

#[test]
fn offers_what_it_takes() {
    let pki = Pki::new();
    let offered = |list: &str| {
        let mut schemes = Schemes::default();
        assert_eq!(schemes.add(list), [""; 0]);
        let check = Papers::read(&pki.options("server")).unwrap().check.taking(schemes);
        let server = ServerCertVerifier::supported_verify_schemes(&check);
        assert_eq!(ClientCertVerifier::supported_verify_schemes(&check), server);
        server
    };
    assert_eq!(offered("ED25519"), [SignatureScheme::ED25519]);
    assert!(offered("").len() > 5);
}

#[test]
fn distinguished_names_count_for_trusted_peers_only() {
    let pki = Pki::new();
    let leaf = super::super::material::certificates(&pki.path("client.pem")).unwrap().remove(0);
    for (peer_verify, pattern, good) in [
        (PeerVerify::OptionalTrusted, "CN=other*", false),
        (PeerVerify::OptionalTrusted, "CN=client*", true),
        (PeerVerify::OptionalUntrusted, "CN=other*", true),
    ] {
        let trusted_dn = vec![pattern.to_owned()];
        let options = TlsOptions { peer_verify, trusted_dn, ..pki.options("server") };
        let check = Papers::read(&options).unwrap().check;
        assert_eq!(check.check(&leaf, &[], None, UnixTime::now()).is_ok(), good, "{peer_verify:?} {pattern}");
    }
}

#[track_caller]
fn check_refused(error: webpki::Error, want: &str) {
    assert_eq!(describe(&refused(error)), want);
}

#[test]
fn says_why_a_certificate_is_refused() {
    use webpki::Error as Bad;
    let time = at(10);
    check_refused(
        Bad::CertNotValidYet { time, not_before: at(20) },
        "the certificate of the peer is not valid yet: compare the clocks",
    );
    check_refused(Bad::CertExpired { time, not_after: at(5) }, "the certificate of the peer has expired");
    check_refused(
        Bad::UnknownIssuer,
        "the certificate of the peer is not signed by a CA in ca-file() or ca-dir()",
    );
    check_refused(Bad::CertRevoked, "the certificate of the peer was revoked");
    check_refused(
        Bad::CrlExpired { time, next_update: at(5) },
        "the revocation list in crl-dir() is too old",
    );
    check_refused(
        Bad::InvalidSignatureForPublicKey,
        "the certificate of the peer does not have the signature of the CA that it names",
    );
    for error in [Bad::BadDer, Bad::BadDerTime] {
        let said = describe(&refused(error));
        assert!(said.starts_with("the certificate of the peer cannot be used: "), "{said}");
    }
    check_refused(Bad::UnsupportedCertVersion, "the certificate of the peer is not of version 3");
    check_refused(Bad::CaUsedAsEndEntity, "the peer shows the certificate of a CA as its own");
    check_refused(
        Bad::NameConstraintViolation,
        "the certificate of the peer cannot be used: NameConstraintViolation",
    );
    assert_eq!(refused(Bad::BadDer), Error::InvalidCertificate(CertificateError::BadEncoding));
}

//! Rows for errors in words.

use super::*;

#[track_caller]
fn check(error: Error, want: &str) {
    assert_eq!(describe(&error), want);
}

#[test]
fn alerts_say_what_the_peer_refused() {
    use AlertDescription as Alert;
    let good = "our certificate is good, but not allowed there";
    for (alert, want) in [
        (Alert::UnknownCA, "it does not know the CA of our certificate"),
        (Alert::CertificateExpired, "our certificate has expired"),
        (Alert::CertificateRevoked, "our certificate was revoked"),
        (Alert::CertificateRequired, "it wants a certificate: set cert-file() and key-file()"),
        (Alert::BadCertificate, "it does not accept our certificate"),
        (Alert::CertificateUnknown, "it does not accept our certificate"),
        (Alert::UnsupportedCertificate, "it does not accept our certificate"),
        (Alert::AccessDenied, good),
        (Alert::HandshakeFailure, "there is no common cipher suite, or it wants a certificate"),
        (Alert::ProtocolVersion, "there is no common version of TLS"),
        (Alert::UnrecognisedName, "it does not have the name that was asked for"),
    ] {
        check(Error::AlertReceived(alert), &format!("the peer refused: {want}"));
    }
    check(Error::AlertReceived(Alert::DecodeError), "the peer refused with the alert DecodeError");
}

#[test]
fn broken_sessions_say_why() {
    check(Error::DecryptError, "a record was changed on its way");
    check(
        Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType),
        "the peer does not speak TLS on this port",
    );
    check(
        Error::PeerIncompatible(rustls::PeerIncompatible::NoCipherSuitesInCommon),
        "there is no common version or cipher suite: NoCipherSuitesInCommon",
    );
    check(Error::General("x".into()), "unexpected error: x");
}

#[test]
fn certificates_say_why_they_are_refused() {
    use CertificateError as Bad;
    for (reason, want) in [
        (Bad::Expired, "the certificate of the peer has expired"),
        (Bad::NotValidYet, "the certificate of the peer is not valid yet: compare the clocks"),
        (Bad::NotValidForName, "the certificate of the peer is for another name"),
        (Bad::ExpiredRevocationList, "the revocation list in crl-dir() is too old"),
        (Bad::ApplicationVerificationFailure, "the certificate of the peer is not trusted"),
        (Bad::InvalidPurpose, "the certificate of the peer is meant for another use (extended key usage)"),
        (
            Bad::NotValidForNameContext {
                expected: rustls::pki_types::ServerName::try_from("a.example").unwrap(),
                presented: Vec::new(),
            },
            "the certificate of the peer is not for a.example, but for no name",
        ),
        (
            Bad::NotValidForNameContext {
                expected: rustls::pki_types::ServerName::try_from("a.example").unwrap(),
                presented: vec!["b".to_owned(), "c".to_owned()],
            },
            "the certificate of the peer is not for a.example, but for b, c",
        ),
    ] {
        check(Error::InvalidCertificate(reason), want);
    }
}

#[test]
fn files_say_which_and_why() {
    let path = PathBuf::from("/k");
    for (error, want) in [
        (
            TlsError::Locked { path: path.clone() },
            "the key /k has a password, to be given with duramen ctl credentials add /k",
        ),
        (
            TlsError::Content { path: path.clone(), what: "it is empty".to_owned() },
            "cannot use /k: it is empty",
        ),
        (TlsError::Read { path, source: io::ErrorKind::NotFound.into() }, "cannot read /k: entity not found"),
        (TlsError::Missing("set key-file()"), "set key-file()"),
        (TlsError::Dtls("x".to_owned()), "these settings of tls() do not fit DTLS: x"),
        (
            TlsError::from(Error::DecryptError),
            "these settings of tls() do not fit: a record was changed on its way",
        ),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

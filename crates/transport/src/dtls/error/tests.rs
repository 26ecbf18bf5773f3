//! Rows for verdicts and their alerts, and for errors in words.

use super::*;
use rustls::pki_types::UnixTime;
use std::time::Duration;

#[test]
fn each_verdict_has_its_alert() {
    use CertificateError as Bad;
    let (time, not_after) = (UnixTime::now(), UnixTime::since_unix_epoch(Duration::ZERO));
    for (reason, want) in [
        (Bad::Expired, Refusal::Expired),
        (Bad::ExpiredContext { time, not_after }, Refusal::Expired),
        (Bad::Revoked, Refusal::Revoked),
        (Bad::UnknownIssuer, Refusal::UnknownAuthority),
        (Bad::BadSignature, Refusal::BadSignature),
        (Bad::InvalidPurpose, Refusal::OtherUse),
        (Bad::NotValidForName, Refusal::Other),
    ] {
        assert_eq!(refusal(&Error::InvalidCertificate(reason)), want);
    }
    assert_eq!(refusal(&Error::DecryptError), Refusal::Other);
}

#[test]
fn errors_say_what_happened() {
    for (error, want) in [
        (AssociationError::NoHostName("a b".to_owned()), "`a b` is no name of a host"),
        (AssociationError::UnusableHello, "the hello of the peer cannot be used"),
        (AssociationError::Unchecked, "the certificate of the peer was not checked"),
        (AssociationError::Silent, "the peer does not answer"),
        (AssociationError::Left, "the peer left the association"),
        (AssociationError::Refused(Error::DecryptError), "a record was changed on its way"),
        (
            AssociationError::NothingInCommon("no shared cipher"),
            "there is no common version or cipher suite: no shared cipher",
        ),
        (AssociationError::Broken("bad record"), "bad record"),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn settings_say_what_the_library_refuses() {
    let mut builder = ssl::SslContextBuilder::new(ssl::SslMethod::dtls_server()).unwrap();
    let stack = builder.set_cipher_list("NONE-SUCH").unwrap_err();
    assert_eq!(refused(stack).to_string(), "these settings of tls() do not fit DTLS: no cipher match");
}

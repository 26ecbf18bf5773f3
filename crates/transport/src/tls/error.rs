//! Errors of keys, certificates and peers, as sentences.
//!
//! In: errors of files and of rustls. Out: text with cause and remedy. Holds: nothing. Limits: none.

use rustls::{AlertDescription, CertificateError, Error};
use std::{fmt, io, path::PathBuf};

/// The reason why `tls()` cannot be used.
#[derive(Debug)]
pub enum TlsError {
    /// A file or folder cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file does not have the expected contents.
    Content {
        /// Which.
        path: PathBuf,
        /// The error, and how to correct it.
        what: String,
    },
    /// The private key is encrypted and its password is not known yet.
    Locked {
        /// The key.
        path: PathBuf,
    },
    /// Something that the option must name is missing.
    Missing(&'static str),
    /// rustls refuses the settings.
    Settings(Error),
    /// The library of DTLS refuses them.
    Dtls(String),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            TlsError::Content { path, what } => write!(f, "cannot use {}: {what}", path.display()),
            TlsError::Locked { path } => write!(
                f,
                "the key {} has a password, to be given with duramen ctl credentials add {}",
                path.display(),
                path.display()
            ),
            TlsError::Missing(what) => f.write_str(what),
            TlsError::Dtls(error) => write!(f, "these settings of tls() do not fit DTLS: {error}"),
            TlsError::Settings(error) => write!(f, "these settings of tls() do not fit: {}", describe(error)),
        }
    }
}

impl std::error::Error for TlsError {}

impl From<Error> for TlsError {
    fn from(error: Error) -> TlsError {
        TlsError::Settings(error)
    }
}

/// A failed handshake or broken session, for people.
pub fn describe(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(reason) => certificate(reason),
        Error::NoCertificatesPresented => {
            "the peer shows no certificate, and peer-verify() requires one".into()
        }
        Error::AlertReceived(alert) => alert_text(*alert),
        Error::PeerIncompatible(why) => format!("there is no common version or cipher suite: {why:?}"),
        Error::InvalidMessage(_) => "the peer does not speak TLS on this port".into(),
        Error::DecryptError => "a record was changed on its way".into(),
        other => other.to_string(),
    }
}

fn certificate(reason: &CertificateError) -> String {
    use CertificateError as Bad;
    match reason {
        Bad::Expired | Bad::ExpiredContext { .. } => "the certificate of the peer has expired".into(),
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            "the certificate of the peer is not valid yet: compare the clocks".into()
        }
        Bad::Revoked => "the certificate of the peer was revoked".into(),
        Bad::UnknownIssuer => {
            "the certificate of the peer is not signed by a CA in ca-file() or ca-dir()".into()
        }
        Bad::BadSignature => {
            "the certificate of the peer does not have the signature of the CA that it names".into()
        }
        Bad::NotValidForName => "the certificate of the peer is for another name".into(),
        Bad::NotValidForNameContext { expected, presented } => format!(
            "the certificate of the peer is not for {}, but for {}",
            expected.to_str(),
            if presented.is_empty() { "no name".to_owned() } else { presented.join(", ") }
        ),
        Bad::ExpiredRevocationList | Bad::ExpiredRevocationListContext { .. } => {
            "the revocation list in crl-dir() is too old".into()
        }
        Bad::InvalidPurpose | Bad::InvalidPurposeContext { .. } => {
            "the certificate of the peer is meant for another use (extended key usage)".into()
        }
        Bad::ApplicationVerificationFailure => "the certificate of the peer is not trusted".into(),
        Bad::Other(other) => other.0.to_string(),
        other => format!("the certificate of the peer cannot be used: {other}"),
    }
}

fn alert_text(alert: AlertDescription) -> String {
    use AlertDescription as Alert;
    let why = match alert {
        Alert::UnknownCA => "it does not know the CA of our certificate",
        Alert::CertificateExpired => "our certificate has expired",
        Alert::CertificateRevoked => "our certificate was revoked",
        Alert::CertificateRequired => "it wants a certificate: set cert-file() and key-file()",
        Alert::BadCertificate | Alert::CertificateUnknown | Alert::UnsupportedCertificate => {
            "it does not accept our certificate"
        }
        Alert::AccessDenied => "our certificate is good, but not allowed there",
        Alert::HandshakeFailure => "there is no common cipher suite, or it wants a certificate",
        Alert::ProtocolVersion => "there is no common version of TLS",
        Alert::UnrecognisedName => "it does not have the name that was asked for",
        other => return format!("the peer refused with the alert {other:?}"),
    };
    format!("the peer refused: {why}")
}

#[cfg(test)]
mod tests;

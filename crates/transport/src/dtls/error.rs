//! Errors of an association, with the same texts as for TLS over TCP.
//!
//! In: errors of OpenSSL, the verdict on the peer. Out: an error that says what happened. Holds: nothing. Limits: none.

use crate::{
    sys::dtls::Refusal,
    tls::{TlsError, describe},
};
use openssl::{error::ErrorStack, ssl};
use rustls::{AlertDescription, CertificateError, Error};
use std::fmt;

/// Reasons of the library that have words of their own; `SSL_R_*` of openssl/sslerr.h.
const NO_CERTIFICATE: i32 = 199;
const NO_COMMON: &[i32] = &[193, 252, 258, 266, 267, 396];
/// `SSL_AD_REASON_OFFSET`: an alert of the peer is a reason from here on.
const ALERTS: i32 = 1000;

/// The reason why there is no association, or none any more.
#[derive(Clone, Debug)]
pub enum AssociationError {
    /// No session of the library could be made.
    Library(ErrorStack),
    /// The name is not a valid host name.
    NoHostName(String),
    /// The hello of the peer cannot be used.
    UnusableHello,
    /// The peer sent a certificate that was not checked.
    Unchecked,
    /// The handshake was repeated to its end.
    Silent,
    /// The peer broke off without a word.
    Left,
    /// The peer was refused, or refused us.
    Refused(Error),
    /// The two sides have no version or cipher suite in common; the library's reason.
    NothingInCommon(&'static str),
    /// The library's reason.
    Broken(&'static str),
}

impl fmt::Display for AssociationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssociationError::Library(error) => fmt::Display::fmt(error, f),
            AssociationError::NoHostName(name) => write!(f, "`{name}` is no name of a host"),
            AssociationError::UnusableHello => f.write_str("the hello of the peer cannot be used"),
            AssociationError::Unchecked => f.write_str("the certificate of the peer was not checked"),
            AssociationError::Silent => f.write_str("the peer does not answer"),
            AssociationError::Left => f.write_str("the peer left the association"),
            AssociationError::Refused(error) => f.write_str(&describe(error)),
            AssociationError::NothingInCommon(reason) => {
                write!(f, "there is no common version or cipher suite: {reason}")
            }
            AssociationError::Broken(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for AssociationError {}

/// Returns the error of a failed handshake or broken association.
pub(super) fn explained(error: &ssl::Error, verdict: Option<&Error>) -> AssociationError {
    if let Some(verdict) = verdict {
        return AssociationError::Refused(verdict.clone());
    }
    let Some(first) = error.ssl_error().and_then(|stack| stack.errors().first()) else {
        return AssociationError::Left;
    };
    let code = first.reason_code();
    let reason = first.reason().unwrap_or("unknown");
    match u8::try_from(code - ALERTS) {
        Ok(alert) => AssociationError::Refused(Error::AlertReceived(AlertDescription::from(alert))),
        Err(_) if code == NO_CERTIFICATE => AssociationError::Refused(Error::NoCertificatesPresented),
        Err(_) if NO_COMMON.contains(&code) => AssociationError::NothingInCommon(reason),
        Err(_) => AssociationError::Broken(reason),
    }
}

/// Returns the alert for a verdict.
pub(super) fn refusal(verdict: &Error) -> Refusal {
    use CertificateError as Bad;
    let Error::InvalidCertificate(reason) = verdict else { return Refusal::Other };
    match reason {
        Bad::Expired | Bad::ExpiredContext { .. } => Refusal::Expired,
        Bad::Revoked => Refusal::Revoked,
        Bad::UnknownIssuer => Refusal::UnknownAuthority,
        Bad::BadSignature => Refusal::BadSignature,
        Bad::InvalidPurpose | Bad::InvalidPurposeContext { .. } => Refusal::OtherUse,
        _ => Refusal::Other,
    }
}

/// Settings that the library refuses.
pub(super) fn refused(error: ErrorStack) -> TlsError {
    let reason = error.errors().first().and_then(|first| first.reason()).unwrap_or("unknown");
    TlsError::Dtls(reason.to_owned())
}

#[cfg(test)]
mod tests;

//! What goes wrong in an association, in the words of TLS over TCP.
//!
//! In: errors of OpenSSL, the verdict on the peer. Out: a sentence. Holds: nothing. Limits: none.

use crate::{
    sys::dtls::Refusal,
    tls::{TlsError, describe},
};
use openssl::{error::ErrorStack, ssl};
use rustls::{AlertDescription, CertificateError, Error};

/// Reasons of the library that have words of their own; `SSL_R_*` of openssl/sslerr.h.
const NO_CERTIFICATE: i32 = 199;
const NO_COMMON: &[i32] = &[193, 252, 258, 266, 267, 396];
/// `SSL_AD_REASON_OFFSET`: an alert of the peer is a reason from here on.
const ALERTS: i32 = 1000;

/// A failed handshake or broken association.
pub(super) fn explained(error: &ssl::Error, verdict: Option<&Error>) -> String {
    if let Some(verdict) = verdict {
        return describe(verdict);
    }
    let Some(first) = error.ssl_error().and_then(|stack| stack.errors().first()) else {
        return "the peer left the association".to_owned();
    };
    let code = first.reason_code();
    let reason = first.reason().unwrap_or("unknown");
    match u8::try_from(code - ALERTS) {
        Ok(alert) => describe(&Error::AlertReceived(AlertDescription::from(alert))),
        Err(_) if code == NO_CERTIFICATE => describe(&Error::NoCertificatesPresented),
        Err(_) if NO_COMMON.contains(&code) => {
            format!("there is no common version or cipher suite: {reason}")
        }
        Err(_) => reason.to_owned(),
    }
}

/// Which alert a verdict becomes.
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

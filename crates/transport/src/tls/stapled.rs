//! `ocsp-stapling-verify()`: the CA's statement about a server's certificate, sent by the server itself.
//!
//! In: the certificate of a server, those sent with it, the answer of its CA (RFC 6960) as stapled to the
//! handshake, the CAs that are trusted. Out: valid, or why not. Holds: nothing.
//! Limits: the answer must be signed by the CA or by a delegate; its time may be off by [`SKEW_S`].

use openssl::{
    hash::MessageDigest,
    ocsp::{OcspCertId, OcspCertStatus, OcspFlag, OcspResponse, OcspResponseStatus},
    stack::Stack,
    x509::{X509, X509VerifyResult, store::X509StoreBuilder},
};
use rustls::pki_types::CertificateDer;

/// Seconds that clocks of CAs and ours may differ.
const SKEW_S: u32 = 300;

/// Reason why an answer is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stapled {
    /// The CA says that the certificate was revoked.
    Revoked,
    /// Another reason, in words.
    Bad(&'static str),
}

/// Checks that the stapled answer is signed by the certificate's CA, is valid now, and says that the certificate is
/// valid.
pub(super) fn check(
    leaf: &CertificateDer<'_>,
    others: &[CertificateDer<'_>],
    trusted: &[CertificateDer<'static>],
    answer: &[u8],
) -> Result<(), Stapled> {
    if answer.is_empty() {
        return Err(Stapled::Bad("the peer shows no OCSP answer, and ocsp-stapling-verify() wants one"));
    }
    let unreadable = |_| Stapled::Bad("the OCSP answer that the peer shows cannot be read");
    let response = OcspResponse::from_der(answer).map_err(unreadable)?;
    if response.status() != OcspResponseStatus::SUCCESSFUL {
        return Err(Stapled::Bad("the OCSP answer that the peer shows is a refusal of its CA"));
    }
    let basic = response.basic().map_err(unreadable)?;
    let leaf = X509::from_der(leaf).map_err(unreadable)?;
    let parsed = |certificate: &CertificateDer<'_>| X509::from_der(certificate).ok();
    let sent: Vec<X509> = others.iter().filter_map(parsed).collect();
    let known: Vec<X509> = trusted.iter().filter_map(parsed).collect();
    let (mut between, mut store) =
        (Stack::new().map_err(unreadable)?, X509StoreBuilder::new().map_err(unreadable)?);
    for certificate in &sent {
        between.push(certificate.clone()).map_err(unreadable)?;
    }
    for certificate in &known {
        between.push(certificate.clone()).map_err(unreadable)?;
        store.add_cert(certificate.clone()).map_err(unreadable)?;
    }
    basic
        .verify(&between, &store.build(), OcspFlag::empty())
        .map_err(|_| Stapled::Bad("the OCSP answer that the peer shows is not signed by its CA"))?;
    let issuer = sent
        .iter()
        .chain(&known)
        .find(|certificate| certificate.issued(&leaf) == X509VerifyResult::OK)
        .ok_or(Stapled::Bad("the CA that an OCSP answer would come from is not known"))?;
    let id = OcspCertId::from_cert(MessageDigest::sha1(), &leaf, issuer).map_err(unreadable)?;
    let status = basic
        .find_status(&id)
        .ok_or(Stapled::Bad("the OCSP answer that the peer shows is about another certificate"))?;
    status
        .check_validity(SKEW_S, None)
        .map_err(|_| Stapled::Bad("the OCSP answer that the peer shows is too old, or not valid yet"))?;
    match status.status {
        OcspCertStatus::GOOD => Ok(()),
        OcspCertStatus::REVOKED => Err(Stapled::Revoked),
        _ => Err(Stapled::Bad("the CA says that it does not know the certificate of the peer")),
    }
}

#[cfg(test)]
mod tests;

//! Checks a peer's certificate according to `peer-verify()` and related options.
//!
//! In: a chain, the name of the server when we are the client. Out: trusted, or why not. Holds: the trusted
//! certificates.
//! Limits: those of webpki: certificates of version 3, chains of at most six.
//!
//! A certificate that is in `ca-file()` itself is trusted directly. One without alternative names is identified by its
//! common name, as in syslog-ng: many small installations have such certificates.

use super::{
    algorithms::Schemes,
    certificate::Identity,
    fingerprint::Fingerprint,
    material::Trusted,
    options::TlsOptions,
    stapled::{self, Stapled},
};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, PeerMisbehaved,
    SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::danger::{ClientCertVerified, ClientCertVerifier},
};
use std::{fmt, sync::Arc};
use webpki::{
    CertRevocationList, EndEntityCert, ExpirationPolicy, ExtendedKeyUsageValidator, KeyPurposeIdIter,
    KeyUsage, RevocationOptionsBuilder, UnknownStatusPolicy,
};

/// The requirements for a peer's certificate.
pub(crate) struct PeerCheck {
    provider: Arc<CryptoProvider>,
    trusted: Trusted,
    lists: Vec<CertRevocationList<'static>>,
    hints: Vec<DistinguishedName>,
    options: TlsOptions,
    /// How a peer may sign.
    schemes: Schemes,
}

impl PeerCheck {
    pub(super) fn new(
        provider: Arc<CryptoProvider>,
        trusted: Trusted,
        lists: Vec<CertRevocationList<'static>>,
        options: &TlsOptions,
    ) -> PeerCheck {
        let hints = if options.peer_verify.is_trusted() { trusted.roots.subjects() } else { Vec::new() };
        let schemes = Schemes::default();
        PeerCheck { provider, trusted, lists, hints, options: options.clone(), schemes }
    }

    /// The same for peers that sign with some schemes only.
    pub(super) fn taking(self, schemes: Schemes) -> PeerCheck {
        PeerCheck { schemes, ..self }
    }

    /// Checks the certificates of a peer according to the options; the error says why it is refused. `name` is that
    /// of a server, `None` for a client.
    pub(crate) fn check(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: Option<&ServerName<'_>>,
        now: UnixTime,
    ) -> Result<(), Error> {
        if self.options.peer_verify.is_trusted() {
            let parsed = EndEntityCert::try_from(leaf).map_err(refused)?;
            if !self.trusted.certificates.iter().any(|known| known == leaf) {
                let usage = match name {
                    Some(_) => KeyUsage::server_auth(),
                    None => KeyUsage::client_auth(),
                };
                self.check_chain(&parsed, others, usage, now)?;
            } else {
                self.check_time(leaf, now)?;
            }
            if let Some(name) = name {
                check_name(&parsed, leaf, name)?;
            }
        }
        self.check_fingerprint(leaf)?;
        self.check_dn(leaf)
    }

    /// The options that it obeys.
    pub(crate) fn options(&self) -> &TlsOptions {
        &self.options
    }

    /// The certificates that are trusted.
    pub(crate) fn trusted(&self) -> &[CertificateDer<'static>] {
        &self.trusted.certificates
    }

    fn check_chain(
        &self,
        leaf: &EndEntityCert<'_>,
        others: &[CertificateDer<'_>],
        usage: KeyUsage,
        now: UnixTime,
    ) -> Result<(), Error> {
        let lists: Vec<&CertRevocationList<'_>> = self.lists.iter().collect();
        // A CA without a list in crl-dir() is no error, as in syslog-ng.
        let revocation = RevocationOptionsBuilder::new(&lists).ok().map(|builder| {
            builder
                .with_status_policy(UnknownStatusPolicy::Allow)
                .with_expiration_policy(ExpirationPolicy::Enforce)
                .build()
        });
        let algorithms = self.provider.signature_verification_algorithms.all;
        let usage = if self.options.checks_key_usage { Usage::As(usage) } else { Usage::Any };
        leaf.verify_for_usage(algorithms, &self.trusted.roots.roots, others, now, usage, revocation, None)
            .map(drop)
            .map_err(refused)
    }

    /// A leaf that is trusted as it is has no chain, and webpki checks times only along one.
    fn check_time(&self, leaf: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
        let Some((from, until)) = super::certificate::validity(leaf) else {
            return Err(Error::InvalidCertificate(CertificateError::BadEncoding));
        };
        let now = now.as_secs() as i64;
        if now > until {
            return Err(Error::InvalidCertificate(CertificateError::Expired));
        }
        if now < from {
            return Err(Error::InvalidCertificate(CertificateError::NotValidYet));
        }
        Ok(())
    }

    /// Rejects a peer that signs with a scheme that was not offered.
    fn check_scheme(&self, signed: &DigitallySignedStruct) -> Result<(), Error> {
        match self.schemes.allows(signed.scheme) {
            true => Ok(()),
            false => Err(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into()),
        }
    }

    fn check_fingerprint(&self, leaf: &CertificateDer<'_>) -> Result<(), Error> {
        let wanted = &self.options.fingerprints;
        if wanted.is_empty() || wanted.iter().any(|fingerprint| fingerprint.fits(leaf)) {
            return Ok(());
        }
        let shown = Fingerprint::of(leaf);
        Err(other(format!("the certificate of the peer is none of trusted-fingerprints(): {shown}")))
    }

    fn check_dn(&self, leaf: &CertificateDer<'_>) -> Result<(), Error> {
        let wanted = &self.options.trusted_dn;
        if wanted.is_empty() || !self.options.peer_verify.is_trusted() {
            return Ok(());
        }
        let name = Identity::of(leaf).distinguished_name();
        if wanted.iter().any(|pattern| glob(pattern.as_bytes(), name.as_bytes())) {
            return Ok(());
        }
        Err(other(format!("the name of the peer's certificate is none of trusted-dn(): {name}")))
    }
}

/// The accepted extended key usages.
enum Usage {
    Any,
    As(KeyUsage),
}

impl ExtendedKeyUsageValidator for Usage {
    fn validate(&self, purposes: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        match self {
            Usage::Any => Ok(()),
            Usage::As(usage) => usage.validate(purposes),
        }
    }
}

fn check_name(
    parsed: &EndEntityCert<'_>,
    leaf: &CertificateDer<'_>,
    name: &ServerName<'_>,
) -> Result<(), Error> {
    let result = parsed.verify_is_valid_for_subject_name(name);
    if result.is_err() && !has_alternative_names(&result) {
        let wanted = name.to_str();
        if Identity::of(leaf).part("CN").is_some_and(|common| fits_name(common, &wanted)) {
            return Ok(());
        }
    }
    result.map_err(refused)
}

fn has_alternative_names(result: &Result<(), webpki::Error>) -> bool {
    match result {
        Err(webpki::Error::CertNotValidForName(context)) => !context.presented.is_empty(),
        _ => true,
    }
}

/// Compares a name with a pattern; the star in `*.example.org` means one label.
fn fits_name(pattern: &str, name: &str) -> bool {
    if let Some(domain) = pattern.strip_prefix("*.") {
        let rest = name.split_once('.').map(|(_, rest)| rest);
        return rest.is_some_and(|rest| rest.eq_ignore_ascii_case(domain));
    }
    pattern.eq_ignore_ascii_case(name)
}

/// `*` any run, `?` any one byte.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[read] => (at, read) = (at + 1, read + 1),
            _ => {
                let Some((before, from)) = star else { return false };
                (at, read, star) = (before + 1, from + 1, Some((before, from + 1)));
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// webpki's reasons as rustls has them: they choose the alert that the peer gets.
fn refused(error: webpki::Error) -> Error {
    use webpki::Error as Bad;
    let reason = match error {
        Bad::CertNotValidYet { time, not_before } => {
            CertificateError::NotValidYetContext { time, not_before }
        }
        Bad::CertExpired { time, not_after } => CertificateError::ExpiredContext { time, not_after },
        Bad::UnknownIssuer => CertificateError::UnknownIssuer,
        Bad::CertNotValidForName(context) => CertificateError::NotValidForNameContext {
            expected: context.expected,
            presented: context.presented,
        },
        Bad::CertRevoked => CertificateError::Revoked,
        Bad::CrlExpired { time, next_update } => {
            CertificateError::ExpiredRevocationListContext { time, next_update }
        }
        Bad::InvalidSignatureForPublicKey => CertificateError::BadSignature,
        Bad::RequiredEkuNotFoundContext(_) => CertificateError::InvalidPurpose,
        Bad::BadDer | Bad::BadDerTime | Bad::TrailingData(_) => CertificateError::BadEncoding,
        Bad::UnsupportedCertVersion => {
            return other("the certificate of the peer is not of version 3".to_owned());
        }
        Bad::CaUsedAsEndEntity => {
            return other("the peer shows the certificate of a CA as its own".to_owned());
        }
        rest => return other(format!("the certificate of the peer cannot be used: {rest:?}")),
    };
    Error::InvalidCertificate(reason)
}

/// A reason of our own.
#[derive(Debug)]
struct Reason(String);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Reason {}

fn other(text: String) -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(Reason(text)))))
}

impl fmt::Debug for PeerCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerCheck({:?})", self.options.peer_verify)
    }
}

impl ServerCertVerifier for PeerCheck {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(leaf, others, Some(name), now)?;
        if self.options.checks_stapled {
            stapled::check(leaf, others, &self.trusted.certificates, stapled).map_err(
                |reason| match reason {
                    Stapled::Revoked => Error::InvalidCertificate(CertificateError::Revoked),
                    Stapled::Bad(reason) => other(reason.to_owned()),
                },
            )?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_scheme(signed)?;
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_scheme(signed)?;
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = self.provider.signature_verification_algorithms.supported_schemes();
        schemes.retain(|scheme| self.schemes.allows(*scheme));
        schemes
    }
}

impl ClientCertVerifier for PeerCheck {
    fn client_auth_mandatory(&self) -> bool {
        self.options.peer_verify.is_required()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(leaf, others, None, now).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls12_signature(self, message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls13_signature(self, message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ServerCertVerifier::supported_verify_schemes(self)
    }
}

#[cfg(test)]
mod tests;

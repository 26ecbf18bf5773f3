//! `sigalgs()` and `client-sigalgs()` in OpenSSL's names.
//!
//! In: lists in OpenSSL's syntax. Out: schemes that rustls has; names that it does not have; a key that signs with
//! these only. Holds: nothing. Limits: old algorithms (SHA-1, SHA-224, DSA) are not supported.

use rustls::{
    SignatureAlgorithm, SignatureScheme,
    pki_types::SubjectPublicKeyInfoDer,
    sign::{CertifiedKey, Signer, SigningKey},
};
use std::sync::Arc;

/// Schemes by the names of OpenSSL, in capital letters; several names may mean the same.
const SCHEMES: &[(&str, SignatureScheme)] = {
    use SignatureScheme as S;
    &[
        ("RSA+SHA256", S::RSA_PKCS1_SHA256),
        ("RSA+SHA384", S::RSA_PKCS1_SHA384),
        ("RSA+SHA512", S::RSA_PKCS1_SHA512),
        ("RSA_PKCS1_SHA256", S::RSA_PKCS1_SHA256),
        ("RSA_PKCS1_SHA384", S::RSA_PKCS1_SHA384),
        ("RSA_PKCS1_SHA512", S::RSA_PKCS1_SHA512),
        ("RSA-PSS+SHA256", S::RSA_PSS_SHA256),
        ("RSA-PSS+SHA384", S::RSA_PSS_SHA384),
        ("RSA-PSS+SHA512", S::RSA_PSS_SHA512),
        ("PSS+SHA256", S::RSA_PSS_SHA256),
        ("PSS+SHA384", S::RSA_PSS_SHA384),
        ("PSS+SHA512", S::RSA_PSS_SHA512),
        ("RSA_PSS_RSAE_SHA256", S::RSA_PSS_SHA256),
        ("RSA_PSS_RSAE_SHA384", S::RSA_PSS_SHA384),
        ("RSA_PSS_RSAE_SHA512", S::RSA_PSS_SHA512),
        ("ECDSA+SHA256", S::ECDSA_NISTP256_SHA256),
        ("ECDSA+SHA384", S::ECDSA_NISTP384_SHA384),
        ("ECDSA+SHA512", S::ECDSA_NISTP521_SHA512),
        ("ECDSA_SECP256R1_SHA256", S::ECDSA_NISTP256_SHA256),
        ("ECDSA_SECP384R1_SHA384", S::ECDSA_NISTP384_SHA384),
        ("ECDSA_SECP521R1_SHA512", S::ECDSA_NISTP521_SHA512),
        ("ED25519", S::ED25519),
    ]
};

/// The schemes of one list; empty is all that rustls has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schemes(Vec<&'static str>);

impl Schemes {
    /// Adds the schemes of a list such as `RSA+SHA256:ecdsa_secp256r1_sha256`. Returns the names that rustls does not have.
    pub fn add(&mut self, list: &str) -> Vec<String> {
        let mut unknown = Vec::new();
        for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
            // A name after `?` may be unknown.
            let (name, may_miss) = (word.trim_start_matches('?'), word.starts_with('?'));
            match SCHEMES.iter().find(|(known, _)| *known == name.to_ascii_uppercase()) {
                Some((known, _)) => self.0.push(known),
                None if may_miss => {}
                None => unknown.push(word.to_owned()),
            }
        }
        unknown
    }

    /// Returns whether no scheme was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The list as OpenSSL takes it.
    pub(crate) fn list(&self) -> String {
        self.0.join(":")
    }

    /// Returns whether a scheme may be used: it was chosen, or none was.
    pub(in super::super) fn allows(&self, scheme: SignatureScheme) -> bool {
        self.0.is_empty() || self.0.iter().any(|name| SCHEMES.contains(&(name, scheme)))
    }

    /// Returns a certificate whose key signs with these schemes only.
    pub(in super::super) fn narrow(&self, mut own: CertifiedKey) -> CertifiedKey {
        if !self.is_empty() {
            own.key = Arc::new(Narrowed { key: own.key, schemes: self.clone() });
        }
        own
    }
}

/// A key that signs with some schemes only.
#[derive(Debug)]
struct Narrowed {
    key: Arc<dyn SigningKey>,
    schemes: Schemes,
}

impl SigningKey for Narrowed {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let allowed: Vec<_> = offered.iter().copied().filter(|scheme| self.schemes.allows(*scheme)).collect();
        self.key.choose_scheme(&allowed)
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.key.public_key()
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.key.algorithm()
    }
}

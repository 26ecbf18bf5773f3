//! Recipients: public keys that segment keys are wrapped for.
//!
//! In: a certificate or public key in PEM (RSA, or an elliptic curve: P-256, P-384, P-521), or `age1...` (X25519).
//! Out: a line with the wrapped key. Limits: RSA from 2048 bits on.

use super::bech32;
use crate::{
    der,
    digest::{Digest, hex},
};
use aws_lc_rs::rsa::{OAEP_SHA256_MGF1SHA256, OaepPublicEncryptingKey, PublicEncryptingKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use rustls::crypto::{
    aws_lc_rs::hpke::{
        DH_KEM_P256_HKDF_SHA256_AES_256, DH_KEM_P384_HKDF_SHA384_AES_256, DH_KEM_P521_HKDF_SHA512_AES_256,
        DH_KEM_X25519_HKDF_SHA256_AES_256,
    },
    hpke::{Hpke, HpkePublicKey},
};
use std::{fmt, fs, io, path::PathBuf};

/// Bytes of a segment's key, which is wrapped.
pub const KEY_BYTES: usize = 32;
/// Context that wrapping binds a key to, together with the segment's id.
pub(super) const INFO: &[u8] = b"duramen segment key 1";

pub(super) const RSA: &str = "rsa-oaep-sha256";

/// The kinds of curves: name in envelopes, identifier in keys, suite.
pub(super) const CURVES: [(&str, &[u8], &dyn Hpke); 4] = [
    ("hpke-p256", &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], DH_KEM_P256_HKDF_SHA256_AES_256),
    ("hpke-p384", &[0x2b, 0x81, 4, 0, 0x22], DH_KEM_P384_HKDF_SHA384_AES_256),
    ("hpke-p521", &[0x2b, 0x81, 4, 0, 0x23], DH_KEM_P521_HKDF_SHA512_AES_256),
    (X25519, &[], DH_KEM_X25519_HKDF_SHA256_AES_256),
];
pub(super) const X25519: &str = "hpke-x25519";

/// Prefix of age's public keys.
pub(super) const AGE: &str = "age";
/// Bytes of an X25519 key.
pub(super) const X25519_BYTES: usize = 32;

/// Someone who may open sealed segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient {
    /// Name of the kind.
    kind: &'static str,
    /// The key as its algorithm takes it.
    key: Vec<u8>,
    /// The name by which people know the key.
    name: String,
}

/// The reason why a recipient cannot be used.
#[derive(Debug)]
pub enum RecipientError {
    /// The file cannot be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not a key that can be used.
    Unusable {
        /// The text that was given.
        text: String,
    },
}

impl fmt::Display for RecipientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecipientError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            RecipientError::Unusable { text } => write!(
                f,
                "{text} is not a recipient: a PEM certificate or public key (RSA from 2048 bits, P-256, P-384, P-521), or age1..."
            ),
        }
    }
}

impl std::error::Error for RecipientError {}

impl Recipient {
    /// The recipient that a text names: `age1...`, or the path of a PEM file.
    pub fn load(text: &str) -> Result<Recipient, RecipientError> {
        let unusable = || RecipientError::Unusable { text: text.to_owned() };
        if text.starts_with("age1") {
            return Recipient::of_age(text).ok_or_else(unusable);
        }
        let pem =
            fs::read_to_string(text).map_err(|source| RecipientError::Io { path: text.into(), source })?;
        Recipient::of_pem(&pem).ok_or_else(unusable)
    }

    fn of_age(text: &str) -> Option<Recipient> {
        let key = bech32::decode(text, AGE).filter(|key| key.len() == X25519_BYTES)?;
        Some(Recipient { kind: X25519, key, name: text.to_owned() }).filter(Recipient::works)
    }

    fn of_pem(pem: &str) -> Option<Recipient> {
        let certificate = der::pem(pem, "CERTIFICATE");
        let public = der::pem(pem, "PUBLIC KEY");
        let spki = match (&certificate, &public) {
            (Some(certificate), _) => der::certificate_spki(certificate)?,
            (None, public) => public.as_deref()?,
        };
        let name = format!("sha256:{}", hex(&Digest::of(spki).0));
        let recipient = match der::spki_algorithm(spki)? {
            der::OID_RSA => Recipient { kind: RSA, key: spki.to_vec(), name },
            der::OID_EC => {
                let curve = der::spki_curve(spki)?;
                let (kind, ..) = CURVES.iter().find(|(_, known, _)| *known == curve)?;
                Recipient { kind, key: der::spki_key(spki)?.to_vec(), name }
            }
            _ => return None,
        };
        Some(recipient).filter(Recipient::works)
    }

    fn works(&self) -> bool {
        self.wrap(&[0; KEY_BYTES], &[0; 16]).is_some()
    }

    /// Returns the name by which people know the key: `age1...`, or the digest of the public key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The line of an envelope.
    pub(super) fn wrap(&self, key: &[u8], id: &[u8; 16]) -> Option<String> {
        let wrapped = if self.kind == RSA {
            let public = OaepPublicEncryptingKey::new(PublicEncryptingKey::from_der(&self.key).ok()?).ok()?;
            let mut out = vec![0; public.ciphertext_size()];
            STANDARD.encode(public.encrypt(&OAEP_SHA256_MGF1SHA256, key, &mut out, Some(id)).ok()?)
        } else {
            let (.., suite) = CURVES.iter().find(|(kind, ..)| *kind == self.kind)?;
            let (secret, wrapped) = suite.seal(INFO, id, key, &HpkePublicKey(self.key.clone())).ok()?;
            format!("{}.{}", STANDARD.encode(secret.0), STANDARD.encode(wrapped))
        };
        Some(format!("{} {} {wrapped}\n", self.kind, self.name))
    }
}

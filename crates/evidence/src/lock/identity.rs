//! Identities: private keys that open segments.
//!
//! In: PEM files (PKCS#8, with a passphrase or without), or files with an `AGE-SECRET-KEY-1...` line. Out: segment
//! keys. Holds: the private keys, for as long as [`Keys`] lives. Limits: see `Recipient`.

use super::{
    bech32,
    key::SegmentKey,
    recipient::{AGE, CURVES, INFO, RSA, X25519, X25519_BYTES},
};
use crate::der::{self, OCTET_STRING, OID, SEQUENCE, Values};
use aws_lc_rs::rsa::{OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use base64::{Engine, engine::general_purpose::STANDARD};
use rustls::crypto::hpke::{EncapsulatedSecret, HpkePrivateKey};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Prefix of age's private keys.
const AGE_SECRET: &str = "age-secret-key-";

/// A private key.
pub struct Identity {
    kind: &'static str,
    /// PKCS#8 of an RSA key; the bare number of others.
    key: Vec<u8>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.kind)
    }
}

/// The reason why an identity cannot be used.
#[derive(Debug)]
pub enum IdentityError {
    /// The file cannot be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The key is encrypted and no passphrase was given.
    Passphrase,
    /// The passphrase is not the key's.
    WrongPassphrase,
    /// There is no private key in it that could open a segment.
    Unusable,
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdentityError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            IdentityError::Passphrase => f.write_str("the private key needs its passphrase"),
            IdentityError::WrongPassphrase => f.write_str("the passphrase is not that of the private key"),
            IdentityError::Unusable => f.write_str(
                "no private key that could open a segment: PKCS#8 in PEM (RSA, P-256, P-384, P-521) or AGE-SECRET-KEY-1...",
            ),
        }
    }
}

impl std::error::Error for IdentityError {}

impl Identity {
    /// Reads a key file.
    pub fn load(path: &Path, passphrase: Option<&str>) -> Result<Identity, IdentityError> {
        let text = fs::read_to_string(path);
        let text = text.map_err(|source| IdentityError::Io { path: path.to_owned(), source })?;
        Identity::parse(&text, passphrase)
    }

    /// Reads the text of a key file.
    pub fn parse(text: &str, passphrase: Option<&str>) -> Result<Identity, IdentityError> {
        if let Some(line) = text.lines().find(|line| line.to_ascii_lowercase().starts_with(AGE_SECRET)) {
            let key = bech32::decode(line.trim(), AGE_SECRET).filter(|key| key.len() == X25519_BYTES);
            return key.map(|key| Identity { kind: X25519, key }).ok_or(IdentityError::Unusable);
        }
        if let Some(encrypted) = der::pem(text, "ENCRYPTED PRIVATE KEY") {
            let passphrase = passphrase.ok_or(IdentityError::Passphrase)?;
            let info = pkcs8::EncryptedPrivateKeyInfo::try_from(encrypted.as_slice());
            let info = info.map_err(|_| IdentityError::Unusable)?;
            let key = info.decrypt(passphrase).map_err(|_| IdentityError::WrongPassphrase)?;
            return Identity::of_pkcs8(key.as_bytes()).ok_or(IdentityError::Unusable);
        }
        der::pem(text, "PRIVATE KEY").and_then(|key| Identity::of_pkcs8(&key)).ok_or(IdentityError::Unusable)
    }

    /// Returns the key on one line, for transport over a private channel.
    pub fn to_line(&self) -> String {
        format!("{} {}", self.kind, STANDARD.encode(&self.key))
    }

    /// Reads what [`Identity::to_line`] wrote.
    pub fn from_line(line: &str) -> Option<Identity> {
        let (kind, key) = line.split_once(' ')?;
        let kinds = CURVES.iter().map(|(kind, ..)| *kind).chain([RSA]);
        let kind = kinds.into_iter().find(|known| *known == kind)?;
        Some(Identity { kind, key: STANDARD.decode(key).ok()? })
    }

    fn of_pkcs8(key: &[u8]) -> Option<Identity> {
        let mut parts = Values(key).enter(SEQUENCE)?;
        parts.tagged(der::INTEGER)?;
        let mut algorithm = parts.enter(SEQUENCE)?;
        match algorithm.tagged(OID)?.body {
            der::OID_RSA => Some(Identity { kind: RSA, key: key.to_vec() }),
            der::OID_EC => {
                let curve = algorithm.tagged(OID)?.body;
                let (kind, ..) = CURVES.iter().find(|(_, known, _)| *known == curve)?;
                let mut inner = parts.enter(OCTET_STRING)?.enter(SEQUENCE)?;
                inner.tagged(der::INTEGER)?;
                Some(Identity { kind, key: inner.tagged(OCTET_STRING)?.body.to_vec() })
            }
            _ => None,
        }
    }

    /// A new X25519 pair: the recipient as `age1...`, the identity as `AGE-SECRET-KEY-1...`.
    pub fn draw() -> Option<(String, String)> {
        let (.., suite) = CURVES.iter().find(|(kind, ..)| *kind == X25519)?;
        let (public, private) = suite.generate_key_pair().ok()?;
        let private = bech32::encode(AGE_SECRET, private.secret_bytes()).to_ascii_uppercase();
        Some((bech32::encode(AGE, &public.0), private))
    }

    /// The key in one line of an envelope.
    fn unwrap(&self, line: &str, id: &[u8; 16]) -> Option<Vec<u8>> {
        let mut words = line.split(' ');
        let (kind, _name, wrapped) = (words.next()?, words.next()?, words.next()?);
        if kind != self.kind {
            return None;
        }
        if kind == RSA {
            let key =
                OaepPrivateDecryptingKey::new(PrivateDecryptingKey::from_pkcs8(&self.key).ok()?).ok()?;
            let wrapped = STANDARD.decode(wrapped).ok()?;
            let mut out = vec![0; key.min_output_size()];
            return key
                .decrypt(&OAEP_SHA256_MGF1SHA256, &wrapped, &mut out, Some(id))
                .ok()
                .map(|key| key.to_vec());
        }
        let (.., suite) = CURVES.iter().find(|(known, ..)| *known == kind)?;
        let (secret, wrapped) = wrapped.split_once('.')?;
        let secret = EncapsulatedSecret(STANDARD.decode(secret).ok()?);
        let key = HpkePrivateKey::from(self.key.clone());
        suite.open(&secret, INFO, id, &STANDARD.decode(wrapped).ok()?, &key).ok()
    }
}

/// The available private keys.
#[derive(Clone, Default, Debug)]
pub struct Keys(Vec<Arc<Identity>>);

impl Keys {
    /// These keys.
    pub fn of(identities: Vec<Identity>) -> Keys {
        Keys(identities.into_iter().map(Arc::new).collect())
    }

    /// These keys and others.
    #[must_use]
    pub fn and(&self, others: &Keys) -> Keys {
        Keys(self.0.iter().chain(&others.0).cloned().collect())
    }

    /// Returns true when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key of a segment, when one of these opens its envelope.
    pub fn open(&self, envelope: &[u8], id: [u8; 16]) -> Option<SegmentKey> {
        let lines = std::str::from_utf8(envelope).ok()?;
        let key =
            lines.lines().find_map(|line| self.0.iter().find_map(|identity| identity.unwrap(line, &id)))?;
        SegmentKey::new(&key, id)
    }
}

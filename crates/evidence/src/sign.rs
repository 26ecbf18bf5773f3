//! Keys that sign, and keys that verify.
//!
//! In: PEM files: a PKCS#8 private key (Ed25519, RSA or ECDSA P-256), a public key or a certificate. Out: signatures.
//! Holds: the key. Limits: signatures are Ed25519, RSA PKCS#1 v1.5 with SHA-256, or ECDSA with SHA-256 in ASN.1, so
//! that openssl verifies each with one command.

use crate::{
    der,
    digest::{Digest, hex},
};
use aws_lc_rs::{
    encoding::{AsDer, PublicKeyX509Der},
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
        KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
        VerificationAlgorithm,
    },
};
use std::{
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The reason why a key cannot be used.
#[derive(Debug)]
pub enum KeyError {
    /// The file cannot be read or written.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no supported key.
    Unusable {
        /// Which.
        path: PathBuf,
        /// Name of the contents that were expected.
        expected: &'static str,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Io { path, source } => write!(f, "cannot use {}: {source}", path.display()),
            KeyError::Unusable { path, expected } => {
                write!(f, "{} does not hold {expected}", path.display())
            }
        }
    }
}

impl std::error::Error for KeyError {}

/// A private key.
#[derive(Clone)]
pub struct SigningKey(Arc<Inner>);

struct Inner {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Ed25519(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.0.public.fingerprint())
    }
}

impl SigningKey {
    /// Reads a private key.
    pub fn load(path: &Path) -> Result<SigningKey, KeyError> {
        let text = read(path)?;
        let expected = "an unencrypted PKCS#8 private key: Ed25519, RSA or ECDSA P-256";
        let unusable = || KeyError::Unusable { path: path.to_owned(), expected };
        let key = der::pem(&text, "PRIVATE KEY").ok_or_else(unusable)?;
        SigningKey::from_pkcs8(&key).ok_or_else(unusable)
    }

    /// Reads a private key; generates and stores one when the file is missing.
    pub fn load_or_draw(path: &Path) -> Result<SigningKey, KeyError> {
        if path.exists() {
            return SigningKey::load(path);
        }
        let failed = |source| KeyError::Io { path: path.to_owned(), source };
        // OpenSSL 3.0 does not read the second version of PKCS#8, which has the public half in it.
        let drawn = Ed25519KeyPair::generate().and_then(|pair| pair.to_pkcs8v1());
        let drawn = drawn.map_err(|_| failed(io::Error::other("no randomness")))?;
        // It is renamed when it is complete: half a key would prevent the logspace from opening forever.
        let unfinished = path.with_extension("unfinished");
        let write = || {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
            file.write_all(der::to_pem("PRIVATE KEY", drawn.as_ref()).as_bytes())?;
            file.sync_all()?;
            fs::rename(&unfinished, path)?;
            fs::File::open(path.parent().unwrap_or(path))?.sync_all()
        };
        write().map_err(failed)?;
        SigningKey::load(path)
    }

    fn from_pkcs8(key: &[u8]) -> Option<SigningKey> {
        let (pair, spki) = if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key) {
            let spki = AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).ok()?;
            (Pair::Ed25519(pair), spki)
        } else if let Ok(pair) = RsaKeyPair::from_pkcs8(key) {
            let spki = AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).ok()?;
            (Pair::Rsa(Box::new(pair)), spki)
        } else {
            let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key).ok()?;
            let spki = AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).ok()?;
            (Pair::P256(pair), spki)
        };
        let public = PublicKey::from_spki(spki.as_ref())?;
        Some(SigningKey(Arc::new(Inner { pair, public })))
    }

    /// Signs; `None` when the system has no randomness.
    pub fn sign(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match &self.0.pair {
            Pair::Ed25519(pair) => Some(pair.sign(bytes).as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let mut out = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut out).ok()?;
                Some(out)
            }
            Pair::P256(pair) => pair.sign(&random, bytes).ok().map(|signature| signature.as_ref().to_vec()),
        }
    }

    /// Its public half.
    pub fn public(&self) -> &PublicKey {
        &self.0.public
    }
}

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicKey {
    spki: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Ed25519,
    Rsa,
    P256,
}

impl PublicKey {
    /// Reads a public key, or that of a certificate.
    pub fn load(path: &Path) -> Result<PublicKey, KeyError> {
        let text = read(path)?;
        let expected = "a public key or a certificate: Ed25519, RSA or ECDSA P-256";
        PublicKey::from_pem(&text).ok_or(KeyError::Unusable { path: path.to_owned(), expected })
    }

    /// The same of PEM text.
    pub fn from_pem(text: &str) -> Option<PublicKey> {
        match der::pem(text, "PUBLIC KEY") {
            Some(spki) => PublicKey::from_spki(&spki),
            None => PublicKey::from_spki(der::certificate_spki(&der::pem(text, "CERTIFICATE")?)?),
        }
    }

    fn from_spki(spki: &[u8]) -> Option<PublicKey> {
        let kind = match der::spki_algorithm(spki)? {
            der::OID_ED25519 => Kind::Ed25519,
            der::OID_RSA => Kind::Rsa,
            der::OID_EC => Kind::P256,
            _ => return None,
        };
        Some(PublicKey { spki: spki.to_vec(), kind })
    }

    /// The key as PEM.
    pub fn to_pem(&self) -> String {
        der::to_pem("PUBLIC KEY", &self.spki)
    }

    /// The algorithm and the digest of the key.
    pub fn fingerprint(&self) -> String {
        let name = match self.kind {
            Kind::Ed25519 => "ed25519",
            Kind::Rsa => "rsa-pkcs1-sha256",
            Kind::P256 => "ecdsa-p256-sha256",
        };
        format!("{name}:{}", hex(&Digest::of(&self.spki).0))
    }

    /// Returns true when a signature is of this key over these bytes.
    pub fn verify(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let algorithm: &'static dyn VerificationAlgorithm = match self.kind {
            Kind::Ed25519 => &ED25519,
            Kind::Rsa => &RSA_PKCS1_2048_8192_SHA256,
            Kind::P256 => &ECDSA_P256_SHA256_ASN1,
        };
        // The library takes the key inside for Ed25519 and ECDSA, the structure for RSA.
        let Some(key) = der::spki_key(&self.spki) else { return false };
        UnparsedPublicKey::new(algorithm, key).verify(bytes, signature).is_ok()
    }
}

fn read(path: &Path) -> Result<String, KeyError> {
    fs::read_to_string(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })
}

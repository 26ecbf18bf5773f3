//! The server's key for second factors: it encrypts their secrets and hashes recovery codes.
//!
//! In: secrets, with the account that they belong to. Out: what the file of users has of them. Holds: the key, 32 random bytes in a
//! file that only the server's user may read. Without the file, codes cannot be checked, and second factors have to be enrolled again:
//! a copy of the file of users alone gives nobody a code.

use crate::{durable, hex};
use aws_lc_rs::{aead, hmac};
use std::{fmt, io, path::Path};

/// Bytes of the key.
const KEY_BYTES: usize = 32;
/// Sets the two uses of the key apart.
const RECOVERY_CONTEXT: &[u8] = b"duramen recovery code";

/// The key.
pub struct FactorKey {
    seal: aead::LessSafeKey,
    tag: hmac::Key,
}

impl fmt::Debug for FactorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FactorKey(...)")
    }
}

/// The ways in which the key cannot be used.
#[derive(Debug)]
pub enum FactorKeyError {
    /// Its file cannot be read or written.
    Io(io::Error),
    /// Its file has another size.
    Format,
    /// A secret was encrypted with another key, or for another account.
    Foreign,
    /// The system has no random numbers.
    Random,
}

impl fmt::Display for FactorKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactorKeyError::Io(error) => write!(f, "the key of second factors cannot be used: {error}"),
            FactorKeyError::Format => f.write_str("the file of the key of second factors has not 32 bytes"),
            FactorKeyError::Foreign => f.write_str(
                "the second factor cannot be read with the key in factors.key: an administrator can reset it with \
                 `duramen user factor reset NAME`",
            ),
            FactorKeyError::Random => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for FactorKeyError {}

impl FactorKey {
    /// Reads the key of a file, which is made when it is not there.
    pub fn load_or_draw(path: &Path) -> Result<FactorKey, FactorKeyError> {
        let _locked = durable::lock(path).map_err(FactorKeyError::Io)?;
        let bytes = match durable::read(path, KEY_BYTES as u64 + 1).map_err(FactorKeyError::Io)? {
            Some(bytes) => bytes,
            None => {
                let mut drawn = vec![0; KEY_BYTES];
                getrandom::fill(&mut drawn).map_err(|_| FactorKeyError::Random)?;
                durable::replace(path, &drawn).map_err(FactorKeyError::Io)?;
                drawn
            }
        };
        FactorKey::of(&bytes)
    }

    fn of(bytes: &[u8]) -> Result<FactorKey, FactorKeyError> {
        let seal = aead::UnboundKey::new(&aead::AES_256_GCM, bytes).map_err(|_| FactorKeyError::Format)?;
        let root = hmac::Key::new(hmac::HMAC_SHA256, bytes);
        let tag = hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&root, RECOVERY_CONTEXT).as_ref());
        Ok(FactorKey { seal: aead::LessSafeKey::new(seal), tag })
    }

    /// Encrypts a secret of an account; in hexadecimal.
    pub(super) fn seal(&self, owner: &str, secret: &[u8]) -> Result<String, FactorKeyError> {
        let mut nonce = [0; aead::NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| FactorKeyError::Random)?;
        let mut sealed = secret.to_owned();
        let nonce_of = aead::Nonce::assume_unique_for_key(nonce);
        let done = self.seal.seal_in_place_append_tag(nonce_of, aead::Aad::from(owner), &mut sealed);
        done.map_err(|_| FactorKeyError::Format)?;
        Ok(hex(&nonce) + &hex(&sealed))
    }

    /// Decrypts a secret of an account.
    pub(super) fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, FactorKeyError> {
        let bytes = unhexed(sealed).ok_or(FactorKeyError::Foreign)?;
        let (nonce, sealed) = bytes.split_at_checked(aead::NONCE_LEN).ok_or(FactorKeyError::Foreign)?;
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).map_err(|_| FactorKeyError::Foreign)?;
        let mut opened = sealed.to_owned();
        let secret = self.seal.open_in_place(nonce, aead::Aad::from(owner), &mut opened);
        secret.map(|secret| secret.to_owned()).map_err(|_| FactorKeyError::Foreign)
    }

    /// Hashes a recovery code of an account; in hexadecimal.
    pub(super) fn tag(&self, owner: &str, code: &str) -> String {
        let mut context = hmac::Context::with_key(&self.tag);
        context.update(&(owner.len() as u64).to_be_bytes());
        context.update(owner.as_bytes());
        context.update(code.as_bytes());
        hex(context.sign().as_ref())
    }
}

/// Reads bytes in hexadecimal.
fn unhexed(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    is_hex.then(|| (0..text.len()).step_by(2).map(byte).collect())?
}

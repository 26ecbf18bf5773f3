//! Private keys in PEM, plain or protected by a password.
//!
//! In: a file, and the password when there is one. Out: the key. Holds: nothing.
//! Limits: [`KEY_BYTES_MAX`] per file. OpenSSL reads encrypted keys, as PKCS #8 or in the traditional form, without the
//! ciphers that it calls legacy (DES, RC2).

use super::super::{error::TlsError, options::Passwords};
use openssl::{error::ErrorStack, pkey::PKey};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject};
use std::{fs, path::Path};

/// Larger files are no keys.
const KEY_BYTES_MAX: u64 = 1 << 20;
/// Marks of an encrypted key: PKCS #8, and the traditional form (RFC 1421).
const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"];

/// Reads a key.
pub(in super::super) fn read(path: &Path, passwords: &Passwords) -> Result<PrivateKeyDer<'static>, TlsError> {
    let failed = |source| TlsError::Read { path: path.to_owned(), source };
    let content = |what: &str| TlsError::Content { path: path.to_owned(), what: what.to_owned() };
    if fs::metadata(path).map_err(failed)?.len() > KEY_BYTES_MAX {
        return Err(content("it is too long for a key"));
    }
    let text = fs::read(path).map_err(failed)?;
    let shown = String::from_utf8_lossy(&text);
    if ENCRYPTED.iter().any(|words| shown.contains(words)) {
        let password = passwords.of(path).ok_or_else(|| TlsError::Locked { path: path.to_owned() })?;
        return decrypt(&text, &password).map_err(|_| {
            passwords.forget(path);
            content("the password is wrong, or the cipher is not supported: openssl pkcs8 -topk8 -in OLD -out NEW")
        });
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| content("there is no private key in it, in PEM"))
}

fn decrypt(text: &[u8], password: &str) -> Result<PrivateKeyDer<'static>, ErrorStack> {
    let key = PKey::private_key_from_pem_passphrase(text, password.as_bytes())?;
    Ok(PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8()?).into())
}

//! Private keys in PEM, plain or protected by a password.
//!
//! In: a file, and the password when there is one. Out: the key. Holds: nothing.
//! Limits: [`KEY_BYTES_MAX`] a file; of encrypted forms only PKCS #8, which OpenSSL has written since 1.0.

use super::{error::TlsError, options::Passwords};
use pkcs8::EncryptedPrivateKeyInfo;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject};
use std::{fs, path::Path};

/// Larger files are no keys.
const KEY_BYTES_MAX: u64 = 1 << 20;

/// Reads a key.
pub(super) fn read(path: &Path, passwords: &Passwords) -> Result<PrivateKeyDer<'static>, TlsError> {
    let failed = |source| TlsError::Read { path: path.to_owned(), source };
    let content = |what: &str| TlsError::Content { path: path.to_owned(), what: what.to_owned() };
    if fs::metadata(path).map_err(failed)?.len() > KEY_BYTES_MAX {
        return Err(content("it is too long for a key"));
    }
    let text = fs::read(path).map_err(failed)?;
    let shown = String::from_utf8_lossy(&text);
    if let Some(begin) = shown.find("-----BEGIN ENCRYPTED PRIVATE KEY-----") {
        let password = passwords.of(path).ok_or_else(|| TlsError::Locked { path: path.to_owned() })?;
        return decrypt(&shown[begin..], &password).map_err(|what| {
            passwords.forget(path);
            content(&what)
        });
    }
    if shown.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(content(
            "this old form of an encrypted key is not supported: openssl pkcs8 -topk8 -in OLD -out NEW",
        ));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|_| content("there is no private key in it, in PEM"))
}

fn decrypt(text: &str, password: &str) -> Result<PrivateKeyDer<'static>, String> {
    const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
    let end = text.find(END).ok_or("it has no end line")? + END.len();
    let (_, document) = pkcs8::SecretDocument::from_pem(&text[..end]).map_err(|error| error.to_string())?;
    let sealed = EncryptedPrivateKeyInfo::try_from(document.as_bytes()).map_err(|error| error.to_string())?;
    let key =
        sealed.decrypt(password).map_err(|_| "the password is wrong, or the cipher is not supported")?;
    Ok(PrivatePkcs8KeyDer::from(key.as_bytes().to_vec()).into())
}

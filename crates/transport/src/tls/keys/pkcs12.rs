//! `pkcs12-file()`: certificate, key and authorities in one file.
//!
//! In: a file, and its password when it has one. Out: its contents. Holds: nothing.
//! Limits: [`FILE_BYTES_MAX`]; OpenSSL reads it, without the ciphers that it calls legacy (RC2, as old Windows wrote).

use super::super::{error::TlsError, options::Passwords};
use openssl::{error::ErrorStack, pkcs12::Pkcs12};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::{fs, path::Path};

/// Larger files are something else.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The contents of such a file.
pub(in super::super) struct Bundle {
    pub(in super::super) certificate: CertificateDer<'static>,
    pub(in super::super) key: PrivateKeyDer<'static>,
    /// Those between the certificate and its CA.
    pub(in super::super) between: Vec<CertificateDer<'static>>,
    /// Authorities that no other one vouches for: they are trusted.
    pub(in super::super) authorities: Vec<CertificateDer<'static>>,
}

/// Reads it. One with a password waits for `ctl credentials`.
pub(in super::super) fn read(path: &Path, passwords: &Passwords) -> Result<Bundle, TlsError> {
    let failed = |source| TlsError::Read { path: path.to_owned(), source };
    let content = |what: &str| TlsError::Content { path: path.to_owned(), what: what.to_owned() };
    if fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(content("it is too long for PKCS #12"));
    }
    let bytes = fs::read(path).map_err(failed)?;
    let sealed = Pkcs12::from_der(&bytes).map_err(|_| content("it is not PKCS #12"))?;
    let open = |password: &str| bundle(&sealed, password);
    match open("") {
        Ok(Some(bundle)) => return Ok(bundle),
        Ok(None) => return Err(content("it lacks a certificate or its key")),
        Err(_) => {}
    }
    let password = passwords.of(path).ok_or_else(|| TlsError::Locked { path: path.to_owned() })?;
    match open(&password) {
        Ok(Some(bundle)) => Ok(bundle),
        Ok(None) => Err(content("it lacks a certificate or its key")),
        Err(_) => {
            passwords.forget(path);
            Err(content(
                "the password is wrong, or the cipher is an old one: openssl pkcs12 -legacy converts it",
            ))
        }
    }
}

fn bundle(sealed: &Pkcs12, password: &str) -> Result<Option<Bundle>, ErrorStack> {
    let opened = sealed.parse2(password)?;
    let (Some(key), Some(certificate)) = (opened.pkey, opened.cert) else { return Ok(None) };
    let (mut between, mut authorities) = (Vec::new(), Vec::new());
    for other in opened.ca.iter().flatten() {
        let is_root = other.subject_name().to_der()? == other.issuer_name().to_der()?;
        if is_root { &mut authorities } else { &mut between }.push(CertificateDer::from(other.to_der()?));
    }
    Ok(Some(Bundle {
        certificate: certificate.to_der()?.into(),
        key: PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8()?).into(),
        between,
        authorities,
    }))
}

//! Certificates and revocation lists in files and folders.
//!
//! In: paths. Out: their contents. Holds: nothing.
//! Limits: [`FILES_MAX`] files of a folder; other files than PEM in a folder are ignored.

use super::error::TlsError;
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, CertificateRevocationListDer, pem::PemObject},
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use webpki::{CertRevocationList, OwnedCertRevocationList};

/// Most files that are read of a folder.
const FILES_MAX: usize = 10_000;

/// The certificates of a file, at least one.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })?;
    let content = |what: String| TlsError::Content { path: path.to_owned(), what };
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let list = read.map_err(|error| content(format!("it is not PEM: {error}")))?;
    if list.is_empty() {
        return Err(content("there is no certificate in it, in PEM".to_owned()));
    }
    Ok(list)
}

/// The trusted certificates, with those in DER: a leaf that is one of them is trusted as it is.
#[derive(Debug)]
pub(super) struct Trusted {
    pub(super) roots: RootCertStore,
    pub(super) certificates: Vec<CertificateDer<'static>>,
}

impl Trusted {
    /// Adds certificates from elsewhere.
    pub(super) fn add(&mut self, certificates: Vec<CertificateDer<'static>>) {
        // A certificate that is not a CA is trusted as it is, like those from files.
        let _ = self.roots.add_parsable_certificates(certificates.iter().cloned());
        self.certificates.extend(certificates);
    }

    pub(super) fn read(file: Option<&Path>, folder: Option<&Path>) -> Result<Trusted, TlsError> {
        let mut trusted = Trusted { roots: RootCertStore::empty(), certificates: Vec::new() };
        if let Some(path) = file {
            let certificates = certificates(path)?;
            let (added, _) = trusted.roots.add_parsable_certificates(certificates.iter().cloned());
            if added == 0 {
                let what = "none of its certificates can be used as a CA".to_owned();
                return Err(TlsError::Content { path: path.to_owned(), what });
            }
            trusted.certificates.extend(certificates);
        }
        for path in files(folder)? {
            let Ok(text) = fs::read(&path) else { continue };
            let found: Vec<_> = CertificateDer::pem_slice_iter(&text).flatten().collect();
            // Not a certificate: c_rehash folders hold revocation lists and notes as well.
            let _ = trusted.roots.add_parsable_certificates(found.iter().cloned());
            trusted.certificates.extend(found);
        }
        Ok(trusted)
    }
}

/// The revocation lists of a folder, in PEM or DER.
pub(super) fn revocation_lists(folder: Option<&Path>) -> Result<Vec<CertRevocationList<'static>>, TlsError> {
    let mut lists = Vec::new();
    for path in files(folder)? {
        let Ok(bytes) = fs::read(&path) else { continue };
        let mut found: Vec<Vec<u8>> = CertificateRevocationListDer::pem_slice_iter(&bytes)
            .flatten()
            .map(|list| list.to_vec())
            .collect();
        if found.is_empty() && bytes.first() == Some(&0x30) {
            found.push(bytes);
        }
        for list in found {
            let parsed = OwnedCertRevocationList::from_der(&list).map_err(|error| TlsError::Content {
                path: path.clone(),
                what: format!("its revocation list cannot be read: {error:?}"),
            })?;
            lists.push(CertRevocationList::Owned(parsed));
        }
    }
    Ok(lists)
}

/// The files of a folder, in order of their names. A link and what it leads to (`c_rehash`) count once.
fn files(folder: Option<&Path>) -> Result<Vec<PathBuf>, TlsError> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let failed = |source| TlsError::Read { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)?.take(FILES_MAX) {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            paths.push(fs::canonicalize(&path).unwrap_or(path));
        }
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

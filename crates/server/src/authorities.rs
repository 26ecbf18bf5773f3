//! The authorities that our own HTTPS clients trust.
//!
//! In: a file with certificates, or none. Out: TLS settings of a client. Holds: nothing.
//! Limits: without a file the authorities of the machine are trusted; if it has none either, no certificate
//! is accepted.

use rustls::{
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// Files in which systems keep the certificates of the authorities that they trust.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Returns the file of the certificates that this machine trusts.
pub(crate) fn system() -> Option<PathBuf> {
    SYSTEM.iter().map(PathBuf::from).find(|path| path.exists())
}

/// Returns TLS settings that trust the certificates of a file, else those of the machine.
pub(crate) fn trusted(file: Option<&Path>) -> Result<TlsConfig, String> {
    let mut certificates = Vec::new();
    if let Some(path) = file.map(Path::to_owned).or_else(system) {
        let failed = |reason: String| format!("cannot read the certificates in {}: {reason}", path.display());
        let text = fs::read(&path).map_err(|error| failed(error.to_string()))?;
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            certificates.push(Certificate::from_der(&certificate).to_owned());
        }
        if certificates.is_empty() && file.is_some() {
            return Err(failed("there is none, in PEM".to_owned()));
        }
    }
    Ok(TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .build())
}

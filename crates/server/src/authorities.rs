//! The authorities that our own HTTPS clients trust.
//!
//! In: a file with certificates, or none. Out: TLS settings of a client. Holds: nothing.
//! Limits: without a file the authorities of the machine are trusted; if it has none either, no certificate
//! is accepted.

use rustls::{
    crypto::aws_lc_rs,
    pki_types::{
        CertificateDer,
        pem::{self, PemObject},
    },
};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// Files in which systems keep the certificates of the authorities that they trust.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// The file of trusted certificates that cannot be used, and why.
#[derive(Debug)]
pub(crate) struct TrustError {
    path: PathBuf,
    cause: TrustCause,
}

#[derive(Debug)]
enum TrustCause {
    Io(io::Error),
    /// Something in it is no PEM.
    Pem(pem::Error),
    /// There is nothing in PEM in it.
    Empty,
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read the certificates in {}: ", self.path.display())?;
        match &self.cause {
            TrustCause::Io(error) => error.fmt(f),
            TrustCause::Pem(error) => error.fmt(f),
            TrustCause::Empty => f.write_str("there is none, in PEM"),
        }
    }
}

impl std::error::Error for TrustError {}

/// Returns the file of the certificates that this machine trusts.
pub(crate) fn system() -> Option<PathBuf> {
    SYSTEM.iter().map(PathBuf::from).find(|path| path.exists())
}

/// Returns TLS settings that trust the certificates of a file, else those of the machine.
pub(crate) fn trusted(file: Option<&Path>) -> Result<TlsConfig, TrustError> {
    let mut certificates = Vec::new();
    if let Some(path) = file.map(Path::to_owned).or_else(system) {
        let failed = |cause| TrustError { path: path.clone(), cause };
        let text = fs::read(&path).map_err(|error| failed(TrustCause::Io(error)))?;
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate = certificate.map_err(|error| failed(TrustCause::Pem(error)))?;
            certificates.push(Certificate::from_der(&certificate).to_owned());
        }
        if certificates.is_empty() && file.is_some() {
            return Err(failed(TrustCause::Empty));
        }
    }
    Ok(TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .build())
}

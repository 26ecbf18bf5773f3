//! Certificates of trusted time-stamping authorities.
//!
//! In: PEM files, a certificate and those sent with it. Out: whether it leads to one of the roots and is for time-
//! stamps.
//! Limits: revocation is not checked; the certificate is checked at the time that it vouches for.

use crate::der;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use std::{fmt, fs, io, path::Path, time::Duration};
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, anchor_from_trusted_cert};

/// `id-kp-timeStamping`, 1.3.6.1.5.5.7.3.8.
const FOR_TIME_STAMPS: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 8];

/// Trusted certificates.
#[derive(Clone, Debug)]
pub struct StampRoots(Vec<TrustAnchor<'static>>);

/// The reason why a file has no usable certificates.
#[derive(Debug)]
pub enum StampRootsError {
    /// It cannot be read.
    Io(io::Error),
    /// It holds no certificate in PEM, or an unsupported one.
    NoCertificate,
}

impl fmt::Display for StampRootsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StampRootsError::Io(error) => error.fmt(f),
            StampRootsError::NoCertificate => {
                f.write_str("there is no certificate in PEM that can be trusted")
            }
        }
    }
}

impl std::error::Error for StampRootsError {}

impl StampRoots {
    /// Reads a file of certificates.
    pub fn load(path: &Path) -> Result<StampRoots, StampRootsError> {
        let text = fs::read_to_string(path).map_err(StampRootsError::Io)?;
        StampRoots::parse(&text).ok_or(StampRootsError::NoCertificate)
    }

    /// Reads the text of such a file.
    pub fn parse(text: &str) -> Option<StampRoots> {
        let anchor = |body: Vec<u8>| {
            let certificate = CertificateDer::from(body);
            anchor_from_trusted_cert(&certificate).ok().map(|anchor| anchor.to_owned())
        };
        let anchors: Option<Vec<_>> = der::pems(text, "CERTIFICATE").into_iter().map(anchor).collect();
        anchors.filter(|anchors| !anchors.is_empty()).map(StampRoots)
    }

    /// Returns true when a certificate leads to one of these roots.
    pub(super) fn lead_to<'a>(
        &self,
        certificate: &[u8],
        others: impl Iterator<Item = &'a [u8]>,
        at_us: i64,
    ) -> bool {
        let certificate = CertificateDer::from(certificate);
        let Ok(certificate) = EndEntityCert::try_from(&certificate) else { return false };
        let others: Vec<CertificateDer<'_>> = others.map(CertificateDer::from).collect();
        let Ok(at_us) = u64::try_from(at_us) else { return false };
        let time = UnixTime::since_unix_epoch(Duration::from_micros(at_us));
        let usage = KeyUsage::required(FOR_TIME_STAMPS);
        certificate.verify_for_usage(ALL_VERIFICATION_ALGS, &self.0, &others, time, usage, None, None).is_ok()
    }
}

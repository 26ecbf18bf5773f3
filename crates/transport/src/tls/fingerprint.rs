//! Fingerprints of certificates: `SHA256:AB:CD:...`.
//!
//! In: text of a configuration, certificates. Out: whether they are the same. Holds: one hash.
//! Limits: SHA-1 is read because old configurations have it; it does not protect against a made certificate.

use aws_lc_rs::digest::{self, Algorithm};
use std::{fmt, str::FromStr};

/// The hash of a certificate.
#[derive(Clone, PartialEq, Eq)]
pub struct Fingerprint {
    name: &'static str,
    hash: Vec<u8>,
}

/// Names as they are written, and their algorithms.
const HASHES: &[(&str, &Algorithm)] = &[
    ("SHA1", &digest::SHA1_FOR_LEGACY_USE_ONLY),
    ("SHA256", &digest::SHA256),
    ("SHA384", &digest::SHA384),
    ("SHA512", &digest::SHA512),
];

impl Fingerprint {
    /// The SHA-256 fingerprint of a certificate.
    pub fn of(certificate: &[u8]) -> Fingerprint {
        Fingerprint { name: "SHA256", hash: digest::digest(&digest::SHA256, certificate).as_ref().to_vec() }
    }

    /// Returns whether this is the fingerprint of a certificate, given in DER.
    pub fn fits(&self, certificate: &[u8]) -> bool {
        let algorithm = HASHES.iter().find(|(name, _)| *name == self.name).map(|(_, algorithm)| *algorithm);
        algorithm.is_some_and(|algorithm| digest::digest(algorithm, certificate).as_ref() == self.hash)
    }
}

/// The reason why a text is no fingerprint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseFingerprintError {
    text: String,
    defect: Defect,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Defect {
    NoColon,
    UnknownHash,
    OtherLetters,
    /// The hash of this name has that many bytes.
    Size(&'static str, usize),
}

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no fingerprint: ", self.text)?;
        match self.defect {
            Defect::NoColon => f.write_str("it has no colon"),
            Defect::UnknownHash => f.write_str("the hash is none of SHA1, SHA256, SHA384, SHA512"),
            Defect::OtherLetters => f.write_str("it has other letters"),
            Defect::Size(name, bytes) => write!(f, "{name} has {bytes} bytes"),
        }?;
        f.write_str("; write SHA256: and pairs of hexadecimal digits with colons")
    }
}

impl std::error::Error for ParseFingerprintError {}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Fingerprint, ParseFingerprintError> {
        let wrong = |defect| ParseFingerprintError { text: text.to_owned(), defect };
        let (name, digits) = text.split_once(':').ok_or_else(|| wrong(Defect::NoColon))?;
        let plain = name.to_ascii_uppercase().replace(['-', '_'], "");
        let (name, algorithm) =
            HASHES.iter().find(|(known, _)| *known == plain).ok_or_else(|| wrong(Defect::UnknownHash))?;
        let digits: String = digits.chars().filter(|letter| *letter != ':').collect();
        let pairs = digits.as_bytes().chunks(2).map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .filter(|pair| pair.len() == 2)
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        });
        let hash: Vec<u8> = pairs.collect::<Option<_>>().ok_or_else(|| wrong(Defect::OtherLetters))?;
        if hash.len() != algorithm.output_len() {
            return Err(wrong(Defect::Size(name, algorithm.output_len())));
        }
        Ok(Fingerprint { name, hash })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.hash.iter().try_for_each(|byte| write!(f, ":{byte:02X}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

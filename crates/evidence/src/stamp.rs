//! Time-stamps of RFC 3161: an authority states that a record existed at a time.
//!
//! In: the digest of a record, the answer of a time-stamping authority. Out: a request; the contents of the answer, and
//! whether its signature is valid under the included certificate, and that one under trusted certificates.
//! Limits: SHA-256 for the record; RSA or ECDSA with SHA-256, SHA-384 or SHA-512 for the signature; total.

mod roots;

pub use roots::{StampRoots, StampRootsError};

use crate::{
    der::{self, INTEGER, OCTET_STRING, OID, SEQUENCE, Value, Values},
    digest::Digest,
};
use aws_lc_rs::{
    digest, rand,
    signature::{self, UnparsedPublicKey, VerificationAlgorithm},
};
use jiff::civil::DateTime;

const SET: u8 = 0x31;
const BOOLEAN: u8 = 1;
const NULL: u8 = 5;
const TIME: u8 = 0x18;
const CONTEXT_0: u8 = 0xa0;

const OID_SHA256: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
const OID_SHA384: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2];
const OID_SHA512: &[u8] = &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3];
const OID_TST_INFO: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x10, 1, 4];
const OID_MESSAGE_DIGEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4];
const OID_CONTENT_TYPE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 3];
const CURVE_P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const CURVE_P384: &[u8] = &[0x2b, 0x81, 4, 0, 0x22];

/// The contents of a time-stamp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Digest of the bytes that were stamped.
    pub digest: Digest,
    /// When, microseconds since 1970, by the authority's clock.
    pub at_us: i64,
    pub(crate) nonce: Option<Vec<u8>>,
}

/// The reason why an answer is no time-stamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StampError {
    /// The authority refused.
    Refused,
    /// The answer is malformed.
    Malformed,
    /// It answers a different request.
    OtherQuestion,
    /// The signature does not hold.
    BadSignature,
    /// The certificate of the authority does not lead to a trusted one, or is not for time-stamps.
    Untrusted,
}

impl std::fmt::Display for StampError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StampError::Refused => "the time-stamping authority refused",
            StampError::Malformed => "the answer of the time-stamping authority is not understood",
            StampError::OtherQuestion => "the time-stamp is for something else",
            StampError::BadSignature => "the signature of the time-stamp is wrong",
            StampError::Untrusted => {
                "the certificate of the time-stamping authority is not one that is trusted for time-stamps"
            }
        })
    }
}

impl std::error::Error for StampError {}

/// A request for a time-stamp.
pub struct StampRequest {
    digest: Digest,
    nonce: Vec<u8>,
}

impl StampRequest {
    /// A request for a digest, with a number that was drawn for it.
    pub fn new(digest: Digest) -> Option<StampRequest> {
        let mut nonce = vec![0; 8];
        rand::fill(&mut nonce).ok()?;
        // A positive number without leading zeros, as DER requires.
        nonce[0] = nonce[0] & 0x7f | 0x40;
        Some(StampRequest { digest, nonce })
    }

    /// Encodes the request for sending, `application/timestamp-query`. It asks for the authority's certificate.
    pub fn encode(&self) -> Vec<u8> {
        debug_assert!(
            (0x40..0x80).contains(&self.nonce[0]),
            "a negative number, or one with zeros before it"
        );
        let algorithm = der::value(SEQUENCE, &[der::value(OID, OID_SHA256), der::value(NULL, &[])].concat());
        let imprint = der::value(SEQUENCE, &[algorithm, der::value(OCTET_STRING, &self.digest.0)].concat());
        let parts = [
            der::value(INTEGER, &[1]),
            imprint,
            der::value(INTEGER, &self.nonce),
            der::value(BOOLEAN, &[0xff]),
        ];
        der::value(SEQUENCE, &parts.concat())
    }

    /// Checks that an answer is a time-stamp for this request; returns it.
    pub fn check(&self, answer: &[u8]) -> Result<Stamp, StampError> {
        let stamp = Stamp::read(answer)?;
        if stamp.digest != self.digest || stamp.nonce.as_ref() != Some(&self.nonce) {
            return Err(StampError::OtherQuestion);
        }
        Ok(stamp)
    }
}

impl Stamp {
    /// Reads an answer (a `TimeStampResp`) and checks its signature.
    pub fn read(answer: &[u8]) -> Result<Stamp, StampError> {
        Stamp::read_under(answer, None)
    }

    /// The same; when there are roots, the certificate that signed must lead to one of them, as it was when it signed.
    pub fn read_under(answer: &[u8], roots: Option<&StampRoots>) -> Result<Stamp, StampError> {
        let mut response = Values(answer).enter(SEQUENCE).ok_or(StampError::Malformed)?;
        let status = response.enter(SEQUENCE).and_then(|mut status| status.tagged(INTEGER));
        match status.map(|status| status.body) {
            Some([0 | 1]) => {}
            Some(_) => return Err(StampError::Refused),
            None => return Err(StampError::Malformed),
        }
        let token = Token::read(&mut response).ok_or(StampError::Malformed)?;
        let stamp = token.stamp().ok_or(StampError::Malformed)?;
        let signer = token.signer_certificate().ok_or(StampError::BadSignature)?;
        let others = token.certificates.iter().map(|certificate| certificate.whole);
        if roots.is_some_and(|roots| !roots.lead_to(signer, others, stamp.at_us)) {
            return Err(StampError::Untrusted);
        }
        Ok(stamp)
    }
}

/// The parts of a signed token.
struct Token<'a> {
    /// The statement that is signed.
    content: &'a [u8],
    certificates: Vec<Value<'a>>,
    signer: Values<'a>,
}

impl<'a> Token<'a> {
    fn read(response: &mut Values<'a>) -> Option<Token<'a>> {
        let mut info = response.enter(SEQUENCE)?;
        info.tagged(OID)?;
        let mut data = info.enter(CONTEXT_0)?.enter(SEQUENCE)?;
        data.tagged(INTEGER)?;
        data.tagged(SET)?;
        let mut content = data.enter(SEQUENCE)?;
        if content.tagged(OID)?.body != OID_TST_INFO {
            return None;
        }
        let content = content.enter(CONTEXT_0)?.tagged(OCTET_STRING)?.body;
        let certificates = data.tagged(CONTEXT_0).map_or(Vec::new(), |set| Values(set.body).collect());
        data.tagged(0xa1);
        let signer = data.enter(SET)?.enter(SEQUENCE)?;
        Some(Token { content, certificates, signer })
    }

    fn stamp(&self) -> Option<Stamp> {
        let mut info = Values(self.content).enter(SEQUENCE)?;
        info.tagged(INTEGER)?;
        info.tagged(OID)?;
        let mut imprint = info.enter(SEQUENCE)?;
        if imprint.enter(SEQUENCE)?.tagged(OID)?.body != OID_SHA256 {
            return None;
        }
        let digest = Digest(imprint.tagged(OCTET_STRING)?.body.try_into().ok()?);
        info.tagged(INTEGER)?;
        let at_us = time(info.tagged(TIME)?.body)?;
        info.tagged(SEQUENCE);
        info.tagged(BOOLEAN);
        let nonce = info.tagged(INTEGER).map(|nonce| nonce.body.to_vec());
        Some(Stamp { digest, at_us, nonce })
    }

    /// Returns the signer's certificate, when its statement covers the content.
    fn signer_certificate(&self) -> Option<&'a [u8]> {
        let mut signer = self.signer.clone();
        signer.tagged(INTEGER)?;
        // Issuer and serial number, or a key identifier: every certificate is tried.
        signer.next()?;
        let algorithm = signer.enter(SEQUENCE)?.tagged(OID)?.body;
        let attributes = signer.tagged(CONTEXT_0)?;
        let mut has_digest = false;
        let mut has_type = false;
        for attribute in Values(attributes.body) {
            let mut parts = Values(attribute.body);
            let name = parts.tagged(OID)?.body;
            let mut values = parts.enter(SET)?;
            match name {
                OID_MESSAGE_DIGEST => {
                    has_digest = values.tagged(OCTET_STRING)?.body == hash(algorithm, self.content)?.as_ref();
                }
                OID_CONTENT_TYPE => has_type = values.tagged(OID)?.body == OID_TST_INFO,
                _ => {}
            }
        }
        signer.tagged(SEQUENCE)?;
        let signature = signer.tagged(OCTET_STRING)?.body;
        // The signed bytes have the tag of a set.
        let mut signed = attributes.whole.to_vec();
        *signed.first_mut()? = SET;
        let verifies = |certificate: &Value<'_>| {
            let spki = der::certificate_spki(certificate.whole)?;
            let key = der::spki_key(spki)?;
            let public = UnparsedPublicKey::new(verification(spki, algorithm)?, key);
            Some(public.verify(&signed, signature).is_ok())
        };
        let signer = self.certificates.iter().find(|certificate| verifies(certificate) == Some(true))?;
        (has_digest && has_type).then_some(signer.whole)
    }
}

fn hash(algorithm: &[u8], bytes: &[u8]) -> Option<digest::Digest> {
    let algorithm = match algorithm {
        OID_SHA256 => &digest::SHA256,
        OID_SHA384 => &digest::SHA384,
        OID_SHA512 => &digest::SHA512,
        _ => return None,
    };
    Some(digest::digest(algorithm, bytes))
}

fn verification(spki: &[u8], hash: &[u8]) -> Option<&'static dyn VerificationAlgorithm> {
    let is_rsa = der::spki_algorithm(spki)? == der::OID_RSA;
    let curve = if is_rsa { &[] } else { der::spki_curve(spki)? };
    Some(match (is_rsa, curve, hash) {
        (true, _, OID_SHA256) => &signature::RSA_PKCS1_2048_8192_SHA256,
        (true, _, OID_SHA384) => &signature::RSA_PKCS1_2048_8192_SHA384,
        (true, _, OID_SHA512) => &signature::RSA_PKCS1_2048_8192_SHA512,
        (_, CURVE_P256, OID_SHA256) => &signature::ECDSA_P256_SHA256_ASN1,
        (_, CURVE_P256, OID_SHA384) => &signature::ECDSA_P256_SHA384_ASN1,
        (_, CURVE_P384, OID_SHA256) => &signature::ECDSA_P384_SHA256_ASN1,
        (_, CURVE_P384, OID_SHA384) => &signature::ECDSA_P384_SHA384_ASN1,
        _ => return None,
    })
}

/// `YYYYMMDDhhmmss[.f]Z`.
fn time(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() != 14 || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let number = |from: usize, to: usize| whole[from..to].parse::<i8>().ok();
    let year = whole[..4].parse::<i16>().ok()?;
    let time = DateTime::new(
        year,
        number(4, 6)?,
        number(6, 8)?,
        number(8, 10)?,
        number(10, 12)?,
        number(12, 14)?,
        0,
    );
    let seconds = time.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second();
    let micros: i64 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    seconds.checked_mul(1_000_000)?.checked_add(micros)
}

#[cfg(test)]
mod tests;

//! As much of DER and PEM as keys, certificates and time-stamps need.
//!
//! In: bytes of files and of time-stamping servers. Out: their parts. Holds nothing.
//! Limits: total: unknown structures yield `None`. Lengths above 4 bytes do not occur. Why no library is used:
//! `docs/decisions/014-time-stamps-read-by-us.md`.

use base64::{Engine, engine::general_purpose::STANDARD};

/// Object identifiers, their contents only.
pub(crate) const OID_ED25519: &[u8] = &[0x2b, 0x65, 0x70];
pub(crate) const OID_RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
pub(crate) const OID_EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];

pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const INTEGER: u8 = 2;
pub(crate) const BIT_STRING: u8 = 3;
pub(crate) const OCTET_STRING: u8 = 4;
pub(crate) const OID: u8 = 6;

/// One value: its tag, its contents, and the bytes of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
    pub(crate) whole: &'a [u8],
}

/// Reads values one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Values<'a>(pub(crate) &'a [u8]);

impl<'a> Values<'a> {
    /// Reads the next value if it has a tag; otherwise nothing is consumed.
    pub(crate) fn tagged(&mut self, tag: u8) -> Option<Value<'a>> {
        let next = self.clone().next()?;
        if next.tag != tag {
            return None;
        }
        self.next()
    }

    /// Enters a value of a tag: returns the values inside.
    pub(crate) fn enter(&mut self, tag: u8) -> Option<Values<'a>> {
        self.tagged(tag).map(|value| Values(value.body))
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        let bytes = self.0;
        let (tag, short) = (*bytes.first()?, *bytes.get(1)?);
        let (length, start) = match short {
            0..=0x7f => (usize::from(short), 2),
            0x81..=0x84 => {
                let digits = bytes.get(2..2 + usize::from(short & 0x7f))?;
                let length = digits.iter().fold(0, |length, byte| 256 * length + usize::from(*byte));
                (length, 2 + digits.len())
            }
            _ => return None,
        };
        let end = start.checked_add(length)?;
        let value = Value { tag, body: bytes.get(start..end)?, whole: &bytes[..end] };
        self.0 = &bytes[end..];
        Some(value)
    }
}

/// A value of a tag.
pub(crate) fn value(tag: u8, body: &[u8]) -> Vec<u8> {
    assert!(body.len() <= u32::MAX as usize, "a value of {} bytes", body.len());
    let length = body.len() as u32;
    let digits = length.to_be_bytes();
    let mut out = vec![tag];
    match length {
        0..0x80 => out.push(length as u8),
        _ => {
            let zeros = (length.leading_zeros() / 8) as usize;
            out.push(0x80 + (4 - zeros) as u8);
            out.extend_from_slice(&digits[zeros..]);
        }
    }
    out.extend_from_slice(body);
    out
}

/// The first block of PEM text that has this label.
pub(crate) fn pem(text: &str, label: &str) -> Option<Vec<u8>> {
    pems(text, label).into_iter().next()
}

/// All blocks of PEM text that have this label.
pub(crate) fn pems(text: &str, label: &str) -> Vec<Vec<u8>> {
    let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
    let blocks = text.split(&begin).skip(1).filter_map(|rest| rest.split_once(&end));
    let bodies = blocks.map(|(body, _)| body.split_ascii_whitespace().collect::<String>());
    bodies.filter_map(|body| STANDARD.decode(body).ok()).collect()
}

/// PEM text.
pub(crate) fn to_pem(label: &str, body: &[u8]) -> String {
    let digits = STANDARD.encode(body);
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in digits.as_bytes().chunks(64) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

/// The algorithm of a public key.
pub(crate) fn spki_algorithm(spki: &[u8]) -> Option<&[u8]> {
    Some(Values(spki).enter(SEQUENCE)?.enter(SEQUENCE)?.tagged(OID)?.body)
}

/// The second identifier of a public key's algorithm: its curve.
pub(crate) fn spki_curve(spki: &[u8]) -> Option<&[u8]> {
    let mut algorithm = Values(spki).enter(SEQUENCE)?.enter(SEQUENCE)?;
    algorithm.tagged(OID)?;
    Some(algorithm.tagged(OID)?.body)
}

/// The key inside a public key's structure.
pub(crate) fn spki_key(spki: &[u8]) -> Option<&[u8]> {
    let mut parts = Values(spki).enter(SEQUENCE)?;
    parts.tagged(SEQUENCE)?;
    parts.tagged(BIT_STRING)?.body.get(1..)
}

/// The public key of a certificate.
pub(crate) fn certificate_spki(certificate: &[u8]) -> Option<&[u8]> {
    let mut parts = Values(certificate).enter(SEQUENCE)?.enter(SEQUENCE)?;
    parts.tagged(0xa0);
    parts.tagged(INTEGER)?;
    // Signature algorithm, issuer, validity, subject.
    (0..4).try_for_each(|_| parts.tagged(SEQUENCE).map(|_| ()))?;
    Some(parts.tagged(SEQUENCE)?.whole)
}

#[cfg(test)]
mod tests;

//! The identity in a certificate: its subject, as people and `trusted-dn()` write it, and its validity.
//!
//! In: a certificate in DER. Out: [`Identity`]. Total: a malformed one yields what could be read.
//! Limits: [`PARTS_MAX`] parts of a name; further ones are left out.

mod der;

use self::der::{Element, Elements};
use super::{error::TlsError, material::certificates};
use std::path::Path;
use webpki::EndEntityCert;

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const VERSION: u8 = 0xa0;

/// Most parts of a subject that are read.
const PARTS_MAX: usize = 64;

/// Object identifiers of the parts of a name, and how they are written.
const PARTS: &[(&[u8], &str)] = &[
    (&[0x55, 4, 3], "CN"),
    (&[0x55, 4, 4], "SN"),
    (&[0x55, 4, 5], "serialNumber"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 9], "street"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x55, 4, 12], "title"),
    (&[0x55, 4, 42], "GN"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1], "UID"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25], "DC"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1], "emailAddress"),
];

/// The identity in a certificate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// The parts of the subject in the order of the certificate: `("CN", "host.example")`.
    parts: Vec<(String, String)>,
}

impl Identity {
    /// Reads the subject of a certificate.
    pub fn of(certificate: &[u8]) -> Identity {
        Identity { parts: subject(certificate).map(parts).unwrap_or_default() }
    }

    /// The last part of a kind: the common name is `CN`.
    pub fn part(&self, kind: &str) -> Option<&str> {
        self.parts.iter().rev().find(|(known, _)| known == kind).map(|(_, value)| value.as_str())
    }

    /// `CN=host, OU=Logs, O=Example, C=HU`: the innermost part first, as `trusted-dn()` has it.
    pub fn distinguished_name(&self) -> String {
        let shown = self.parts.iter().rev().map(|(kind, value)| format!("{kind}={}", escaped(value)));
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the validity of the first certificate of a file, in seconds since 1970; `None` when it cannot be read.
pub fn lifetime(file: &Path) -> Result<Option<(i64, i64)>, TlsError> {
    Ok(certificates(file)?.first().and_then(|certificate| validity(certificate)))
}

/// The names of machines that the first certificate of a file is for; some begin with `*.`.
pub fn dns_names(file: &Path) -> Result<Vec<String>, TlsError> {
    let certificates = certificates(file)?;
    let parsed = certificates.first().and_then(|certificate| EndEntityCert::try_from(certificate).ok());
    Ok(parsed.iter().flat_map(|certificate| certificate.valid_dns_names()).map(str::to_owned).collect())
}

/// Returns the validity of a certificate, in seconds since 1970.
pub(super) fn validity(certificate: &[u8]) -> Option<(i64, i64)> {
    let validity = fields(certificate)?.nth(3)?;
    let mut times = Elements(validity.content);
    Some((seconds(times.next()?)?, seconds(times.next()?)?))
}

/// `YYMMDDhhmmssZ` or, with the other tag, `YYYYMMDDhhmmssZ`.
fn seconds(time: Element<'_>) -> Option<i64> {
    const UTC_TIME: u8 = 0x17;
    let text = std::str::from_utf8(time.content).ok()?.strip_suffix('Z')?;
    let (century, rest) = match time.tag {
        UTC_TIME => (if text.get(..2)?.parse::<u8>().ok()? < 50 { "20" } else { "19" }, text),
        _ => (text.get(..2)?, text.get(2..)?),
    };
    let civil = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", format!("{century}{rest}")).ok()?;
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// The subject's bytes.
fn subject(certificate: &[u8]) -> Option<&[u8]> {
    let subject = fields(certificate)?.nth(4)?;
    (subject.tag == SEQUENCE).then_some(subject.content)
}

/// Serial number, signature algorithm, issuer, validity, subject, ...
fn fields(certificate: &[u8]) -> Option<Elements<'_>> {
    let whole = Elements(certificate).next_if(SEQUENCE)?;
    let body = Elements(whole.content).next_if(SEQUENCE)?;
    let mut fields = Elements(body.content);
    fields.next_if(VERSION);
    Some(fields)
}

fn parts(subject: &[u8]) -> Vec<(String, String)> {
    let sets = Elements(subject).filter(|element| element.tag == SET);
    let attributes = sets.flat_map(|set| Elements(set.content)).filter(|element| element.tag == SEQUENCE);
    let read = attributes.filter_map(|attribute| {
        let mut fields = Elements(attribute.content);
        let kind = fields.next()?.content;
        Some((kind_name(kind), text(fields.next()?)))
    });
    read.take(PARTS_MAX).collect()
}

fn kind_name(oid: &[u8]) -> String {
    match PARTS.iter().find(|(known, _)| *known == oid) {
        Some((_, name)) => (*name).to_owned(),
        None => dotted(oid),
    }
}

/// `1.2.840...`
fn dotted(oid: &[u8]) -> String {
    let mut numbers: Vec<u64> = Vec::new();
    let mut number = 0_u64;
    for byte in oid {
        number = number.wrapping_shl(7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if numbers.is_empty() {
                let first = (number / 40).min(2);
                numbers.push(first);
                number -= first * 40;
            }
            numbers.push(number);
            number = 0;
        }
    }
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

/// The text of a value: UTF-8, UTF-16, or Latin-1 for the rest.
fn text(value: Element<'_>) -> String {
    const UTF8: u8 = 0x0c;
    const BMP: u8 = 0x1e;
    match value.tag {
        UTF8 => String::from_utf8_lossy(value.content).into_owned(),
        BMP => {
            let units = value.content.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        _ => match std::str::from_utf8(value.content) {
            Ok(text) => text.to_owned(),
            Err(_) => value.content.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

/// Escapes a value as in RFC 2253: characters that could end a part get a backslash.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    for (index, letter) in value.chars().enumerate() {
        let at_edge = (letter == ' ' && (index == 0 || index == last)) || (letter == '#' && index == 0);
        if at_edge || matches!(letter, ',' | '+' | '"' | '\\' | '<' | '>' | ';') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests;

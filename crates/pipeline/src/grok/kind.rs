//! Types of the values that patterns set: `%{INT:bytes:int}`.
//!
//! In: the name of a type; the bytes of a value. Out: the value with that type, if it can be read as such. Holds
//! nothing.
//! Limits: whole numbers of 64 bits.

use crate::parser::Writer;
use message::ValueKind;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Text,
    Integer,
    Real,
    Truth,
}

impl Kind {
    pub(super) fn from_name(name: &str) -> Option<Kind> {
        Some(match name {
            "int" | "integer" | "long" => Kind::Integer,
            "float" | "double" => Kind::Real,
            "boolean" => Kind::Truth,
            "string" => Kind::Text,
            _ => return None,
        })
    }

    /// Writes a value. A number is read from the start of the text: `2.5` is the integer 2; other text stays text.
    pub(super) fn give(self, name: &[u8], value: &[u8], out: &mut Writer<'_>) {
        let bare = value.strip_prefix(b"+").unwrap_or(value);
        let (length, kind) = match self {
            Kind::Text => (0, ValueKind::String),
            Kind::Integer => (whole(bare), ValueKind::Integer),
            Kind::Real => (real(bare), ValueKind::Double),
            Kind::Truth => {
                (if matches!(bare, b"true" | b"false") { bare.len() } else { 0 }, ValueKind::Boolean)
            }
        };
        match length {
            0 => out.set(name, value, ValueKind::String),
            _ => out.set(name, &bare[..length], kind),
        }
    }
}

/// Returns the length of a whole number of 64 bits at the start.
fn whole(text: &[u8]) -> usize {
    let sign = usize::from(text.starts_with(b"-"));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..sign + digits]).unwrap_or_default();
    if number.parse::<i64>().is_ok() { sign + digits } else { 0 }
}

/// Returns the length of a number with an optional fraction and exponent at the start.
fn real(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(text.starts_with(b"-"));
    let mut end = sign + digits(sign);
    if text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if end == sign {
        return 0;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let signed = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        let exponent = if signed <= text.len() { digits(signed) } else { 0 };
        end = if exponent > 0 { signed + exponent } else { end };
    }
    end
}

//! Types of rendered values: hints in the configuration, and which texts are values of a type.
//!
//! In: the name of a hint; texts. Out: the type; the number or the truth that a text means. Limits: none.

use message::ValueKind;

/// The type of a template, as the configuration declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TypeHint {
    /// A type of a value.
    Kind(ValueKind),
    /// JSON text that is printed unchanged.
    Literal,
}

/// The names of hints, for messages to users.
pub const HINT_NAMES: [&str; 13] = [
    "string", "int", "int32", "int64", "double", "boolean", "datetime", "list", "json", "null", "bytes",
    "literal", "float",
];

impl TypeHint {
    /// Returns the hint of a name.
    pub fn from_name(name: &str) -> Option<TypeHint> {
        Some(TypeHint::Kind(match name {
            "string" => ValueKind::String,
            "int" | "int32" | "int64" | "integer" => ValueKind::Integer,
            "double" | "float" => ValueKind::Double,
            "boolean" | "bool" => ValueKind::Boolean,
            "datetime" => ValueKind::Datetime,
            "list" => ValueKind::List,
            "json" => ValueKind::Json,
            "null" => ValueKind::Null,
            "bytes" | "protobuf" => ValueKind::Bytes,
            "literal" => return Some(TypeHint::Literal),
            _ => return None,
        }))
    }

    /// Returns true when a text is a valid value of this type.
    pub fn fits(self, text: &[u8]) -> bool {
        let TypeHint::Kind(kind) = self else { return true };
        match kind {
            ValueKind::Integer => integer(text).is_some(),
            ValueKind::Double => std::str::from_utf8(text)
                .is_ok_and(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite)),
            ValueKind::Boolean => truth(text).is_some(),
            ValueKind::Datetime => {
                std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite))
            }
            _ => true,
        }
    }

    /// Returns the type of the value.
    pub fn kind(self) -> ValueKind {
        match self {
            TypeHint::Kind(kind) => kind,
            TypeHint::Literal => ValueKind::Json,
        }
    }
}

/// Reads a truth value as type hints allow it.
pub(crate) fn truth(text: &[u8]) -> Option<bool> {
    // Only the first letter counts, as in syslog-ng.
    match text.first()? {
        b'T' | b't' | b'1' => Some(true),
        b'F' | b'f' | b'0' => Some(false),
        _ => None,
    }
}

/// Parses an integer as type hints allow it: a sign, and decimal or `0x` digits.
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with(|first: char| first.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests;

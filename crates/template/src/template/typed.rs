//! Types of rendered values: hints in the configuration, and what rendering finds.
//!
//! In: the name of a hint. Out: the type. Limits: none.

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
            ValueKind::Integer => super::json::integer(text).is_some(),
            ValueKind::Double => std::str::from_utf8(text)
                .is_ok_and(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite)),
            ValueKind::Boolean => super::json::truth(text).is_some(),
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

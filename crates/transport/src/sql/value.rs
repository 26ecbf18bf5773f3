//! Values of rows.
//!
//! In: what a database returned. Out: the same, with its type. Holds: a value. Limits: those of the statement.

/// A value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number, of a signed or an unsigned column.
    Integer(i128),
    /// A number with a fraction, of limited precision.
    Double(f64),
    /// A truth.
    Boolean(bool),
    /// A text; also numbers of any precision, times, and all other types, as the database writes them.
    Text(String),
    /// Bytes that are no text.
    Bytes(Vec<u8>),
}

impl Value {
    /// Returns a whole number from its text, or the text.
    pub(super) fn integer(text: &str) -> Value {
        text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Integer)
    }

    /// Returns a number from its text, or the text.
    pub(super) fn double(text: &str) -> Value {
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map_or_else(|| Value::Text(text.to_owned()), Value::Double)
    }

    /// Returns about how many bytes it takes.
    pub fn size(&self) -> usize {
        let bytes = match self {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        size_of::<Value>() + bytes
    }

    /// Returns its bytes as a text, or as they are; none of NULL.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Value::Null => Vec::new(),
            Value::Integer(number) => number.to_string().into_bytes(),
            Value::Double(number) => format!("{number:?}").into_bytes(),
            Value::Boolean(truth) => truth.to_string().into_bytes(),
            Value::Text(text) => text.as_bytes().to_vec(),
            Value::Bytes(bytes) => bytes.clone(),
        }
    }
}

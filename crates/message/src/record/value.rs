//! Name-value pairs of a message: a linked list inside the batch.
//!
//! In: names, values, types. Out: the same. Limits: names are cut to 128 bytes by the code that creates them.

use super::Span;

/// The type of a value, as type hints and typed columns know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// Text.
    #[default]
    String = 0,
    /// A whole number in decimal.
    Integer = 1,
    /// A number with a fraction.
    Double = 2,
    /// `true` or `false`.
    Boolean = 3,
    /// Seconds since 1970 with a fraction.
    Datetime = 4,
    /// A quoted list.
    List = 5,
    /// JSON text.
    Json = 6,
    /// Nothing.
    Null = 7,
    /// Opaque bytes.
    Bytes = 8,
    /// Not a value: the name is a tag of the message.
    Tag = 9,
    /// The value was unset: it hides an older one of the same name.
    Unset = 10,
}

impl ValueKind {
    /// Returns the kind of a stored byte; `None` for a byte that no version wrote.
    pub fn from_byte(byte: u8) -> Option<ValueKind> {
        use ValueKind::*;
        [String, Integer, Double, Boolean, Datetime, List, Json, Null, Bytes, Tag, Unset]
            .get(byte as usize)
            .copied()
    }
}

/// One name-value pair in a batch's list.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Name of the field.
    pub name: Span,
    /// Its bytes.
    pub value: Span,
    /// Its type.
    pub kind: ValueKind,
    /// The next older pair of the same message, plus one; 0 at the end.
    pub(crate) next: u32,
}

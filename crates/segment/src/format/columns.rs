//! The numbers of column kinds and of the forms of their value ids in files.
//!
//! In: nothing. Out: the numbers. Limits: a number once assigned stays.

/// The kind of a column. The numbers are stored in files; those of fixed columns follow `Fixed`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Received = 1,
    Event = 2,
    /// Offset and quality of the event time.
    Zone = 3,
    TextStart = 4,
    TextTail = 5,
    /// The first of the fixed columns.
    Fixed = 16,
    /// A name-value pair.
    Named = 64,
}

/// How a column's value ids are stored. The number is stored in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Form {
    /// A value id, 0 for none, for every document.
    Dense = 0,
    /// Every document has a value: ordinals.
    Full = 1,
    /// The documents that have a value, then their ordinals.
    Sparse = 2,
}

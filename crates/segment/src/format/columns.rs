//! The kinds of columns and the forms of their places, as files number them.
//!
//! In: nothing. Out: the numbers. Limits: a number once given stays.

/// The kind of a column. The numbers stand in files; those of fixed columns follow `Fixed`.
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

/// How a column's places are kept. The number stands in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Form {
    /// A place, 0 for none, for every document.
    Dense = 0,
    /// Every document has a value: ordinals.
    Full = 1,
    /// The documents that have a value, then their ordinals.
    Sparse = 2,
}

//! Values of messages in the types that receivers have: numbers, times, lists.
//!
//! In: nothing. Out: types. Holds: nothing. Limits: none.

use crate::{Batch, Stamp, ValueKind};
use std::fmt;

/// A value in its type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypedValue<'a> {
    /// Text, in whatever character set it came.
    Text(&'a [u8]),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction, never an infinite one.
    Double(f64),
    /// True or false.
    Boolean(bool),
    /// Milliseconds since 1970.
    Datetime(i64),
    /// Texts.
    List(Vec<Vec<u8>>),
    /// JSON text, as it came: nobody has checked it.
    Json(&'a [u8]),
    /// No value.
    Null,
    /// Opaque bytes.
    Bytes(&'a [u8]),
}

/// A value that is not of its type, in a message that `on-error()` drops for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CastError {
    /// The name of the value.
    pub name: String,
    /// Its type.
    pub kind: ValueKind,
}

impl fmt::Display for CastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the value of {} is no {:?}", self.name, self.kind)
    }
}

/// Takes a value, and the parts of its name between dots.
pub type AddTyped<'f> = dyn FnMut(&[&[u8]], TypedValue<'_>) + 'f;

/// A selection of names and values of messages that keep their types.
pub trait RenderTyped: Send {
    /// Called before the messages of a batch. `now` is the time for `${C_...}` macros.
    fn begin(&mut self, now: Stamp);

    /// Calls `add` with each value, in the order of their names. What does not fit its type is dropped, or text, or an error,
    /// as `on-error()` says.
    fn typed_pairs(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        add: &mut AddTyped<'_>,
    ) -> Result<(), CastError>;
}

//! Filter expressions in templates: the conditions of `$(if ...)`, `$(grep ...)` and `$(filter ...)`.
//!
//! In: a message. Out: whether the condition is true for it. Holds nothing: this is the interface of filters.
//! Limits: none.

use crate::renderer::Renderer;
use message::Batch;
use std::fmt;

/// A compiled filter expression, seen from a template.
pub trait Condition: Send + Sync + fmt::Debug {
    /// Returns true when the condition is true for a message.
    fn holds(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool;
}

/// Error in the filter expression of `$(if ...)` and `$(grep ...)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConditionError {
    /// Byte of the expression at which it is wrong.
    pub offset: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {} of the expression)", self.reason, self.offset)
    }
}

impl std::error::Error for ConditionError {}

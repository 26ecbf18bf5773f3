//! The options of `python()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds: options
//! only. Limits: none.

use ::python::{Program, ValuesFactory};
use delivery::Batches;
use std::sync::Arc;

/// `python()`.
pub struct PythonTarget {
    /// The class, and how it is run.
    pub program: Arc<Program>,
    /// The values of messages that it gets.
    pub values: Arc<dyn ValuesFactory>,
    /// How messages are gathered. `retries` is unset: failed tries are counted here.
    pub batches: Batches,
    /// `retries()`: tries of a message at which user code fails.
    pub retries: u32,
}

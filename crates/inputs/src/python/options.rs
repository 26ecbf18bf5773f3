//! The options of `python()` and `python-fetcher()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the reader. Holds: options only.
//! Limits: none.

use ::python::{Program, ValuesFactory};
use std::sync::Arc;

/// `python()` or `python-fetcher()` as a source.
#[derive(Clone)]
pub struct PythonSource {
    /// The class, and how it is run.
    pub program: Arc<Program>,
    /// The values of messages that it wants to have read.
    pub values: Arc<dyn ValuesFactory>,
}

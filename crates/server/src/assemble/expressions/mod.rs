//! What is written as text and compiled: templates, patterns, filters, selections of values.

pub(crate) mod decoding;
pub(crate) mod filters;
pub(crate) mod multi_line;
pub(crate) mod patterns;
pub(crate) mod rendering;
pub(crate) mod templates;
pub(crate) mod value_pairs;

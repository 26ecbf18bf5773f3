//! Texts that are compiled: templates, patterns, filters, selections of values.
//!
//! Begin with `templates`. `rendering` fills templates in; `decoding` and `multi_line` read options that contain patterns.

pub(crate) mod decoding;
pub(crate) mod filters;
pub(crate) mod multi_line;
pub(crate) mod patterns;
pub(crate) mod rendering;
pub(crate) mod templates;
pub(crate) mod value_pairs;

//! Templates, filters and selections of values.

pub(crate) mod filters;
pub(crate) mod templates;
pub(crate) mod value_pairs;

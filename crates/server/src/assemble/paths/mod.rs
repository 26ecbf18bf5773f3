//! Log paths.

pub(crate) mod labels;
pub(crate) mod steps;
pub(crate) mod taps;

//! Families that test templates, filters and parsers one by one.
//!
//! In: the samples' folder. Out: a row for each set of samples.

pub(super) mod filters;
pub(super) mod grok;
pub(super) mod parsers;
pub(super) mod patterndb;
pub(super) mod templates;

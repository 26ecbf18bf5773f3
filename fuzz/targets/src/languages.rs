//! Targets that read what people write: configurations, queries, patterns, texts.

pub(crate) mod configuration;
pub(crate) mod convert;
pub(crate) mod parser;
pub(crate) mod patterndb;
pub(crate) mod question;

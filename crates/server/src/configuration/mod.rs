//! The verbs about a configuration file: `check`, `explain` and `convert`. Nothing of it is run.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod explain;

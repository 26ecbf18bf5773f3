//! Sources.

pub(crate) mod drivers;
pub(crate) mod journal;
pub(crate) mod text;

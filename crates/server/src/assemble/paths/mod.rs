//! Log paths: their steps, the named objects in them, and labels for tools that watch messages.

pub(crate) mod labels;
pub(crate) mod objects;
pub(crate) mod steps;

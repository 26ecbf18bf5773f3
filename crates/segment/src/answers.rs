//! What active and sealed segments do alike to answer.
//!
//! In: columns, templates and lists, whichever way a segment keeps them. Out: documents, counts. Limits: see each module.

pub(crate) mod column;
pub(crate) mod phrase;
pub(crate) mod words;

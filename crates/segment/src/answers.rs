//! The code that active and sealed segments share to answer queries.
//!
//! In: columns, templates and lists, however a segment stores them. Out: documents, counts. Limits: see each module.

pub(crate) mod column;
pub(crate) mod phrase;
pub(crate) mod words;

//! Searches on their way: started in turn, stopped when nobody waits for them, their rows sent as they are read.
//!
//! In: what was asked. Out: answers. Holds: rows that a client has not taken yet.

pub(crate) mod answer;
pub(crate) mod searching;
pub(crate) mod transfer;

//! Running searches: started in turn, stopped when their client has gone, with rows sent as they are read.
//!
//! In: requests. Out: answers. Holds: rows that a client has not read yet.

pub(crate) mod answer;
pub(crate) mod searching;
pub(crate) mod transfer;

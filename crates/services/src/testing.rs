//! Code shared by the tests of this crate.
//!
//! In: answers of a server. Out: a server that gives them. Holds: nothing. Limits: none.

pub(crate) mod requests;

pub(crate) use delivery::receiver_testing::*;

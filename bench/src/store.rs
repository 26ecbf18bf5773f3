//! The store, measured from a device's line to an answer: beside other engines, with many users, at several sizes.

mod compare;
mod count;
mod engine;
mod engines;
mod load;
mod plain;
mod questions;
mod report;
mod results;
pub(crate) mod scale;
pub(crate) mod users;

pub(crate) use compare::{Options, run};

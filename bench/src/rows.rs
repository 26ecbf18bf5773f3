//! The rows of throughput: log servers side by side.

mod corpus;
mod measure;
mod options;
mod outcome;
mod plot;
mod row;
mod run;
mod table;
mod traffic;
pub(crate) mod udp;
pub(crate) mod versus;

pub(crate) use options::Options;
pub(crate) use run::run;

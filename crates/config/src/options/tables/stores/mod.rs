//! The tables of destinations that store messages.

pub(super) mod hdfs;
pub(super) mod logspace;

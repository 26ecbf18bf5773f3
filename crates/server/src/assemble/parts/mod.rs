//! The parts that a configuration is made of when it runs.

pub(crate) mod chores;
pub(crate) mod database_file;
pub(crate) mod hook;
pub(crate) mod late_bound_outlet;

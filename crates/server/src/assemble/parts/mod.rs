//! The parts that a configuration consists of when it runs.
//!
//! Types that the other folders fill in and that the rest of the server takes over. None of them opens or starts anything.

pub(crate) mod chores;
pub(crate) mod counters;
pub(crate) mod database_file;
pub(crate) mod hook;
pub(crate) mod late_bound_outlet;
pub(crate) mod logspace;
pub(crate) mod page_spec;
pub(crate) mod source_draft;
pub(crate) mod table_file;

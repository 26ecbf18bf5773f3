//! The parts of a running configuration.
//!
//! The other modules fill these types in, and the rest of the server takes them. Making one opens and starts nothing;
//! the tables and databases are read by their owners.

pub(crate) mod counters;
pub(crate) mod database_file;
pub(crate) mod hook;
pub(crate) mod late_bound_outlet;
pub(crate) mod logspace;
pub(crate) mod page_spec;
pub(crate) mod periodic_tasks;
pub(crate) mod severity_lanes;
pub(crate) mod source_draft;
pub(crate) mod table_file;

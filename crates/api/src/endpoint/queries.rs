//! The calls that take a query.
//!
//! In: requests. Out: JSON. Holds nothing.

pub(crate) mod columns;
pub(crate) mod dashboards;
pub(crate) mod explain;
pub(crate) mod facets;
pub(crate) mod search;
pub(crate) mod validate;

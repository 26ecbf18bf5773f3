//! What the address of a request says.
//!
//! In: a path and a query. Out: the format of the body, and values. Holds: nothing. Limits: see each.

mod query;
mod route;

pub(super) use query::{Plus, decoded, pairs};
pub(super) use route::{Endpoint, Unrouted, endpoint};

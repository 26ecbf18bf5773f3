//! Everything that is known without asking: answers of a server, its state, the counters.
//!
//! Begin with `store`, which joins the others: `cache`, `breaker`, `counters`.

mod breaker;
mod cache;
mod counters;
mod store;

pub(crate) use breaker::Permission;
pub use cache::CacheLimits;
pub(crate) use cache::{Answer, Entry};
pub use counters::LookupCounts;
pub(crate) use counters::add;
pub(crate) use store::Known;
pub use store::LookupStore;

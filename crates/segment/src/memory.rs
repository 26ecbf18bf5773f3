//! Memory of large tables: recycled for the next segment, prefetched before its use.
//!
//! In: sizes, indexes. Out: vectors with capacity, prefetched cache lines. Limits: see each module.

mod fetch;
mod pages;

pub(crate) use fetch::prefetch;
pub use pages::release_spare_memory;
pub(crate) use pages::{Item, Spares, end_segment, filled, recycle, with_capacity};

//! What calls take and give, as JSON.
//!
//! In: types of `query`. Out: types that serialise as the manual says.

pub(crate) mod ids;
pub(crate) mod rows;
pub(crate) mod types;

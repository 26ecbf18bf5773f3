//! Requests and answers of calls, as JSON.
//!
//! In: types of `query` and `objects`. Out: types that serialise as documented in the manual.

pub(crate) mod alerts;
pub(crate) mod factor;
pub(crate) mod ids;
pub(crate) mod notifications;
pub(crate) mod objects;
pub(crate) mod rows;
pub(crate) mod rules;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod types;
pub(crate) mod users;

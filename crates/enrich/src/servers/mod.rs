//! Servers that keys are looked up at.
//!
//! Begin with `lane`, a connection as those who ask see it; then one file a kind of server; `backend` makes connections from what a
//! configuration says.

mod backend;
mod http;
mod lane;
mod redis;
mod sql;

pub use backend::{Backend, BackendServer};
#[cfg(test)]
pub(crate) use lane::Asking;
pub(crate) use lane::Lane;
pub use sql::{SqlQuery, SqlQueryError};

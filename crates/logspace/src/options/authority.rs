//! Who says when a record was there.
//!
//! In: a request. Out: an answer with the time. Limits: the caller waits for it.

use std::fmt;

/// Asks a time-stamping authority.
pub trait Authority: Send + Sync + fmt::Debug {
    /// Sends a request (`application/timestamp-query`) and gives the answer's bytes.
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, String>;
}

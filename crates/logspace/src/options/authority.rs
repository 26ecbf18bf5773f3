//! Time-stamping authorities.
//!
//! In: a request. Out: an answer with the time. Limits: the caller waits for it.

use std::{error::Error, fmt};

/// A time-stamping authority.
pub trait Authority: Send + Sync + fmt::Debug {
    /// Sends a request (`application/timestamp-query`) and returns the answer's bytes.
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, AuthorityError>;
}

/// The reason why a time-stamping authority gave no answer.
#[derive(Debug)]
pub struct AuthorityError {
    /// Its address.
    pub url: String,
    /// The fault of the connection, or of the answer.
    pub source: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for AuthorityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.url, self.source)
    }
}

impl Error for AuthorityError {}

//! The verdicts over connections that cannot be encrypted.
//!
//! In: errors. Out: failures. Holds: nothing. Limits: none.

use super::failure::Failure;
use std::error::Error;
use transport::endpoint::{self, OpenError};

/// Says what a failed handshake means, if it is one in which a side refused the other: someone has to do something.
pub(crate) fn refusal(error: &(dyn Error + 'static)) -> Option<Failure> {
    endpoint::refusal(error).map(|why| OpenError::Refused(why).into())
}

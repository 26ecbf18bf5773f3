//! The address of the page, from `--http`.
//!
//! In: a word of the command line. Out: an address with a port, or none. Holds nothing.

use std::{fmt, net::SocketAddr};

/// A value of `--http` that is neither an address with a port nor `none`.
#[derive(Debug)]
pub(crate) struct HttpAddressError(String);

impl fmt::Display for HttpAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let examples = "127.0.0.1:8514 or [::1]:8514";
        write!(f, "--http takes an address with a port such as {examples}, or none, not {:?}", self.0)
    }
}

impl std::error::Error for HttpAddressError {}

/// Parses `none`, or an address with a port.
pub(crate) fn http_address(text: &str) -> Result<Option<SocketAddr>, HttpAddressError> {
    match text {
        "none" => Ok(None),
        text => text.parse().map(Some).map_err(|_| HttpAddressError(text.to_owned())),
    }
}

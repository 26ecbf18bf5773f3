//! Connections to a server, for destinations.
//!
//! In: a server. Out: an open connection, or a verdict. Holds: nothing.
//! Limits: those of [`Endpoint`]; shorter once the destination is to stop.

use super::failure::Failure;
use delivery::{HoldReason, Verdict, patience};
use std::{future::Future, io};
use transport::{
    endpoint::{self, Endpoint, OpenError, Wire},
    tls::SenderTls,
};

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match error.is_refusal() {
            true => Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: error.to_string() },
            false => Failure::unreachable(error.to_string()),
        }
    }
}

/// Connects, and shakes hands if the connection is to be encrypted.
pub(crate) async fn open(server: &Endpoint) -> Result<Box<dyn Wire>, Failure> {
    Ok(server.open(patience).await?)
}

/// Connects, and leaves it to the caller to encrypt.
pub(crate) async fn open_in_clear(server: &Endpoint) -> Result<Box<dyn Wire>, Failure> {
    Ok(server.open_in_clear(patience).await?)
}

/// Encrypts an open connection.
pub(crate) async fn encrypt(
    server: &Endpoint,
    stream: Box<dyn Wire>,
    tls: &SenderTls,
) -> Result<Box<dyn Wire>, Failure> {
    Ok(server.encrypt(stream, tls, patience).await?)
}

/// Waits for a step of connecting: shorter once the destination is to stop.
pub(crate) async fn in_time<T>(step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    endpoint::in_time(patience, step).await
}

#[cfg(test)]
mod tests;

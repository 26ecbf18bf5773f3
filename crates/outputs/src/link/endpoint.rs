//! Connections to a server, for destinations.
//!
//! In: a server. Out: an open connection, or a verdict. Holds: nothing.
//! Limits: those of [`Endpoint`]; shorter once the destination is to stop.

use super::failure::Failure;
use delivery::patience;
use transport::{
    endpoint::{Endpoint, Wire},
    tls::SenderTls,
};

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

#[cfg(test)]
mod tests;

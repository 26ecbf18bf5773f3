//! Encrypted connections to servers, and the verdicts over those that fail.
//!
//! In: settings, errors. Out: connectors, failures. Holds: settings. Limits: who opens bounds the time.

use super::failure::Failure;
use std::{error::Error, io};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::client::TlsStream;
use transport::{
    endpoint::{self, OpenError},
    tls::SenderTls,
};

/// Makes connections encrypted.
#[derive(Clone)]
pub(crate) struct Connector(endpoint::Connector);

impl Connector {
    /// Reads the settings, unless that was done.
    pub(crate) fn of(tls: &SenderTls) -> Result<Connector, Failure> {
        endpoint::Connector::of(tls).map(Connector).map_err(|error| OpenError::Settings(error).into())
    }

    /// Shakes hands with the server of a name.
    pub(crate) async fn encrypt<S>(&self, host: &str, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.0.encrypt(host, stream).await
    }
}

/// Says what a failed handshake means, if it is one in which a side refused the other: someone has to do something.
pub(crate) fn refusal(error: &(dyn Error + 'static)) -> Option<Failure> {
    endpoint::refusal(error).map(|why| OpenError::Refused(why).into())
}

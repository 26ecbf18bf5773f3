//! A server, and a connection to it.
//!
//! In: what a configuration says about a server. Out: an open connection, encrypted if it is to be. Holds: nothing.
//! Limits: [`CONNECT_WITHIN`], for name, connection and TLS each; shorter once the destination is to stop.

use super::{
    failure::Failure,
    tls::{Connector, refusal},
};
use std::{
    future::Future,
    io,
    pin::pin,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, UnixStream},
    time::timeout,
};
use transport::tls::SenderTls;

/// Longest time to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Longest wait before a connection in the making looks whether its destination is to stop.
const STOP_SEEN_WITHIN: Duration = Duration::from_millis(100);

/// The two directions of a connection.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Wire for S {}

/// A server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// A name or an address; with a slash at its beginning, a unix socket.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// `tls()`; `None` does not encrypt.
    pub tls: Option<SenderTls>,
}

impl Endpoint {
    /// Connects, and shakes hands if the connection is to be encrypted.
    pub(crate) async fn open(&self) -> Result<Box<dyn Wire>, Failure> {
        let stream = self.open_in_clear().await?;
        match &self.tls {
            None => Ok(stream),
            Some(tls) => self.encrypt(stream, tls).await,
        }
    }

    /// Connects, and leaves it to the caller to encrypt.
    pub(crate) async fn open_in_clear(&self) -> Result<Box<dyn Wire>, Failure> {
        let failed = |error: io::Error| Failure::unreachable(error.to_string());
        if self.host.starts_with('/') {
            return Ok(Box::new(in_time(UnixStream::connect(&self.host)).await.map_err(failed)?));
        }
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let stream = in_time(connecting).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Box::new(stream))
    }

    /// Encrypts an open connection.
    pub(crate) async fn encrypt(
        &self,
        stream: Box<dyn Wire>,
        tls: &SenderTls,
    ) -> Result<Box<dyn Wire>, Failure> {
        let connector = Connector::of(tls)?;
        match in_time(connector.encrypt(&self.host, stream)).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => {
                Err(refusal(&error).unwrap_or_else(|| Failure::unreachable(format!("TLS: {error}"))))
            }
        }
    }
}

/// Waits for a step of connecting: shorter once the destination is to stop.
pub(crate) async fn in_time<T>(step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    by(Instant::now() + CONNECT_WITHIN, step).await
}

async fn by<T>(deadline: Instant, step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let mut step = pin!(step);
    loop {
        let left = delivery::patience(deadline);
        match timeout(left.min(STOP_SEEN_WITHIN), &mut step).await {
            Ok(result) => return result,
            Err(_) if left.is_zero() => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "cannot connect in time"));
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;

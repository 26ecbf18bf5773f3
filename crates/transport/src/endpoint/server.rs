//! A server that speaks a protocol of its own, and a connection to it.
//!
//! In: what a configuration says about a server. Out: an open connection, encrypted if it is to be. Holds: nothing.
//! Limits: [`CONNECT_WITHIN`], for name, connection and TLS each; shorter when who waits has less patience.

use super::connector::{Connector, refusal};
use crate::tls::{SenderTls, TlsError};
use std::{
    fmt,
    future::Future,
    io,
    pin::pin,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, WriteHalf},
    net::{TcpStream, UnixStream},
    time::timeout,
};

/// Longest time to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Longest wait before a connection in the making looks whether anybody still waits for it.
const STOP_SEEN_WITHIN: Duration = Duration::from_millis(100);

/// Returns how long a wait until a deadline may still last: a destination that is to stop has less patience.
pub type Patience = fn(Instant) -> Duration;

/// The patience of who is not stopped, or whose wait is dropped then.
pub fn until_deadline(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// The two directions of a connection.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Wire for S {}

/// Words of a server that its protocol does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Breach(pub &'static str);

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

/// The reason why there is no connection.
#[derive(Debug)]
pub enum OpenError {
    /// The server cannot be reached.
    Connect(io::Error),
    /// The connection broke while it was encrypted.
    Tls(io::Error),
    /// One side refused the other: someone has to do something.
    Refused(String),
    /// Certificates or keys cannot be read.
    Settings(TlsError),
}

impl OpenError {
    /// Returns whether nothing gets better by trying again: someone has to do something.
    pub fn is_refusal(&self) -> bool {
        matches!(self, OpenError::Refused(_) | OpenError::Settings(_))
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Connect(error) => error.fmt(f),
            OpenError::Tls(error) => write!(f, "TLS: {error}"),
            OpenError::Refused(why) => f.write_str(why),
            OpenError::Settings(error) => error.fmt(f),
        }
    }
}

impl Endpoint {
    /// Connects, and shakes hands if the connection is to be encrypted.
    pub async fn open(&self, patience: Patience) -> Result<Box<dyn Wire>, OpenError> {
        let stream = self.open_in_clear(patience).await?;
        match &self.tls {
            None => Ok(stream),
            Some(tls) => self.encrypt(stream, tls, patience).await,
        }
    }

    /// Connects, and leaves it to the caller to encrypt.
    pub async fn open_in_clear(&self, patience: Patience) -> Result<Box<dyn Wire>, OpenError> {
        if self.host.starts_with('/') {
            let connecting = in_time(patience, UnixStream::connect(&self.host));
            return Ok(Box::new(connecting.await.map_err(OpenError::Connect)?));
        }
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let stream = in_time(patience, connecting).await.map_err(OpenError::Connect)?;
        stream.set_nodelay(true).map_err(OpenError::Connect)?;
        Ok(Box::new(stream))
    }

    /// Encrypts an open connection.
    pub async fn encrypt(
        &self,
        stream: Box<dyn Wire>,
        tls: &SenderTls,
        patience: Patience,
    ) -> Result<Box<dyn Wire>, OpenError> {
        let connector = Connector::of(tls).map_err(OpenError::Settings)?;
        match in_time(patience, connector.encrypt(&self.host, stream)).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(refusal(&error).map_or(OpenError::Tls(error), OpenError::Refused)),
        }
    }
}

/// Writes some of the bytes; when there are none, those that were written leave the buffers.
pub async fn push(writing: &mut WriteHalf<Box<dyn Wire>>, bytes: &[u8]) -> io::Result<usize> {
    if bytes.is_empty() {
        return writing.flush().await.map(|()| 0);
    }
    match writing.write(bytes).await? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

/// Waits for a step of connecting.
pub async fn in_time<T>(patience: Patience, step: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    by(Instant::now() + CONNECT_WITHIN, patience, step).await
}

async fn by<T>(
    deadline: Instant,
    patience: Patience,
    step: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let mut step = pin!(step);
    loop {
        let left = patience(deadline);
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

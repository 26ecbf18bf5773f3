//! Encrypted connections to databases, with the settings of `tls()`.
//!
//! In: an open connection. Out: the same, encrypted, its server checked. Holds: settings. Limits: who opens bounds the time.

use super::failure::Failure;
use delivery::{HoldReason, Verdict};
use std::{
    error::Error,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, pki_types::ServerName},
};
use transport::tls::{SenderTls, describe};

/// Makes connections encrypted.
#[derive(Clone)]
pub(super) struct Connector(Arc<ClientConfig>);

impl Connector {
    /// Reads the settings, unless that was done.
    pub(super) fn of(tls: &SenderTls) -> Result<Connector, Failure> {
        match tls.settings() {
            Ok(settings) => Ok(Connector(settings.config().clone())),
            Err(error) => {
                Err(Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: error.to_string() })
            }
        }
    }

    /// Shakes hands with the server of a name.
    pub(super) async fn encrypt<S>(&self, host: &str, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a host"))?;
        TlsConnector::from(self.0.clone()).connect(name, stream).await
    }
}

/// Says what a failed handshake means, if it is one in which a side refused the other: someone has to do something.
pub(super) fn refusal(error: &(dyn Error + 'static)) -> Option<Failure> {
    let refused = error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(Failure {
        verdict: Verdict::Hold(HoldReason::Credentials),
        answer: format!("TLS: {}", describe(refused)),
    })
}

impl<S> MakeTlsConnect<S> for Connector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = ConnectorTo;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<ConnectorTo> {
        Ok(ConnectorTo { connector: self.clone(), host: host.to_owned() })
    }
}

/// A connector that knows the name of the server.
pub(super) struct ConnectorTo {
    connector: Connector,
    host: String,
}

impl<S> TlsConnect<S> for ConnectorTo
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.encrypt(&self.host, stream).await.map(Encrypted) })
    }
}

/// An encrypted connection to PostgreSQL.
pub(super) struct Encrypted<S>(TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

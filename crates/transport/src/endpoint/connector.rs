//! Encrypted connections to servers, with the settings of `tls()`.
//!
//! In: an open connection. Out: the same, encrypted, its server checked. Holds: settings. Limits: who opens bounds the time.

use crate::tls::{SenderTls, TlsError, describe};
use rustls::{ClientConfig, pki_types::ServerName};
use std::{error::Error, io, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Makes connections encrypted.
#[derive(Clone)]
pub struct Connector(Arc<ClientConfig>);

impl Connector {
    /// Reads the settings, unless that was done.
    pub fn of(tls: &SenderTls) -> Result<Connector, TlsError> {
        tls.settings().map(|settings| Connector(settings.config().clone()))
    }

    /// Shakes hands with the server of a name.
    pub async fn encrypt<S>(&self, host: &str, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a host"))?;
        TlsConnector::from(self.0.clone()).connect(name, stream).await
    }
}

/// Says what a failed handshake means, if it is one in which a side refused the other: someone has to do something.
pub fn refusal(error: &(dyn Error + 'static)) -> Option<String> {
    let refused = error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(format!("TLS: {}", describe(refused)))
}

//! Encrypted connections to servers, with the settings of `tls()`.
//!
//! In: an open connection. Out: the same, encrypted, its server checked. Holds: settings. Limits: who opens bounds the time.

use super::failure::Failure;
use delivery::{HoldReason, Verdict};
use std::{error::Error, io, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, pki_types::ServerName},
};
use transport::tls::{SenderTls, describe};

/// Makes connections encrypted.
#[derive(Clone)]
pub(crate) struct Connector(Arc<ClientConfig>);

impl Connector {
    /// Reads the settings, unless that was done.
    pub(crate) fn of(tls: &SenderTls) -> Result<Connector, Failure> {
        match tls.settings() {
            Ok(settings) => Ok(Connector(settings.config().clone())),
            Err(error) => {
                Err(Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: error.to_string() })
            }
        }
    }

    /// Shakes hands with the server of a name.
    pub(crate) async fn encrypt<S>(&self, host: &str, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a host"))?;
        TlsConnector::from(self.0.clone()).connect(name, stream).await
    }
}

/// Says what a failed handshake means, if it is one in which a side refused the other: someone has to do something.
pub(crate) fn refusal(error: &(dyn Error + 'static)) -> Option<Failure> {
    let refused = error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(Failure {
        verdict: Verdict::Hold(HoldReason::Credentials),
        answer: format!("TLS: {}", describe(refused)),
    })
}

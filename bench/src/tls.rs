//! Certificates and encrypted connections of the row `tls`.
//!
//! In: a folder, a port. Out: a certificate for localhost; a connection that trusts any.
//! Limits: loopback only; nothing is checked, because nothing is at stake.

use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, StreamOwned,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, aws_lc_rs::default_provider},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use std::{
    fs, io,
    net::{Ipv4Addr, TcpStream},
    path::Path,
    sync::Arc,
};

/// Text that waits to be sent.
const BUFFER_BYTES: usize = 1 << 20;

/// Writes `server.pem` and `server.key`.
pub(crate) fn certificate(folder: &Path) -> io::Result<()> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).map_err(io::Error::other)?;
    fs::write(folder.join("server.pem"), made.cert.pem())?;
    fs::write(folder.join("server.key"), made.signing_key.serialize_pem())
}

/// Connects and shakes hands.
pub(crate) fn connect(port: u16) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let provider = Arc::new(default_provider());
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Unchecked(provider)))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let mut session = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    session.set_buffer_limit(Some(BUFFER_BYTES));
    let mut stream = StreamOwned::new(session, TcpStream::connect((Ipv4Addr::LOCALHOST, port))?);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

//! Certificates and encrypted connections of the row `tls`.
//!
//! In: a folder, a port. Out: a certificate for localhost; a connection that trusts any.
//! Limits: loopback only; nothing is checked, because nothing is at stake.

use rustls::{ClientConnection, StreamOwned, pki_types::ServerName};
use std::{
    fs, io,
    net::{Ipv4Addr, TcpStream},
    path::Path,
};
use transport::tls::{ClientTls, PeerVerify, TlsOptions};

/// Bytes of text that wait to be sent.
const BUFFER_BYTES: usize = 1 << 20;

/// Writes `server.pem` and `server.key`.
pub(crate) fn certificate(folder: &Path) -> io::Result<()> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).map_err(io::Error::other)?;
    fs::write(folder.join("server.pem"), made.cert.pem())?;
    fs::write(folder.join("server.key"), made.signing_key.serialize_pem())
}

/// Connects and completes the handshake.
pub(crate) fn connect(port: u16) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let unchecked = TlsOptions { peer_verify: PeerVerify::OptionalUntrusted, ..TlsOptions::default() };
    let settings = ClientTls::load(&unchecked).map_err(io::Error::other)?;
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let mut session = ClientConnection::new(settings.config().clone(), name).map_err(io::Error::other)?;
    session.set_buffer_limit(Some(BUFFER_BYTES));
    let mut stream = StreamOwned::new(session, TcpStream::connect((Ipv4Addr::LOCALHOST, port))?);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

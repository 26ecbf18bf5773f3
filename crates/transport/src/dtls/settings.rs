//! Settings of one listener or sender of DTLS, read from their files and checked.
//!
//! In: [`TlsOptions`]. Out: the settings of associations. Holds: keys and certificates.
//! Limits: [`MESSAGE_BYTES_MAX`] per handshake message.

use super::{
    association::{self, Association, Session},
    error::{AssociationError, refused},
};
use crate::{
    sys,
    tls::{Configured, KeyLogFile, Load, Papers, PeerCheck, PeerVerify, TlsError, TlsOptions, own_missing},
};
use openssl::{
    error::ErrorStack,
    pkey::PKey,
    ssl::{
        SslContext, SslContextBuilder, SslMethod, SslMode, SslOptions, SslSessionCacheMode, SslVerifyMode,
        SslVersion,
    },
    x509::X509,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use std::{fmt, path::Path, sync::Arc};

/// Certificates of a long chain. Ten messages of this size may be kept of a peer that shakes hands.
const MESSAGE_BYTES_MAX: usize = 32 << 10;

/// DTLS of a listener, as configured.
pub type ListenerDtls = Configured<ServerDtls>;
/// DTLS of a sender, as configured.
pub type SenderDtls = Configured<ClientDtls>;

/// DTLS of a listener.
#[derive(Clone, Debug)]
pub struct ServerDtls(Shared);

/// DTLS of a sender.
#[derive(Clone, Debug)]
pub struct ClientDtls(Shared);

#[derive(Clone)]
struct Shared {
    context: SslContext,
    check: Arc<PeerCheck>,
}

impl ServerDtls {
    /// Reads the files that the options name.
    pub fn load(options: &TlsOptions) -> Result<ServerDtls, TlsError> {
        let papers = Papers::read(options)?;
        if papers.own.is_none() {
            return Err(own_missing());
        }
        let mut builder = builder(SslMethod::dtls_server(), options, &papers).map_err(refused)?;
        show(&mut builder, options, papers.own)?;
        let hints = if options.peer_verify.is_trusted() { papers.check.trusted() } else { &[] };
        for certificate in hints.iter().filter_map(|certificate| X509::from_der(certificate).ok()) {
            builder.add_client_ca(&certificate).map_err(refused)?;
        }
        // Callers of `accept` have checked the cookie.
        builder.set_cookie_verify_cb(|_, _| true);
        Ok(ServerDtls(Shared { context: builder.build(), check: Arc::new(papers.check) }))
    }

    /// An association with a peer whose hello has a valid cookie.
    pub fn accept(&self, hello: &[u8], mtu: usize) -> Result<Association, AssociationError> {
        let session = Session::new(self.0.check.clone(), None);
        Association::accept(&self.0.context, session, hello, mtu)
    }
}

impl ClientDtls {
    /// Reads the files that the options name.
    pub fn load(options: &TlsOptions) -> Result<ClientDtls, TlsError> {
        let papers = Papers::read(options)?;
        let mut builder = builder(SslMethod::dtls_client(), options, &papers).map_err(refused)?;
        show(&mut builder, options, papers.own)?;
        Ok(ClientDtls(Shared { context: builder.build(), check: Arc::new(papers.check) }))
    }

    /// An association with the server of a name or address; its hello is in `outgoing`.
    pub fn connect(&self, host: &str, mtu: usize) -> Result<Association, AssociationError> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| AssociationError::NoHostName(host.to_owned()))?;
        let named = matches!(name, ServerName::DnsName(_)) && self.0.check.options().sni;
        let session = Session::new(self.0.check.clone(), Some(name));
        Association::connect(&self.0.context, session, named.then_some(host), mtu)
    }
}

/// Returns a builder with the settings that both sides have in common.
fn builder(
    method: SslMethod,
    options: &TlsOptions,
    papers: &Papers,
) -> Result<SslContextBuilder, ErrorStack> {
    let mut builder = SslContextBuilder::new(method)?;
    builder.set_min_proto_version(Some(SslVersion::DTLS1_2))?;
    builder.set_cipher_list(&options.suites.list12())?;
    builder.set_groups_list(&options.key_exchanges.list())?;
    if !options.schemes.is_empty() {
        builder.set_sigalgs_list(&options.schemes.list())?;
    }
    // Renegotiation and tickets are attack surface and not needed here; we set the path's MTU ourselves.
    builder.set_options(SslOptions::NO_QUERY_MTU | SslOptions::NO_RENEGOTIATION | SslOptions::NO_TICKET);
    builder.set_session_cache_mode(SslSessionCacheMode::OFF);
    // A silent association holds no buffer.
    builder.set_mode(SslMode::RELEASE_BUFFERS);
    sys::dtls::set_message_bytes_max(&mut builder, MESSAGE_BYTES_MAX);
    if papers.check.options().peer_verify == PeerVerify::NotAsked {
        return Ok(builder);
    }
    let mut verify = SslVerifyMode::PEER;
    if papers.check.options().peer_verify.is_required() {
        verify |= SslVerifyMode::FAIL_IF_NO_PEER_CERT;
    }
    // The library's own verdict is ignored.
    builder.set_verify_callback(verify, |_, context| association::judge(context));
    Ok(builder)
}

/// Configures our certificate, and logging of secrets if requested.
fn show(
    builder: &mut SslContextBuilder,
    options: &TlsOptions,
    own: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
) -> Result<(), TlsError> {
    if let Some((chain, key)) = own {
        let key_path = options.key_file.as_deref().unwrap_or(Path::new(""));
        let key = PKey::private_key_from_der(key.secret_der()).map_err(|error| content(key_path, &error))?;
        let path = options.cert_file.as_deref().unwrap_or(Path::new(""));
        for (index, certificate) in chain.iter().enumerate() {
            let certificate = X509::from_der(certificate).map_err(|error| content(path, &error))?;
            let added = match index {
                0 => builder.set_certificate(&certificate),
                _ => builder.add_extra_chain_cert(certificate),
            };
            added.map_err(|error| content(path, &error))?;
        }
        builder.set_private_key(&key).map_err(|error| content(key_path, &error))?;
        builder.check_private_key().map_err(|error| content(key_path, &error))?;
    }
    if let Some(path) = &options.keylog_file {
        let file = KeyLogFile::open(path)?;
        builder.set_keylog_callback(move |_, line| file.write(&format!("{line}\n")));
    }
    Ok(())
}

fn content(path: &Path, error: &ErrorStack) -> TlsError {
    let what = error.errors().first().and_then(|first| first.reason()).unwrap_or("it cannot be read");
    TlsError::Content { path: path.to_owned(), what: what.to_owned() }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.check, f)
    }
}

impl Load for ServerDtls {
    fn load(options: &TlsOptions) -> Result<ServerDtls, TlsError> {
        ServerDtls::load(options)
    }
}

impl Load for ClientDtls {
    fn load(options: &TlsOptions) -> Result<ClientDtls, TlsError> {
        ClientDtls::load(options)
    }
}

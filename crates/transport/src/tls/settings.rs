//! Settings of one listener or sender, read from their files and checked.
//!
//! In: [`TlsOptions`]. Out: the settings of sessions. Holds: keys and certificates.
//! Limits: none of its own.

use super::{
    check::PeerCheck,
    error::TlsError,
    keys::{KeyLogFile, key, pkcs12},
    loading::{Configured, Load},
    material::{Trusted, certificates, revocation_lists},
    options::{PeerVerify, TlsOptions, TlsVersions},
    session::Session,
};
use rustls::{
    ClientConfig, ServerConfig, SupportedProtocolVersion,
    client::{UnbufferedClientConnection, danger::ServerCertVerifier},
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName},
    server::{NoServerSessionStorage, UnbufferedServerConnection},
    sign::{CertifiedKey, SingleCertAndKey},
    version::{TLS12, TLS13},
};
use std::sync::Arc;

/// TLS of a listener, as configured.
pub type ListenerTls = Configured<ServerTls>;
/// TLS of a sender, as configured.
pub type SenderTls = Configured<ClientTls>;

/// TLS of a listener.
#[derive(Clone, Debug)]
pub struct ServerTls(Arc<ServerConfig>);

/// TLS of a sender.
#[derive(Clone, Debug)]
pub struct ClientTls(Arc<ClientConfig>);

impl ServerTls {
    /// Reads the files that the options name.
    pub fn load(options: &TlsOptions) -> Result<ServerTls, TlsError> {
        let provider = provider(options);
        let Papers { check, own } = papers(&provider, options)?;
        let (chain, key) = own.ok_or_else(own_missing)?;
        let own = options.schemes.narrow(CertifiedKey::from_der(chain, key, &provider)?);
        let check = check.taking(options.client_schemes.clone());
        let builder =
            ServerConfig::builder_with_provider(provider).with_protocol_versions(versions(options))?;
        let mut config = match options.peer_verify {
            PeerVerify::NotAsked => builder.with_no_client_auth(),
            _ => builder.with_client_cert_verifier(Arc::new(check)),
        }
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
        // A resumed session would keep the trust of an older configuration, and costs memory for each peer.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        config.alpn_protocols = options.protocols.iter().map(|name| name.to_vec()).collect();
        if let Some(path) = &options.keylog_file {
            config.key_log = Arc::new(KeyLogFile::open(path)?);
        }
        Ok(ServerTls(Arc::new(config)))
    }

    /// The settings for rustls.
    pub fn config(&self) -> &Arc<ServerConfig> {
        &self.0
    }

    /// A session with a peer that has just connected.
    pub fn session(&self) -> Result<Session, rustls::Error> {
        UnbufferedServerConnection::new(self.0.clone()).map(Session::server)
    }
}

impl ClientTls {
    /// Reads the files that the options name.
    pub fn load(options: &TlsOptions) -> Result<ClientTls, TlsError> {
        let provider = provider(options);
        let Papers { check, own } = papers(&provider, options)?;
        let check: Arc<dyn ServerCertVerifier> = Arc::new(check.taking(options.schemes.clone()));
        let own = own.map(|(chain, key)| CertifiedKey::from_der(chain, key, &provider)).transpose()?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions(options))?
            .dangerous()
            .with_custom_certificate_verifier(check);
        let mut config = match own {
            Some(own) => {
                let own = options.client_schemes.narrow(own);
                builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(own)))
            }
            None => builder.with_no_client_auth(),
        };
        config.enable_sni = options.sni;
        config.alpn_protocols = options.protocols.iter().map(|name| name.to_vec()).collect();
        config.resumption = rustls::client::Resumption::disabled();
        if let Some(path) = &options.keylog_file {
            config.key_log = Arc::new(KeyLogFile::open(path)?);
        }
        Ok(ClientTls(Arc::new(config)))
    }

    /// The settings for rustls.
    pub fn config(&self) -> &Arc<ClientConfig> {
        &self.0
    }

    /// Returns whether a certificate of ours is shown to servers that ask.
    pub fn has_certificate(&self) -> bool {
        self.0.client_auth_cert_resolver.has_certs()
    }

    /// A session with the server of a name or address.
    pub fn session(&self, host: &str) -> Result<Session, rustls::Error> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| rustls::Error::General(format!("`{host}` is no name of a host")))?;
        UnbufferedClientConnection::new(self.0.clone(), name).map(Session::client)
    }
}

fn provider(options: &TlsOptions) -> Arc<CryptoProvider> {
    let mut provider = aws_lc_rs::default_provider();
    options.suites.apply(&mut provider);
    options.key_exchanges.apply(&mut provider);
    Arc::new(provider)
}

fn versions(options: &TlsOptions) -> &'static [&'static SupportedProtocolVersion] {
    static BOTH: &[&SupportedProtocolVersion] = &[&TLS13, &TLS12];
    match options.versions {
        TlsVersions::Both => BOTH,
        TlsVersions::Only12 => &BOTH[1..],
        TlsVersions::Only13 => &BOTH[..1],
    }
}

/// Reads the certificates to check peers with, and our own.
fn papers(provider: &Arc<CryptoProvider>, options: &TlsOptions) -> Result<Papers, TlsError> {
    let mut trusted = Trusted::read(options.ca_file.as_deref(), options.ca_dir.as_deref())?;
    let own = match &options.pkcs12_file {
        None => own(options)?,
        Some(path) => {
            let bundle = pkcs12::read(path, &options.passwords)?;
            trusted.add(bundle.authorities);
            let chain = std::iter::once(bundle.certificate).chain(bundle.between).collect();
            Some((chain, bundle.key))
        }
    };
    let lists = revocation_lists(options.crl_dir.as_deref())?;
    Ok(Papers { check: PeerCheck::new(provider.clone(), trusted, lists, options), own })
}

/// Certificates, keys and lists as the files have them, for either library.
pub(crate) struct Papers {
    /// The requirements for a peer's certificate.
    pub(crate) check: PeerCheck,
    /// Our chain and key, if the options name them.
    pub(crate) own: Option<Own>,
}

impl Papers {
    pub(crate) fn read(options: &TlsOptions) -> Result<Papers, TlsError> {
        papers(&provider(options), options)
    }
}

/// Our certificate, those between it and its CA, and its key.
pub(crate) type Own = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// A listener without a certificate.
pub(crate) fn own_missing() -> TlsError {
    TlsError::Missing(
        "tls() of a source needs its certificate and key: set cert-file() and key-file(), or pkcs12-file()",
    )
}

/// Our own certificate and key; `None` when none is configured.
fn own(options: &TlsOptions) -> Result<Option<Own>, TlsError> {
    match (&options.cert_file, &options.key_file) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Ok(Some((certificates(certificate)?, key::read(key, &options.passwords)?)))
        }
        (Some(_), None) => Err(TlsError::Missing("cert-file() needs its key: set key-file()")),
        (None, Some(_)) => Err(TlsError::Missing("key-file() needs its certificate: set cert-file()")),
    }
}

impl Load for ServerTls {
    fn load(options: &TlsOptions) -> Result<ServerTls, TlsError> {
        ServerTls::load(options)
    }
}

impl Load for ClientTls {
    fn load(options: &TlsOptions) -> Result<ClientTls, TlsError> {
        ClientTls::load(options)
    }
}

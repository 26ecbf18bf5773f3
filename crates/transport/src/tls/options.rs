//! The options of `tls()`.
//!
//! In: values that were checked when the configuration was read. Out: the same. Holds: nothing that is open.
//! Limits: the defaults are syslog-ng's.

use super::{
    algorithms::{CipherSuites, KeyExchanges, Schemes},
    fingerprint::Fingerprint,
};
use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// `peer-verify()`: whether the peer must send a certificate, and whether it must be valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PeerVerify {
    /// It must show one that a trusted CA signed.
    #[default]
    RequiredTrusted,
    /// It must show one; any signer will do.
    RequiredUntrusted,
    /// It need not send one; if it does, it must be valid.
    OptionalTrusted,
    /// It may show none or any.
    OptionalUntrusted,
    /// No certificate is requested.
    NotAsked,
}

impl PeerVerify {
    /// Returns whether a peer without a certificate is refused.
    pub fn is_required(self) -> bool {
        matches!(self, PeerVerify::RequiredTrusted | PeerVerify::RequiredUntrusted)
    }

    /// Returns whether chain, names and times are checked.
    pub fn is_trusted(self) -> bool {
        matches!(self, PeerVerify::RequiredTrusted | PeerVerify::OptionalTrusted)
    }
}

/// `ssl-options(no-tlsv12)` and similar ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// 1.2 alone.
    Only12,
    /// 1.3 alone.
    Only13,
}

/// The options in `tls()`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TlsOptions {
    /// `peer-verify()`
    pub peer_verify: PeerVerify,
    /// `ca-file()`
    pub ca_file: Option<PathBuf>,
    /// `ca-dir()`: every certificate in it counts, whatever its file is called.
    pub ca_dir: Option<PathBuf>,
    /// `crl-dir()`
    pub crl_dir: Option<PathBuf>,
    /// `cert-file()`: the certificate, and those between it and the CA.
    pub cert_file: Option<PathBuf>,
    /// `key-file()`
    pub key_file: Option<PathBuf>,
    /// `pkcs12-file()`: certificate, key and authorities, instead of the two.
    pub pkcs12_file: Option<PathBuf>,
    /// `trusted-dn()`: when there are some, the peer's name must match one. `*` and `?`.
    pub trusted_dn: Vec<String>,
    /// `trusted-keys()` and `trusted-fingerprints()`: when there are some, the peer's certificate must be one of them.
    pub fingerprints: Vec<Fingerprint>,
    /// `sni()`: say the name of the server to it.
    pub sni: bool,
    /// `cipher-suite()`
    pub suites: CipherSuites,
    /// `ecdh-curve-list()`
    pub key_exchanges: KeyExchanges,
    /// `sigalgs()`: how a server signs, and what its clients accept.
    pub schemes: Schemes,
    /// `client-sigalgs()`: how a client signs, and what its servers accept.
    pub client_schemes: Schemes,
    /// `ssl-options()`
    pub versions: TlsVersions,
    /// `extended-key-usage-verify()`: a certificate must be meant for its use.
    pub checks_key_usage: bool,
    /// `ocsp-stapling-verify()`: a server must show that its CA has not revoked its certificate.
    pub checks_stapled: bool,
    /// The protocols that are offered or taken in a handshake (ALPN); none asks for nothing.
    pub protocols: Vec<&'static [u8]>,
    /// `keylog-file()`: secrets for Wireshark.
    pub keylog_file: Option<PathBuf>,
    /// Passwords of private keys, given at run time.
    pub passwords: Passwords,
}

/// The passwords of private keys (`ctl credentials`). Clones share them.
#[derive(Clone, Default)]
pub struct Passwords(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    secrets: HashMap<PathBuf, String>,
    wanted: Vec<PathBuf>,
}

impl Passwords {
    /// Adds the password of a key file.
    pub fn add(&self, path: &Path, secret: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.secrets.insert(path.to_owned(), secret.to_owned());
        known.wanted.retain(|wanted| wanted != path);
    }

    /// The key files that need a password, and whether it was given.
    pub fn list(&self) -> Vec<(PathBuf, bool)> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<(PathBuf, bool)> = known.secrets.keys().map(|path| (path.clone(), true)).collect();
        list.extend(known.wanted.iter().map(|path| (path.clone(), false)));
        list.sort();
        list
    }

    /// Returns the password of a key file; a missing one is recorded as wanted.
    pub(super) fn of(&self, path: &Path) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let secret = known.secrets.get(path).cloned();
        if secret.is_none() && !known.wanted.iter().any(|wanted| wanted == path) {
            known.wanted.push(path.to_owned());
        }
        secret
    }

    /// Notes that a password was wrong.
    pub(super) fn forget(&self, path: &Path) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.secrets.remove(path);
        if !known.wanted.iter().any(|wanted| wanted == path) {
            known.wanted.push(path.to_owned());
        }
    }
}

/// Secrets do not make two sets of options different, and are never shown.
impl PartialEq for Passwords {
    fn eq(&self, _other: &Passwords) -> bool {
        true
    }
}

impl Eq for Passwords {}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passwords")
    }
}

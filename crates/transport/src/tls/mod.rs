//! TLS of listeners and senders: settings, certificates, the check of peers, sessions over any stream of bytes.
//!
//! In: the options of `tls()`. Out: [`ServerTls`] and [`ClientTls`], read once from their files, and sessions.
//! Holds: keys and certificates; a reload reads them again while open sessions keep the old ones.
//! Limits: TLS 1.2 and 1.3 with the suites of rustls; what it does not have is refused by name. DTLS has the same
//! options and the same check of peers, and sessions of its own ([`crate::dtls`]).

mod algorithms;
mod certificate;
mod check;
mod error;
mod fingerprint;
mod keys;
mod loading;
mod material;
mod options;
mod session;
mod settings;
mod stapled;

pub use algorithms::{CipherSuites, KeyExchanges, Schemes};
pub use certificate::{Identity, dns_names, lifetime};
pub(crate) use check::PeerCheck;
pub use error::{TlsError, describe};
pub use fingerprint::{Fingerprint, ParseFingerprintError};
pub(crate) use keys::KeyLogFile;
pub use loading::{Configured, Load};
pub use options::{Passwords, PeerVerify, TlsOptions, TlsVersions};
pub use session::{Session, SessionState};
pub use settings::{ClientTls, ListenerTls, SenderTls, ServerTls};
pub(crate) use settings::{Papers, own_missing};

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

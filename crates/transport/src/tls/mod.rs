//! TLS of listeners and senders: settings, certificates, the check of peers, sessions over any stream of bytes.
//!
//! In: the options of `tls()`. Out: [`ServerTls`] and [`ClientTls`], read once from their files, and sessions.
//! Holds: keys and certificates; a reload reads them anew while open sessions go on with the old ones.
//! Limits: TLS 1.2 and 1.3 with the suites of rustls; what it does not have is refused by name. DTLS has the same
//! options and the same check of peers, and sessions of its own ([`crate::dtls`]).

mod certificate;
mod check;
mod der;
mod error;
mod fingerprint;
mod key;
mod keylog;
mod loading;
mod material;
mod options;
mod pkcs12;
mod schemes;
mod session;
mod settings;
mod stapled;
mod suites;

pub use certificate::{Identity, dns_names, lifetime};
pub(crate) use check::PeerCheck;
pub use error::{TlsError, describe};
pub use fingerprint::Fingerprint;
pub(crate) use keylog::KeyLogFile;
pub use loading::{Configured, Load};
pub use options::{Passwords, PeerVerify, TlsOptions, TlsVersions};
pub use schemes::Schemes;
pub use session::{Session, Taken};
pub use settings::{ClientTls, ListenerTls, SenderTls, ServerTls};
pub(crate) use settings::{Papers, own_missing};
pub use suites::{CipherSuites, KeyExchanges};

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;

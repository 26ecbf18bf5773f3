//! The configuration's policy for callers: trusted proxies, accepted hosts, the lifetime of sessions and tokens.
//!
//! In: options of the page. Out: the values that calls obey. Holds them; a reload brings new ones.

use accounts::{Network, TOKEN_DAYS_MAX};
use std::{net::IpAddr, time::Duration};

/// The options of the page that calls obey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Proxies whose header about the caller is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The header in which trusted proxies name their callers.
    pub proxy_header: ProxyHeader,
    /// Names, besides this machine's own, that callers may use in `Host`.
    pub allowed_hosts: Vec<String>,
    /// Longest life of a session.
    pub session_lifetime: Duration,
    /// A session ends after this time without a call.
    pub session_idle: Duration,
    /// Longest life of an API token, whatever it was made for.
    pub token_lifetime: Duration,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            trusted_proxies: Vec::new(),
            proxy_header: ProxyHeader::default(),
            allowed_hosts: Vec::new(),
            session_lifetime: Duration::from_secs(24 * 3600),
            session_idle: Duration::from_secs(12 * 3600),
            token_lifetime: Duration::from_secs(u64::from(TOKEN_DAYS_MAX) * 86_400),
        }
    }
}

impl Policy {
    /// Returns true if an address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(address))
    }
}

/// The header in which a proxy names its caller. Only one is read: a proxy passes the other one on unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`, which most proxies write.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

//! The configuration's policy for callers: trusted proxies, accepted hosts, the lifetime of sessions and tokens.
//!
//! In: options of the page. Out: the values that calls obey. Holds them; a reload brings new ones.

use serde::{Deserialize, Serialize};
use std::{error::Error, fmt, net::IpAddr, str::FromStr, time::Duration};

/// Most days until an API token expires: a forgotten one is open for a year at most.
pub const TOKEN_DAYS_MAX: u32 = 366;

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

/// A network: an address, and how many of its bits count.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(try_from = "String", into = "String")]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

/// A text that names no network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkError;

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an address or a network such as 10.0.0.1, 10.0.0.0/8 or fd00::/8 is needed")
    }
}

impl Error for NetworkError {}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = if self.address.is_ipv4() { 32 } else { 128 };
        match self.bits == most {
            true => self.address.fmt(f),
            false => write!(f, "{}/{}", self.address, self.bits),
        }
    }
}

impl TryFrom<String> for Network {
    type Error = NetworkError;

    fn try_from(text: String) -> Result<Network, NetworkError> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> String {
        network.to_string()
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Network, NetworkError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse::<u32>).map_err(|_| NetworkError)?;
        if bits > most {
            return Err(NetworkError);
        }
        Ok(Network { address, bits })
    }
}

impl Network {
    /// Returns true if an address belongs to the network; an IPv4 address may be written as one of IPv6.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shared = match (self.address, address.to_canonical()) {
            (IpAddr::V4(one), IpAddr::V4(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
            (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
            _ => return false,
        };
        shared >= self.bits
    }
}

#[cfg(test)]
mod tests {
    //! Networks and addresses.

    use super::*;

    #[track_caller]
    fn check(network: &str, inside: &[&str], outside: &[&str]) {
        let network: Network = network.parse().unwrap();
        for address in inside {
            assert!(network.contains(address.parse().unwrap()), "{address}");
        }
        for address in outside {
            assert!(!network.contains(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn networks_contain_their_addresses() {
        check("10.1.2.3", &["10.1.2.3", "::ffff:10.1.2.3"], &["10.1.2.2", "::1"]);
        check("10.0.0.0/8", &["10.255.0.1"], &["11.0.0.1"]);
        check("10.1.2.3/32", &["10.1.2.3"], &["10.1.2.2"]);
        check("::1/128", &["::1"], &["::2"]);
        check("0.0.0.0/0", &["1.2.3.4"], &["::1"]);
        check("fd00::/8", &["fd12::1"], &["fe80::1", "10.0.0.1"]);
        for text in ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "proxy.example"] {
            assert_eq!(text.parse::<Network>(), Err(NetworkError), "{text}");
        }
        assert!(NetworkError.to_string().contains("10.0.0.0/8"));
    }
}

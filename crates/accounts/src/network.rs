//! Networks that callers belong to.
//!
//! In: texts such as `10.0.0.0/8`. Out: networks; whether an address belongs to one. Holds nothing.

use serde::{Deserialize, Serialize};
use std::{error::Error, fmt, net::IpAddr, str::FromStr};

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

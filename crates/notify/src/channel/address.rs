//! The address that a URL leads to, checked, so that a channel cannot be made to speak to what only this machine can reach.
//!
//! In: a URL. Out: an address to connect to. Holds nothing. The connection is made to the address that was checked: a name that
//! resolves to another one a moment later changes nothing.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs},
};
use watch::Reach;

/// The server that gives machines of Azure their addresses and keys: it has an address of the public internet.
const AZURE_WIRE_SERVER: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// The reason why there is no address.
#[derive(Debug)]
pub(super) enum AddressError {
    /// This is no URL of HTTP.
    NotAUrl,
    /// The name cannot be resolved.
    Resolve { host: String, source: io::Error },
    /// All addresses of the name are such that channels may not reach.
    NotPublic { host: String, address: IpAddr },
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::NotAUrl => f.write_str("this is no URL of HTTP with a host and without a user"),
            AddressError::Resolve { host, source } => write!(f, "cannot resolve {host}: {source}"),
            AddressError::NotPublic { host, address } => write!(
                f,
                "{host} leads to {address}, which is no address of the public internet: write addresses: any if it may"
            ),
        }
    }
}

/// Returns the address that a URL leads to.
pub(super) fn peer(url: &str, reach: Reach) -> Result<SocketAddr, AddressError> {
    let (host, port) = host_and_port(url).ok_or(AddressError::NotAUrl)?;
    let found = (host, port).to_socket_addrs();
    let found = found.map_err(|source| AddressError::Resolve { host: host.to_owned(), source })?;
    let mut refused = None;
    for address in found {
        if reach == Reach::Any || is_public(address.ip()) {
            return Ok(address);
        }
        refused = Some(address.ip());
    }
    Err(match refused {
        Some(address) => AddressError::NotPublic { host: host.to_owned(), address },
        None => {
            let source = io::ErrorKind::NotFound.into();
            AddressError::Resolve { host: host.to_owned(), source }
        }
    })
}

/// Returns host and port of a URL.
fn host_and_port(url: &str) -> Option<(&str, u16)> {
    let (rest, default) = match url.strip_prefix("https://") {
        Some(rest) => (rest, 443),
        None => (url.strip_prefix("http://")?, 80),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    if authority.contains('@') || !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => port.parse().ok()?,
        None if port.is_empty() => default,
        None => return None,
    };
    (!host.is_empty()).then_some((host, port))
}

/// Returns true for an address of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast();
    // "This network", shared by carriers, protocol assignments, benchmarks, reserved (RFC 6890).
    let is_reserved = a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240;
    !is_special && !is_reserved && address != AZURE_WIRE_SERVER
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let parts = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match parts {
        // NAT64 (RFC 6052) and 6to4 (RFC 3056) have an address of IPv4 inside.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(embedded(high, low)),
        [0x2002, high, low, ..] => is_public_v4(embedded(high, low)),
        // Teredo, documentation.
        [0x2001, 0 | 0xdb8, ..] => false,
        // Global unicast addresses are given out of 2000::/3 only (RFC 4291): all others are local, private or unused.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    //! Addresses that only this machine or its network can reach, in all their notations.

    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_reached() {
        let public = [
            "9.9.9.9",
            "1.1.1.1",
            "[2620:fe::fe]",
            "[64:ff9b::909:909]",
            "[::ffff:9.9.9.9]",
            "[2002:909:909::1]",
        ];
        let others = [
            "127.0.0.1",
            "127.1.2.3",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "168.63.129.16",
            "192.0.0.192",
            "198.18.0.1",
            "240.0.0.1",
            "[::1]",
            "[::]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[::ffff:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001:db8::1]",
            "[2001::1]",
            "[ff02::1]",
            "[::127.0.0.1]",
            "[fec0::1]",
        ];
        for host in public {
            assert!(peer(&format!("https://{host}/x"), Reach::Public).is_ok(), "{host}");
        }
        for host in others {
            let found = peer(&format!("http://{host}:8080/x"), Reach::Public);
            assert!(matches!(found, Err(AddressError::NotPublic { .. })), "{host} {found:?}");
            assert!(peer(&format!("http://{host}:8080/x"), Reach::Any).is_ok(), "{host}");
        }
    }

    #[test]
    fn a_url_has_a_host_and_no_user() {
        for (url, want) in [
            ("http://h", Some(("h", 80))),
            ("https://h/", Some(("h", 443))),
            ("https://h:8443?a", Some(("h", 8443))),
            ("http://[::1]:80/", Some(("::1", 80))),
            ("http://[::1]/", Some(("::1", 80))),
            ("http://u@h/", None),
            ("http://9.9.9.9@127.0.0.1/", None),
            ("ftp://h/", None),
            ("http://", None),
            ("http://h:port/", None),
            ("http://h /", None),
        ] {
            assert_eq!(host_and_port(url), want, "{url}");
        }
    }
}

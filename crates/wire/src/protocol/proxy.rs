//! The PROXY protocol, versions 1 and 2: they name the original connection that a load balancer passes on.
//!
//! In: the first bytes of a connection. Out: the addresses of the original ends, and where the rest begins.
//! Holds: nothing. Never allocates, never blocks.
//! Limits: [`HEADER_BYTES_MAX`]; other bytes are not a header, and the caller refuses the connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Longest header: version 2 with its additions, whose contents are not used.
pub const HEADER_BYTES_MAX: usize = 16 + 4096;

/// Longest line of version 1, by its specification.
const LINE_BYTES_MAX: usize = 107;
/// The first bytes of version 2.
const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
/// Bytes of version 2 before the addresses.
const FIXED_BYTES: usize = 16;

/// The first bytes of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// The beginning of a header whose rest has not arrived.
    Partial,
    /// A header.
    Header(Header),
    /// Something else.
    Other,
}

/// A header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Its size; the rest of the connection follows.
    pub size: usize,
    /// Source and destination; `None` when the proxy speaks for itself or does not know.
    pub ends: Option<(SocketAddr, SocketAddr)>,
}

/// Looks at the first bytes of a connection.
pub fn start(bytes: &[u8]) -> Start {
    let same = |wanted: &[u8]| {
        let size = wanted.len().min(bytes.len());
        bytes[..size] == wanted[..size]
    };
    if same(b"PROXY ") {
        return if bytes.len() < 6 { Start::Partial } else { line(bytes) };
    }
    match same(SIGNATURE) {
        true if bytes.len() < FIXED_BYTES => Start::Partial,
        true => binary(bytes),
        false => Start::Other,
    }
}

/// Reads a header of version 1: `PROXY TCP4 192.0.2.1 198.51.100.2 1234 514\r\n`.
fn line(bytes: &[u8]) -> Start {
    let seen = &bytes[..bytes.len().min(LINE_BYTES_MAX)];
    let Some(end) = memchr::memchr(b'\n', seen) else {
        return if bytes.len() < LINE_BYTES_MAX { Start::Partial } else { Start::Other };
    };
    let text = seen[..end].strip_suffix(b"\r").and_then(|line| std::str::from_utf8(line).ok());
    let Some(text) = text else { return Start::Other };
    let mut words = text.split(' ').skip(1);
    let header = |ends| Start::Header(Header { size: end + 1, ends });
    match words.next() {
        Some("UNKNOWN") => header(None),
        Some(family @ ("TCP4" | "TCP6")) => match addresses(&mut words) {
            Some(ends) if words.next().is_none() && ends.0.is_ipv6() == (family == "TCP6") => {
                header(Some(ends))
            }
            _ => Start::Other,
        },
        _ => Start::Other,
    }
}

fn addresses<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<(SocketAddr, SocketAddr)> {
    let source: IpAddr = words.next()?.parse().ok()?;
    let target: IpAddr = words.next()?.parse().ok()?;
    let source_port: u16 = words.next()?.parse().ok()?;
    let target_port: u16 = words.next()?.parse().ok()?;
    let same_family = source.is_ipv6() == target.is_ipv6();
    same_family.then(|| (SocketAddr::new(source, source_port), SocketAddr::new(target, target_port)))
}

/// Reads a header of version 2: signature, version and command, family, size, addresses, additions.
fn binary(bytes: &[u8]) -> Start {
    let [kind, family, high, low] = [bytes[12], bytes[13], bytes[14], bytes[15]];
    let size = FIXED_BYTES + usize::from(u16::from_be_bytes([high, low]));
    if kind >> 4 != 2 || kind & 15 > 1 || size > HEADER_BYTES_MAX {
        return Start::Other;
    }
    let Some(rest) = bytes.get(FIXED_BYTES..size) else { return Start::Partial };
    let is_local = kind & 15 == 0;
    let port = |at: usize| rest.get(at..at + 2).map(|two| u16::from_be_bytes([two[0], two[1]]));
    let v4 = |at: usize| {
        let four: [u8; 4] = rest.get(at..at + 4)?.try_into().ok()?;
        Some(IpAddr::V4(Ipv4Addr::from(four)))
    };
    let v6 = |at: usize| {
        let sixteen: [u8; 16] = rest.get(at..at + 16)?.try_into().ok()?;
        Some(IpAddr::V6(Ipv6Addr::from(sixteen)))
    };
    let ends = |source: Option<IpAddr>, target: Option<IpAddr>, ports: usize| {
        Some((SocketAddr::new(source?, port(ports)?), SocketAddr::new(target?, port(ports + 2)?)))
    };
    let found = match family >> 4 {
        1 => ends(v4(0), v4(4), 8),
        2 => ends(v6(0), v6(16), 32),
        // Unix sockets and unspecified ones have no address that means anything here.
        _ => return Start::Header(Header { size, ends: None }),
    };
    match found {
        Some(_) if is_local => Start::Header(Header { size, ends: None }),
        Some(ends) => Start::Header(Header { size, ends: Some(ends) }),
        None if is_local => Start::Header(Header { size, ends: None }),
        None => Start::Other,
    }
}

#[cfg(test)]
mod tests;

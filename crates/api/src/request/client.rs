//! The client of a call: the peer of the connection, or the one that a trusted proxy names.
//!
//! In: the peer's address, the headers. Out: the client's address. Holds nothing.
//! What a client writes into these headers itself is never believed: they are read from their end, where the proxies
//! have appended, up to the first address that is no trusted proxy.

use crate::access::policy::{Policy, ProxyHeader};
use axum::http::{HeaderMap, header};
use std::net::{IpAddr, SocketAddr};

/// Headers that only calls through a proxy have.
const X_FORWARDED_FOR: &str = "x-forwarded-for";
/// Replaces a header line that cannot be read; it names no address.
const UNREADABLE: &str = "?";

/// Address of the client of a call.
pub(crate) fn client(policy: &Policy, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    let name = match policy.proxy_header {
        ProxyHeader::XForwardedFor => X_FORWARDED_FOR,
        ProxyHeader::Forwarded => header::FORWARDED.as_str(),
    };
    let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or(UNREADABLE));
    let hops: Vec<&str> = match policy.proxy_header {
        ProxyHeader::XForwardedFor => lines.flat_map(|line| line.split(',')).collect(),
        ProxyHeader::Forwarded => lines.flat_map(|line| split(line, ',')).collect(),
    };
    for hop in hops.into_iter().rev() {
        if !policy.trusts(client) {
            break;
        }
        let hop = match policy.proxy_header {
            ProxyHeader::XForwardedFor => address(hop.trim()),
            ProxyHeader::Forwarded => forwarded_for(hop).and_then(|node| address(&node)),
        };
        // The proxy does not name its caller: only the proxy is known.
        let Some(hop) = hop else { break };
        client = hop;
    }
    client
}

/// Returns true if a call came through a proxy.
pub(crate) fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(header::FORWARDED)
}

/// The value of `for` in an element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<String> {
    split(element, ';').into_iter().find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then(|| unquoted(value.trim()))
    })
}

fn unquoted(value: &str) -> String {
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    inner.unwrap_or(value).replace('\\', "")
}

/// An address with or without a port: `10.0.0.1:4711`, `[::1]:4711`, `[::1]`, `::1`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let read = bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    read.map(|address: IpAddr| address.to_canonical())
}

/// Splits at separators outside quoted strings. A client that opens a string and does not close it would
/// swallow what the proxy appends: such a line is ignored.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(|c| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match c {
            '\\' if is_quoted && !was_escaped => is_escaped = true,
            '"' if !was_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        c == separator && !is_quoted
    });
    let parts: Vec<&str> = parts.collect();
    if is_quoted { vec![UNREADABLE] } else { parts }
}

#[cfg(test)]
mod tests {
    //! Headers of proxies, and of clients that pretend to use one.

    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    type Lines<'l> = &'l [(&'static str, &'l str)];

    #[track_caller]
    fn check(proxy_header: ProxyHeader, peer: &str, lines: Lines<'_>, want: &str) {
        let trusted_proxies =
            ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].iter().map(|text| text.parse().unwrap()).collect();
        let policy = Policy { trusted_proxies, proxy_header, ..Policy::default() };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        assert_eq!(client(&policy, peer.parse().unwrap(), &headers).to_string(), want, "{lines:?}");
    }

    #[test]
    fn m3_proxies_are_believed_and_nobody_else() {
        let rows: &[(&str, Lines<'_>, &str)] = &[
            ("192.0.2.1", &[("x-forwarded-for", "198.51.100.7")], "192.0.2.1"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.1", &[("x-forwarded-for", "198.51.100.7")], "198.51.100.7"),
            ("::ffff:127.0.0.1", &[("x-forwarded-for", "198.51.100.7")], "198.51.100.7"),
            ("127.0.0.1", &[("x-forwarded-for", "1.1.1.1, 198.51.100.7")], "198.51.100.7"),
            ("127.0.0.1", &[("x-forwarded-for", "1.1.1.1, 198.51.100.7, 10.2.3.4")], "198.51.100.7"),
            (
                "127.0.0.1",
                &[("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "198.51.100.7")],
                "198.51.100.7",
            ),
            ("127.0.0.1", &[("x-forwarded-for", "10.1.1.1, 10.2.3.4")], "10.1.1.1"),
            ("127.0.0.1", &[("x-forwarded-for", "1.1.1.1, unknown")], "127.0.0.1"),
            ("127.0.0.1", &[("x-forwarded-for", "198.51.100.7:4711")], "198.51.100.7"),
            ("127.0.0.1", &[("x-forwarded-for", "[2001:db8::1]:4711")], "2001:db8::1"),
            ("127.0.0.1", &[("forwarded", "for=1.1.1.1")], "127.0.0.1"),
        ];
        for (peer, lines, want) in rows {
            check(ProxyHeader::XForwardedFor, peer, lines, want);
        }
    }

    #[test]
    fn m3_forwarded_is_read_as_rfc_7239_has_it() {
        let rows = [
            ("for=198.51.100.7;proto=https;by=10.0.0.1", "198.51.100.7"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=1.1.1.1, for=198.51.100.7", "198.51.100.7"),
            ("for=198.51.100.7;host=\"a, b; for=1.1.1.1\"", "198.51.100.7"),
            ("for=198.51.100.7, for=10.9.9.9", "198.51.100.7"),
            ("for=198.51.100.7, for=_hidden", "127.0.0.1"),
            ("proto=https", "127.0.0.1"),
            ("for=\"198.51.100.7", "127.0.0.1"),
            ("for=1.1.1.1;x=\", for=198.51.100.7", "127.0.0.1"),
            ("for=1.1.1.1;x=\", for=\"[2001:db8::1]:80\"", "127.0.0.1"),
            ("for=1.1.1.1;x=\"\\\", for=198.51.100.7", "127.0.0.1"),
            ("for=1.1.1.1;x=\"\\\"\", for=198.51.100.7", "198.51.100.7"),
        ];
        for (line, want) in rows {
            check(ProxyHeader::Forwarded, "127.0.0.1", &[("forwarded", line)], want);
        }
        check(ProxyHeader::Forwarded, "127.0.0.1", &[("x-forwarded-for", "1.1.1.1")], "127.0.0.1");
    }
}

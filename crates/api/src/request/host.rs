//! Checks that a call is meant for this server: the defence against DNS rebinding.
//!
//! In: the `Host` of a request, the names that this server has. Out: yes or no. Holds nothing.
//! A foreign page can make its own name resolve to this machine, and its visitors' browsers then call us as if we were
//! that site. They send its name in `Host`, so only our own names are answered. An address needs no check:
//! when a browser calls an address, no foreign name is involved.

use std::net::{IpAddr, Ipv6Addr};

/// The host of `HOST` or `HOST:PORT`, without the brackets of IPv6; nothing when it is not written like one.
pub(crate) fn host(authority: &str) -> Option<&str> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(inner) => inner.split_once(']').filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok())?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
    (is_port && !host.is_empty() && host.bytes().all(is_host)).then_some(host)
}

/// Returns true if a host is an address, `localhost`, or one of the names. `*.example.com` means one
/// label.
pub(crate) fn is_ours<'n>(host: &str, names: impl IntoIterator<Item = &'n str>) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_name = |name: &str| match name.strip_prefix("*.") {
        Some(parent) => host.split_once('.').is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(parent)),
        None => host.eq_ignore_ascii_case(name),
    };
    host.parse::<IpAddr>().is_ok() || is_name("localhost") || names.into_iter().any(is_name)
}

#[cfg(test)]
mod tests {
    //! Hosts that are ours, and others.

    use super::*;

    #[test]
    fn hosts_are_read() {
        let rows = [
            ("logs.example:8514", Some("logs.example")),
            ("logs", Some("logs")),
            ("127.0.0.1:80", Some("127.0.0.1")),
            ("[::1]:8514", Some("::1")),
            ("[::1]", Some("::1")),
            ("", None),
            (":80", None),
            ("::1", None),
            ("[::1", None),
            ("[evil.example]", None),
            ("x:port", None),
            ("x:99999", None),
            ("x\tevil", None),
            ("user@x", None),
        ];
        for (authority, want) in rows {
            assert_eq!(host(authority), want, "{authority}");
        }
    }

    #[test]
    fn only_our_names_are_answered() {
        let names = ["loghost", "logs.example", "*.wild.example"];
        for ours in
            ["localhost", "LocalHost.", "127.0.0.1", "10.1.1.1", "::1", "LOGS.example", "a.wild.example"]
        {
            assert!(is_ours(ours, names), "{ours}");
        }
        for other in
            ["evil.example", "localhost.evil.example", "wild.example", "a.b.wild.example", "127.0.0.1.evil"]
        {
            assert!(!is_ours(other, names), "{other}");
        }
    }
}

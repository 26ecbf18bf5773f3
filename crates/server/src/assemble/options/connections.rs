//! Options of connections that sources and destinations have in common.
//!
//! In: options of a driver. Out: settings of its sockets, ports, names of servers. Holds: nothing.

use super::driver::Options;
use delivery::Server;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use transport::{IpOptions, TcpOptions};

/// Default port of RELP.
pub(crate) const RELP_PORT: u16 = 2514;
/// Default port of SLTP.
pub(crate) const SLTP_PORT: u16 = 2515;
/// Default port of GELF.
pub(crate) const GELF_PORT: u16 = 12_201;

/// Returns true for IPv6: by `ip-protocol()`, or by the old spellings `tcp6()` and `udp6()`.
pub(crate) fn is_ipv6(options: &Options<'_>) -> bool {
    options.number("ip-protocol").map_or(options.call.key().ends_with('6'), |version| version == 6)
}

/// Returns the address that means all addresses of this machine.
pub(crate) fn any_address(options: &Options<'_>) -> IpAddr {
    match is_ipv6(options) {
        true => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        false => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    }
}

/// Returns the transport of `network()` and `syslog()`; an old spelling such as `udp6()` names its own.
pub(crate) fn transport(options: &Options<'_>) -> String {
    let key = options.call.key();
    match key.trim_end_matches('6') {
        "udp" => "udp".to_owned(),
        "tcp" => "tcp".to_owned(),
        _ => options.word("transport").unwrap_or_else(|| "tcp".to_owned()),
    }
}

/// Returns the keep-alive probes of a connection.
pub(crate) fn tcp_options(options: &Options<'_>) -> TcpOptions {
    TcpOptions {
        keepalive: !options.is_no("so-keepalive"),
        keepalive_time: options.seconds_or_never("tcp-keepalive-time", None),
        keepalive_interval: options.seconds_or_never("tcp-keepalive-intvl", None),
        keepalive_probes: options
            .number("tcp-keepalive-probes")
            .and_then(|number| u32::try_from(number).ok()),
    }
}

/// Returns `ip-tos()`, `ip-ttl()` and similar options.
pub(crate) fn ip_options(options: &Options<'_>) -> IpOptions {
    let number = |name: &str| options.number(name).and_then(|number| u32::try_from(number).ok());
    IpOptions {
        tos: number("ip-tos"),
        ttl: number("ip-ttl"),
        freebind: options.is_yes("ip-freebind"),
        interface: options.own_text("interface"),
    }
}

/// Parses `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`; `port` is the default.
pub(crate) fn server(text: &str, port: u16) -> Server {
    let with_port = text.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']'));
    match with_port.and_then(|(host, port)| Some((host, port.parse().ok()?))) {
        Some((host, port)) => Server { host: host.trim_matches(['[', ']']).to_owned(), port },
        None => Server { host: text.trim_matches(['[', ']']).to_owned(), port },
    }
}

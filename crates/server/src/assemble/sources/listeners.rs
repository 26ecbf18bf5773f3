//! Sources that listen on a socket: `network()`, `syslog()`, their old spellings, `relp()`, unix sockets.
//!
//! In: options of a driver. Out: listeners. Holds: nothing.
//! Limits: an address that cannot be used is an error with its position.

use crate::assemble::{
    lowering::Lowering,
    options::{
        connections::{RELP_PORT, any_address, ip_options, tcp_options, transport},
        driver::Options,
    },
};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use intake::{
    BeatsOptions, CountLimits, DatagramListener, Dialogue, Encryption, ListenAddress, ProxyHeader,
    SourceDriver, StreamListener,
};
use std::{
    net::{SocketAddr, ToSocketAddrs},
    sync::Arc,
};
use transport::{dtls::ListenerDtls, tls::ListenerTls};
use wire::Framing;

/// The port that Logstash has for Beats.
const BEATS_PORT: u16 = 5044;
/// Connections of Beats at a time: every machine of a site has some.
const BEATS_MAX: usize = 1_000;

impl<'t> Lowering<'t> {
    /// Makes the listener of `network()`, `syslog()` and the old spellings of `network()`.
    pub(crate) fn listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let key = options.call.key();
        let transport = transport(options);
        let port = options.globals.usual_port(&key, &transport);
        let address = ListenAddress::Ip(self.address(options, options.port(["port", "localport"], port))?);
        if matches!(transport.as_str(), "udp" | "dtls") {
            let mut listener = DatagramListener::new(address);
            complete_datagram(options, &mut listener);
            if transport == "dtls" {
                listener.dtls = Some(ListenerDtls::new(self.dtls(options)?));
                listener.connections = CountLimits {
                    total: options.count("max-connections", listener.connections.total),
                    per_peer: connections_per_address(options),
                };
                listener.handshakes = handshakes(options, listener.handshakes);
                listener.keep_over_reload = !options.is_no("keep-alive");
                listener.idle_timeout = options.seconds_or_never("idle-timeout", listener.idle_timeout);
            }
            return Some((SourceDriver::Datagram(listener), Framing::Datagram));
        }
        let mut listener = StreamListener::new(address);
        self.complete_stream(options, &mut listener);
        let may_detect = transport == "auto" && options.own("tls").is_some();
        if transport.contains("tls") || may_detect {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        if may_detect {
            listener.encryption = Encryption::Detected;
        }
        listener.proxy = match transport.as_str() {
            "proxied-tcp" | "proxied-tls-passthrough" => ProxyHeader::First,
            "proxied-tls" => ProxyHeader::Encrypted,
            _ => ProxyHeader::None,
        };
        let framing = match transport.as_str() {
            "auto" => Framing::Auto,
            "nul-terminated" => Framing::Nul,
            "text-with-nuls" => Framing::NewlineOnly,
            "framed" => Framing::OctetCounted,
            _ if key == "syslog" => Framing::OctetCounted,
            _ => Framing::Newline,
        };
        Some((SourceDriver::Stream(listener), framing))
    }

    /// Makes the listener of `relp()`.
    pub(crate) fn relp_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], RELP_PORT))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        listener.dialogue = Dialogue::Relp;
        self.complete_stream(options, &mut listener);
        if options.own("tls").is_some() {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        Some((SourceDriver::Stream(listener), Framing::Datagram))
    }

    /// Makes the listener of `beats()`.
    pub(crate) fn beats_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let address = self.address(options, options.port(["port", "localport"], BEATS_PORT))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        self.complete_stream(options, &mut listener);
        listener.connections.total = options.count("max-connections", BEATS_MAX);
        let prefix = options.own_text("prefix").unwrap_or_default();
        listener.dialogue = Dialogue::Beats(Arc::new(BeatsOptions { prefix }));
        if options.own("tls").is_some() {
            listener.tls = Some(ListenerTls::new(self.listener_tls(options)?));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        Some((SourceDriver::Stream(listener), Framing::Datagram))
    }

    /// Returns the address to listen on. A check accepts any host name without looking it up.
    pub(crate) fn address(&mut self, options: &Options<'t>, port: u16) -> Option<SocketAddr> {
        let any = any_address(options);
        let option = options.own("ip").or_else(|| options.own("localip"));
        let written = option.and_then(|option| option.texts().into_iter().next()).or_else(|| options.plain());
        let Some(host) = written.filter(|host| !host.is_empty()) else {
            return Some(SocketAddr::new(any, port));
        };
        if let Ok(ip) = host.parse() {
            return Some(SocketAddr::new(ip, port));
        }
        if !self.environment.looks_up {
            return Some(SocketAddr::new(any, port));
        }
        let found = (host.as_str(), port)
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.find(|address| address.is_ipv6() == any.is_ipv6()));
        if found.is_none() {
            let span =
                option.map_or(options.call.span, |option| option.args.first().map_or(option.span, Arg::span));
            self.report.push(Diagnostic::error(span, format!("`{host}` is no address to listen on")));
        }
        found
    }

    /// Sets the options that all listeners for connections have.
    pub(crate) fn complete_stream(&mut self, options: &Options<'t>, listener: &mut StreamListener) {
        listener.connections.total = options.count("max-connections", listener.connections.total);
        if matches!(listener.address, ListenAddress::Ip(_)) {
            listener.connections.per_peer = connections_per_address(options);
        }
        listener.keep_over_reload = !options.is_no("keep-alive");
        listener.receive_buffer = options.count("so-rcvbuf", 0);
        listener.backlog = u32::try_from(options.count("listen-backlog", 255)).unwrap_or(255);
        listener.reuse_port = options.is_yes("so-reuseport");
        listener.ip = ip_options(options);
        listener.idle_timeout = options.seconds_or_never("idle-timeout", None);
        listener.tcp = tcp_options(options);
        listener.credentials = credentials(options);
    }
}

fn connections_per_address(options: &Options<'_>) -> Option<usize> {
    Some(options.count("max-connections-per-address", 0)).filter(|most| *most > 0)
}

/// Returns `max-handshakes()` and `max-handshakes-per-address()` of a listener with `tls()`.
pub(crate) fn handshakes(options: &Options<'_>, default: CountLimits) -> CountLimits {
    let total = options.count("max-handshakes", default.total);
    let per_peer = default.per_peer.map(|most| options.count("max-handshakes-per-address", most));
    CountLimits { total, per_peer }
}

/// Sets the options that all listeners for datagrams have.
pub(crate) fn complete_datagram(options: &Options<'_>, listener: &mut DatagramListener) {
    listener.receive_buffer = options.count("so-rcvbuf", 0);
    listener.reuse_port = options.is_yes("so-reuseport");
    listener.ip = ip_options(options);
    listener.credentials = credentials(options);
}

fn credentials(options: &Options<'_>) -> bool {
    let global = options.globals.truth("pass-unix-credentials").unwrap_or(true);
    options.own("so-passcred").and_then(Call::truth).unwrap_or(global)
}

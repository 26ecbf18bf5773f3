//! Socket destinations: `network()`, `syslog()`, their old spellings, `relp()`, unix sockets.
//!
//! In: options of a driver. Out: a target, and the renderer of its messages. Holds: nothing.
//! Limits: an address that cannot be used is an error with its position.

use crate::assemble::{
    lowering::Lowering,
    options::{
        connections::{RELP_PORT, any_address, ip_options, is_ipv6, tcp_options, transport},
        driver::Options,
    },
};
use config::{Diagnostic, tree::Arg};
use delivery::{DestinationDriver, RelpTarget, Server, SocketKind, SocketTarget, SpoofTarget, StreamFraming};
use message::Render;
use std::{net::SocketAddr, time::Duration};
use transport::{dtls::SenderDtls, tls::SenderTls};
use wire::{Dialect, Framing};

/// Size at which messages are cut with `spoof-source()`, as syslog-ng does.
const SPOOFED_BYTES: usize = 1024;

/// Longest wait for an answer of a RELP receiver, as in rsyslog.
const RESPONSE_WITHIN: Duration = Duration::from_secs(90);

impl<'t> Lowering<'t> {
    /// Returns the kind of socket of `network()`, `syslog()` and the old spellings, and the framing of its messages.
    pub(crate) fn remote_socket(
        &mut self,
        options: &Options<'t>,
        to: Server,
    ) -> Option<(SocketKind, Framing)> {
        let Server { host, port } = to;
        let is_syslog = options.call.key() == "syslog";
        let kind = match transport(options).as_str() {
            "udp" => SocketKind::Udp(host, port),
            "dtls" => SocketKind::Dtls(host, port, SenderDtls::new(self.dtls(options)?)),
            _ => SocketKind::Tcp(host, port),
        };
        let framing = match kind {
            SocketKind::Udp(..) => Framing::Datagram,
            _ if is_syslog => Framing::OctetCounted,
            SocketKind::Dtls(..) => Framing::Datagram,
            _ => Framing::Newline,
        };
        Some((kind, framing))
    }

    /// Makes a socket and the renderer of its messages.
    pub(crate) fn socket(
        &mut self,
        options: &Options<'t>,
        kind: SocketKind,
        framing: Framing,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let is_syslog = matches!(options.call.key().as_str(), "syslog" | "relp" | "sltp");
        let is_rfc5424 = is_syslog || options.flags().iter().any(|flag| flag == "syslog-protocol");
        let dialect = if is_rfc5424 { Dialect::Rfc5424 } else { Dialect::Rfc3164 };
        let ipv6 = is_ipv6(options);
        let is_counted = framing == Framing::OctetCounted;
        let port = match &kind {
            SocketKind::Tcp(_, port) | SocketKind::Udp(_, port) | SocketKind::Dtls(_, port, _) => *port,
            SocketKind::UnixStream(_) | SocketKind::UnixDatagram(_) => 0,
        };
        let has_own_tls =
            matches!(options.call.key().as_str(), "relp" | "sltp") && options.own("tls").is_some();
        let is_encrypted = has_own_tls || options.word("transport").as_deref() == Some("tls");
        let (failover, failback) = self.failover(options, port);
        let target = SocketTarget {
            ipv6,
            local: self.local_address(options)?,
            framing: if is_counted { StreamFraming::OctetCounted } else { StreamFraming::Plain },
            send_buffer: options.count("so-sndbuf", 0),
            broadcast: options.is_yes("so-broadcast"),
            tcp: tcp_options(options),
            keep_over_reload: !options.is_no("keep-alive"),
            ip: ip_options(options),
            tls: if is_encrypted { Some(SenderTls::new(self.tls(options)?)) } else { None },
            failover,
            failback,
            ..SocketTarget::new(kind)
        };
        // The sender of the target writes the count, so the renderer adds neither a count nor a line feed.
        let line = if is_counted { Framing::Datagram } else { framing };
        Some((DestinationDriver::Socket(target), self.line(options, dialect, line)?))
    }

    /// Returns the local address, by `localip()` and `localport()`. The outer `None` means an error, which is in the report.
    fn local_address(&mut self, options: &Options<'t>) -> Option<Option<SocketAddr>> {
        let port = options.port(["localport", "localport"], 0);
        let Some(option) = options.own("localip") else {
            return Some((port != 0).then(|| SocketAddr::new(any_address(options), port)));
        };
        let text = option.texts().into_iter().next().unwrap_or_default();
        match text.parse() {
            Ok(ip) => Some(Some(SocketAddr::new(ip, port))),
            Err(_) => {
                let span = option.args.first().map_or(option.span, Arg::span);
                self.report
                    .push(Diagnostic::error(span, format!("`{text}` is not an address of this machine")));
                None
            }
        }
    }

    /// Applies `spoof-source()` to a driver.
    pub(crate) fn spoofing(&mut self, options: &Options<'t>, driver: DestinationDriver) -> DestinationDriver {
        let Some(option) = options.own("spoof-source").filter(|option| option.truth() == Some(true)) else {
            return driver;
        };
        match driver {
            DestinationDriver::Socket(socket) if matches!(socket.kind, SocketKind::Udp(..)) => {
                let message_bytes_max = options.count("spoof-source-max-msglen", SPOOFED_BYTES);
                let interface = options.own_text("spoof-interface");
                DestinationDriver::Spoof(SpoofTarget { socket, message_bytes_max, interface })
            }
            driver => {
                let message = "`spoof-source()` has no effect: only UDP lets others be named as senders";
                self.report.push(Diagnostic::warning(option.name.span, message));
                driver
            }
        }
    }

    /// Makes the target of `relp()`, and the renderer of its messages.
    pub(crate) fn relp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let port = options.port(["port", "destport"], RELP_PORT);
        let kind = SocketKind::Tcp(options.plain()?, port);
        let (driver, render) = self.socket(options, kind, Framing::Datagram)?;
        let DestinationDriver::Socket(socket) = driver else { return None };
        let response_within = options.seconds("response-timeout").unwrap_or(RESPONSE_WITHIN);
        Some((DestinationDriver::Relp(RelpTarget { socket, response_within }), render))
    }
}

/// Returns the port of `network()` and `syslog()`.
pub(crate) fn remote_port(options: &Options<'_>) -> u16 {
    let port = options.globals.usual_port(&options.call.key(), &transport(options));
    options.port(["port", "destport"], port)
}

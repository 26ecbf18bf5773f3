//! `http()`, `opentelemetry()` and `webhook()` as sources.
//!
//! In: its options. Out: a listener with its limits. Holds: nothing.

use super::listeners::handshakes;
use crate::assemble::{
    lowering::Lowering,
    options::{driver::Options, values::values},
};
use crate::authorities;
use config::{Diagnostic, tree::Call};
use intake::{
    Acknowledge, ClientHeader, Dialogue, HttpOffer, HttpOptions, ListenAddress, PathPattern, RequestHeaders,
    SourceDriver, StreamListener, WebhookContent, WebhookOptions,
};
use std::{path::PathBuf, sync::Arc};
use transport::tls::{ListenerTls, PeerVerify, TlsOptions};
use wire::Framing;

/// Default port of Splunk's event collector.
const PORT: u16 = 8088;
/// Longest body of a webhook: GitHub's have up to 25 MB.
const WEBHOOK_BYTES_MAX: usize = 32 << 20;
/// Default port of OpenTelemetry's gRPC.
const OTLP_PORT: u16 = 4317;
/// The protocols of TLS that a listener takes: clients of gRPC refuse servers that do not choose theirs.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];
/// Connections at a time: every shipper of a site has some.
const CONNECTIONS_MAX: usize = 1_000;

impl<'t> Lowering<'t> {
    /// Makes the listener of `http()` or `opentelemetry()`.
    pub(crate) fn http_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let (offer, port) = match options.call.key().as_str() {
            "http" => (HttpOffer::All, PORT),
            _ => (HttpOffer::OpenTelemetry, OTLP_PORT),
        };
        let address = self.address(options, options.port(["port", "localport"], port))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        self.complete_stream(options, &mut listener);
        listener.connections.total = options.count("max-connections", CONNECTIONS_MAX);
        let in_auth = options.own("auth").and_then(|auth| auth.option("tls"));
        if let Some(tls) = options.own("tls").or(in_auth) {
            let tls = TlsOptions { protocols: PROTOCOLS.to_vec(), ..self.tls_of(tls)? };
            listener.tls = Some(ListenerTls::new(tls));
            listener.handshakes = handshakes(options, listener.handshakes);
        }
        let mut http = HttpOptions::new(options.count("max-bytes-in-work", 256 << 20));
        http.offer = offer;
        if options.word("acknowledge").as_deref() == Some("received") {
            http.acknowledge = Acknowledge::Received;
        }
        http.tokens = options.all("tokens").flat_map(Call::texts).collect();
        let empty = options.all("tokens").find(|call| call.texts().iter().any(String::is_empty));
        if let Some(call) = empty {
            return self.refuse(
                &call.name,
                "an empty token would let everybody in; leave tokens() out if that is wanted",
            );
        }
        let users = options.all("users").flat_map(values);
        http.users =
            users.map(|(name, _, secret)| (name, String::from_utf8_lossy(&secret).into_owned())).collect();
        http.prefix = options.own_text("prefix").unwrap_or_default();
        http.body_bytes_max = options.count("max-request-size", http.body_bytes_max);
        http.timeout = options.seconds("timeout").unwrap_or(http.timeout);
        http.idle_timeout = options.seconds("idle-timeout").unwrap_or(http.idle_timeout);
        listener.dialogue = Dialogue::Http(Arc::new(http));
        Some((SourceDriver::Stream(listener), Framing::Newline))
    }

    /// Makes the listener of `webhook()`.
    pub(crate) fn webhook_listener(&mut self, options: &Options<'t>) -> Option<(SourceDriver, Framing)> {
        let tls = self.webhook_tls(options)?;
        let port = if tls.is_some() { 443 } else { 80 };
        let address = self.address(options, options.port(["port", "localport"], port))?;
        let mut listener = StreamListener::new(ListenAddress::Ip(address));
        self.complete_stream(options, &mut listener);
        listener.connections.total = options.count("max-connections", CONNECTIONS_MAX);
        listener.handshakes = handshakes(options, listener.handshakes);
        listener.tls = tls;
        let mut http = HttpOptions::new(options.count("max-bytes-in-work", 256 << 20));
        http.tokens = options.own_text("auth-token").into_iter().collect();
        if let Some(call) = options.own("auth-token").filter(|_| http.tokens.iter().any(String::is_empty)) {
            return self.refuse(
                &call.name,
                "an empty token would let everybody in; leave auth-token() out if that is wanted",
            );
        }
        http.body_bytes_max = options.count("max-request-size", WEBHOOK_BYTES_MAX);
        http.timeout = options.seconds("timeout").unwrap_or(http.timeout);
        http.idle_timeout = options.seconds("idle-timeout").unwrap_or(http.idle_timeout);
        http.webhook = Some(WebhookOptions {
            paths: self.webhook_paths(options)?,
            content: match options.word("content").as_deref() {
                Some("json") => WebhookContent::Json,
                _ => WebhookContent::Any,
            },
            headers: match options.is_yes("include-request-headers") {
                true => RequestHeaders::Stored,
                false => RequestHeaders::LeftOut,
            },
            proxy_header: self.proxy_header(options)?,
        });
        listener.dialogue = Dialogue::Http(Arc::new(http));
        Some((SourceDriver::Stream(listener), Framing::Datagram))
    }

    fn webhook_paths(&mut self, options: &Options<'t>) -> Option<Vec<PathPattern>> {
        let mut paths = Vec::new();
        for option in options.all("paths") {
            for text in option.texts().iter().filter(|text| !text.is_empty()) {
                match PathPattern::parse(text) {
                    Ok(pattern) => paths.push(pattern),
                    Err(error) => {
                        let error = error.to_string();
                        let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
                        let message = format!("`paths()`: {text:?} is no regular expression: {why}");
                        self.report.push(Diagnostic::error(option.span, message));
                        return None;
                    }
                }
            }
        }
        Some(paths)
    }

    fn proxy_header(&mut self, options: &Options<'t>) -> Option<Option<ClientHeader>> {
        let name = match options.own_text("proxy-header").as_deref() {
            None | Some("" | "no") => return Some(None),
            Some("yes") => "x-forwarded-for".to_owned(),
            Some(name) => name.to_owned(),
        };
        match ClientHeader::parse(&name) {
            Some(header) => Some(Some(header)),
            None => {
                let span = options.own("proxy-header").map_or(options.call.span, |option| option.span);
                self.report.push(Diagnostic::error(span, format!("`{name}` is no name of a header")));
                None
            }
        }
    }

    /// Reads the options of TLS, which have names of their own here.
    fn webhook_tls(&mut self, options: &Options<'t>) -> Option<Option<ListenerTls>> {
        let path = |name: &str| options.own_text(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let (key_file, cert_file) = (path("tls-key-file"), path("tls-cert-file"));
        let is_verified = options.is_yes("tls-peer-verify");
        let system = || options.is_yes("tls-use-system-cert-store").then(authorities::system).flatten();
        let (ca_file, ca_dir) = (path("tls-ca-file").or_else(system), path("tls-ca-dir"));
        let needs = match (key_file.is_some(), cert_file.is_some()) {
            (false, false) if is_verified || ca_file.is_some() || ca_dir.is_some() => Some("tls-key-file"),
            (false, false) => return Some(None),
            (true, false) => Some("tls-cert-file"),
            (false, true) => Some("tls-key-file"),
            (true, true) if is_verified && ca_file.is_none() && ca_dir.is_none() => Some("tls-ca-file"),
            (true, true) => None,
        };
        if let Some(missing) = needs {
            let message = format!("an encrypted webhook() needs `{missing}()`, too");
            self.report.push(Diagnostic::error(options.call.name.span, message));
            return None;
        }
        Some(Some(ListenerTls::new(TlsOptions {
            peer_verify: if is_verified {
                PeerVerify::RequiredTrusted
            } else {
                PeerVerify::OptionalUntrusted
            },
            key_file,
            cert_file,
            ca_file,
            ca_dir,
            passwords: self.environment.passwords.clone(),
            ..TlsOptions::default()
        })))
    }
}

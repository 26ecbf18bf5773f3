//! What destinations over gRPC have in common.
//!
//! In: their options. Out: the server, and what all requests share. Holds: nothing.
//! Limits: an address that cannot be used is an error with its position; so are statuses and headers that do not exist.

use crate::assemble::{
    lowering::Lowering,
    options::{connections::server, driver::Options},
};
use crate::authorities;
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use message::Render;
use services::{Compression, GrpcSettings, GrpcStatus, KeepAlive, ResponseAction};
use std::{sync::Arc, time::Duration};
use transport::{
    Endpoint,
    tls::{SenderTls, TlsOptions},
};

/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// How long an answer to a ping may take.
const PONG_WITHIN: Duration = Duration::from_secs(20);
/// The protocol that a client of gRPC offers in a handshake of TLS.
const PROTOCOL: &[u8] = b"h2";
/// The beginnings of addresses, as the library for gRPC knows them, that say nothing more.
const PLAIN_SCHEMES: [&str; 7] =
    ["http://", "dns:///", "dns:", "ipv4:", "ipv6:", "passthrough:///", "passthrough:"];
/// Headers that are not the user's to set.
const OUR_HEADERS: [&str; 5] = ["te", "content-type", "grpc-timeout", "grpc-encoding", "host"];

/// Headers whose values depend on the message.
pub(super) type Templated = Vec<(String, Box<dyn Render>)>;

impl<'t> Lowering<'t> {
    /// Makes the settings of a destination, and its headers that depend on the message.
    pub(super) fn grpc_settings(
        &mut self,
        options: &Options<'t>,
        port: u16,
    ) -> Option<(GrpcSettings, Templated)> {
        let endpoint = self.grpc_endpoint(options, port)?;
        let (headers, templated) = self.grpc_headers(options)?;
        let pings = options.own("keep-alive");
        let ms = |name: &str| {
            let written = pings.and_then(|pings| pings.option(name)).and_then(Call::number);
            written.map(|ms| Duration::from_millis(ms.unsigned_abs()))
        };
        let settings = GrpcSettings {
            endpoint,
            headers,
            compression: match options.is_yes("compression") {
                true => Compression::Gzip,
                false => Compression::None,
            },
            timeout: options.seconds("timeout").filter(|wait| !wait.is_zero()).unwrap_or(ANSWER_WITHIN),
            keep_alive: ms("time")
                .map(|every| KeepAlive { every, timeout: ms("timeout").unwrap_or(PONG_WITHIN) }),
            actions: self.grpc_actions(options)?,
            bounds_errors: options.own("retries").is_some(),
        };
        Some((settings, templated))
    }

    /// Parses `url("host:4317")` and the TLS of `auth()`.
    fn grpc_endpoint(&mut self, options: &Options<'t>, port: u16) -> Option<Endpoint> {
        let option = options.own("url")?;
        let text = option.text().unwrap_or_default();
        let is_https = text.starts_with("https://");
        let bare = PLAIN_SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
        let bare = bare.strip_prefix("https://").unwrap_or(bare).trim_end_matches('/');
        let (host, port) = match bare.strip_prefix("unix:") {
            Some(path) => (path.trim_start_matches("//").to_owned(), port),
            None => {
                let server = server(bare, port);
                (server.host, server.port)
            }
        };
        let is_path = host.starts_with('/');
        if host.is_empty() || !is_path && host.contains(['/', '@', '?', '#', ' ', '$']) {
            let message = format!("`{text}` is no address of a server");
            let help = format!("write host:{port}, without a path");
            self.report.push(Diagnostic::error(option.span, message).help(help));
            return None;
        }
        let auth = options.own("auth");
        let is_insecure = auth.is_some_and(|auth| auth.option("insecure").is_some());
        let tls = match auth.and_then(|auth| auth.option("tls")) {
            Some(tls) => {
                let tls = self.tls_of(tls)?;
                let has_none = tls.ca_file.is_none() && tls.ca_dir.is_none();
                Some(TlsOptions {
                    ca_file: tls.ca_file.or_else(|| has_none.then(authorities::system).flatten()),
                    ..tls
                })
            }
            None if is_https && !is_insecure => {
                Some(TlsOptions { ca_file: authorities::system(), ..TlsOptions::default() })
            }
            None => None,
        };
        let tls = tls.map(|tls| SenderTls::new(TlsOptions { sni: true, protocols: vec![PROTOCOL], ..tls }));
        Some(Endpoint { host, port, tls })
    }

    /// Parses `headers("name" => "template")`, or `"Name: value"`.
    fn grpc_headers(&mut self, options: &Options<'t>) -> Option<(Vec<(String, String)>, Templated)> {
        let (mut constant, mut templated) = (Vec::new(), Vec::new());
        for arg in options.all("headers").flat_map(|option| &option.args) {
            let text = arg.text().and_then(|text| text.split_once(':'));
            let name = match (arg, text) {
                (Arg::Pair(name, _), _) => name.text.trim().to_ascii_lowercase(),
                (_, Some((name, _))) => name.trim().to_ascii_lowercase(),
                _ => String::new(),
            };
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let is_name = !name.is_empty() && name.bytes().all(is_letter);
            if !is_name || OUR_HEADERS.contains(&name.as_str()) || name.ends_with("-bin") {
                let message = "this is no header that can be sent";
                let help = "write \"name\" => \"template\"; names are letters, digits, `-`, `_` and `.`";
                self.report.push(Diagnostic::error(arg.span(), message).help(help));
                return None;
            }
            match (arg, text) {
                (Arg::Pair(_, value), _) => {
                    let template = self.template_argument(value).map(Arc::new)?;
                    let value = self.template_renderer(template, options);
                    match value.constant() {
                        Some(text) => constant.push((name, text.to_owned())),
                        None => templated.push((name, value)),
                    }
                }
                (_, text) => constant.push((name, text.unwrap_or_default().1.trim().to_owned())),
            }
        }
        Some((constant, templated))
    }

    /// Parses `response-action(unavailable => retry)`.
    fn grpc_actions(&mut self, options: &Options<'t>) -> Option<Vec<(GrpcStatus, ResponseAction)>> {
        let mut actions = Vec::new();
        for arg in options.all("response-action").flat_map(|option| &option.args) {
            let Arg::Pair(status, action) = arg else { continue };
            let known = GrpcStatus::from_name(&status.text);
            let Some(pair) = known.zip(response_action(action)) else {
                let message = "this is no status with what it means";
                let help = "a status of gRPC such as unavailable => one of success, drop, retry, disconnect";
                self.report.push(Diagnostic::error(status.span, message).help(help));
                return None;
            };
            actions.push(pair);
        }
        Some(actions)
    }
}

/// Returns the meaning that a word gives to a status.
pub(super) fn response_action(arg: &Arg) -> Option<ResponseAction> {
    match arg.text() {
        Some("success") => Some(ResponseAction::Success),
        Some("drop") => Some(ResponseAction::Drop),
        Some("retry") => Some(ResponseAction::Retry),
        Some("disconnect") => Some(ResponseAction::Disconnect),
        _ => None,
    }
}

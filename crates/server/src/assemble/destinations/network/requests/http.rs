//! `http()` as a destination.
//!
//! In: its options. Out: a target with its requests. Holds: nothing.
//! Limits: an unusable URL is an error with its position.

use super::grpc::response_action;
use crate::assemble::{
    destinations::{batches::batches, reshaping::reshaped},
    lowering::Lowering,
    options::{connections::server, driver::Options},
};
use crate::authorities;
use base64::{Engine, engine::general_purpose::STANDARD};
use config::Diagnostic;
use config::tree::{Arg, Name};
use delivery::{DestinationDriver, Server};
use message::Render;
use services::{
    AckOptions, Compression, HttpReceiver, HttpTarget, ItemIds, ItemResults, RequestSettings, ResponseAction,
};
use std::{sync::Arc, time::Duration};
use transport::tls::{SenderTls, TlsOptions};

/// Default port of proxies.
const PROXY_PORT: u16 = 1080;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// Longest wait for the acknowledgement of Splunk's indexers.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(300);
/// Pause before they are first asked.
const ASKED_AFTER: Duration = Duration::from_millis(250);
/// The path of Splunk's event collector.
const COLLECTOR: &str = "/services/collector";
/// Time for which a failed server is skipped, as in syslog-ng.
const RECOVERY: Duration = Duration::from_secs(60);

/// Options of `tls()` that may be given directly in `http()`.
const TLS_OPTIONS: [&str; 9] = [
    "ca-dir",
    "ca-file",
    "cert-file",
    "key-file",
    "cipher-suite",
    "ssl-version",
    "use-system-cert-store",
    "peer-verify",
    "ocsp-stapling-verify",
];

impl<'t> Lowering<'t> {
    /// Makes the receiver of `http()`. It renders by itself: the other template only shows what it sends.
    pub(crate) fn http_target(
        &mut self,
        options: &Options<'t>,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let urls = self.urls(options)?;
        let body = match options.own("body") {
            Some(option) => self.named_or_text(option)?,
            None => {
                self.template(&Name { text: "$MESSAGE".to_owned(), span: options.call.span }).map(Arc::new)?
            }
        };
        // One for the receiver, and one for `duramen explain`.
        let shown = self.template_renderer(body.clone(), options);
        let body = self.template_renderer(body, options);
        let text = |name: &str, default: &str| options.own_text(name).unwrap_or_else(|| default.to_owned());
        let target = HttpTarget {
            body_prefix: text("body-prefix", ""),
            body_suffix: text("body-suffix", ""),
            delimiter: text("delimiter", "\n"),
            ..self.http_requests(options, urls, body, 1)?
        };
        Some((DestinationDriver::Receiver(Box::new(HttpReceiver::new(target))), shown))
    }

    /// Returns a target with nothing around its messages: the form of its requests, and the reactions to their answers.
    pub(crate) fn http_requests(
        &mut self,
        options: &Options<'t>,
        urls: Vec<Box<dyn Render>>,
        body: Box<dyn Render>,
        batch_lines: usize,
    ) -> Option<HttpTarget> {
        Some(HttpTarget {
            acks: self.indexer_acks(options, &urls)?,
            urls,
            body: reshaped(body, options),
            body_prefix: String::new(),
            body_suffix: String::new(),
            delimiter: String::new(),
            batches: batches(options, batch_lines, 0),
            recovery: RECOVERY,
            actions: self.response_actions(options)?,
            item_results: match options.own_text("item-results").as_deref() {
                Some("yes") => ItemResults::Always,
                Some("no") => ItemResults::Never,
                _ => ItemResults::ByAddress,
            },
            item_ids: match options.own_text("item-ids").as_deref() {
                Some("no") => ItemIds::OfServer,
                _ => ItemIds::OfMessages,
            },
            times: None,
            auth: self.cloud_auth(options)?,
            header_class: self.python_header(options)?,
            indexes: self.index_setup(options)?,
            settings: Arc::new(self.request_settings(options)?),
        })
    }

    /// Parses `use-ack()` and `ack-timeout()`. The outer `None` means an error, which is in the report.
    fn indexer_acks(
        &mut self,
        options: &Options<'t>,
        urls: &[Box<dyn Render>],
    ) -> Option<Option<AckOptions>> {
        let within = options.seconds("ack-timeout");
        let Some(option) = options.own("use-ack").filter(|option| option.truth() == Some(true)) else {
            if let Some(option) = options.own("ack-timeout") {
                let message = "`ack-timeout()` has no effect without use-ack(yes)";
                self.report.push(Diagnostic::warning(option.name.span, message));
            }
            return Some(None);
        };
        let mut known = urls.iter().filter_map(|url| url.constant());
        if known.any(|url| !url.contains(COLLECTOR)) {
            let message = "`use-ack()` is possible only for Splunk's HTTP event collector: an address with /services/collector";
            self.report.push(Diagnostic::error(option.name.span, message));
            return None;
        }
        let within = within.unwrap_or(ACKNOWLEDGED_WITHIN);
        Some(Some(AckOptions { within, asked_after: ASKED_AFTER }))
    }

    /// Parses `url("http://a/" "http://b/")`; one text may also hold several, separated by blanks.
    fn urls(&mut self, options: &Options<'t>) -> Option<Vec<Box<dyn Render>>> {
        let mut urls = Vec::new();
        for arg in options.all("url").flat_map(|option| &option.args) {
            let (Arg::Text(name) | Arg::Word(name)) = arg else { continue };
            let parts: Vec<&str> = name.text.split_whitespace().collect();
            let is_list = parts.len() > 1 && parts.iter().all(|part| part.starts_with("http"));
            let texts = if is_list { parts } else { vec![name.text.as_str()] };
            for text in texts {
                let name = Name { text: text.to_owned(), span: name.span };
                if let Some(reason) = url_problem(text) {
                    self.report.push(Diagnostic::error(name.span, format!("`{text}` {reason}")));
                    return None;
                }
                let template = self.template(&name).map(Arc::new)?;
                urls.push(self.template_renderer(template, options));
            }
        }
        Some(urls)
    }

    /// Parses the settings that all requests share.
    pub(crate) fn request_settings(&mut self, options: &Options<'t>) -> Option<RequestSettings> {
        let mut headers = Vec::new();
        for arg in options.all("headers").flat_map(|option| &option.args) {
            let (text, span) = (arg.text().unwrap_or_default(), arg.span());
            let pair = text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let good = pair.filter(|(name, value)| {
                !name.is_empty()
                    && name.bytes().all(is_name)
                    && !value.bytes().any(|byte| byte.is_ascii_control())
            });
            let Some((name, value)) = good else {
                let message = format!("`{text}` is no header; write \"Name: value\"");
                self.report.push(Diagnostic::error(span, message));
                return None;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        if let Some(user) = options.own_text("user") {
            let secret = options.own_text("password").unwrap_or_default();
            let encoded = STANDARD.encode(format!("{user}:{secret}"));
            headers.push(("Authorization".to_owned(), format!("Basic {encoded}")));
        }
        if let Some(agent) = options.own_text("user-agent") {
            headers.push(("User-Agent".to_owned(), agent));
        }
        Some(RequestSettings {
            method: options.own_text("method").unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase(),
            headers,
            compression: match options.own_text("content-compression").as_deref() {
                Some("gzip") => Compression::Gzip,
                Some("deflate") => Compression::Deflate,
                _ => Compression::None,
            },
            timeout: options.seconds("timeout").filter(|wait| !wait.is_zero()).unwrap_or(ANSWER_WITHIN),
            follows_redirects: options.is_yes("accept-redirects"),
            proxy: self.proxy(options)?,
            tls: SenderTls::new(self.request_tls(options)?),
        })
    }

    /// Parses `proxy("http://host:port")`. The outer `None` means an error, which is in the report.
    pub(super) fn proxy(&mut self, options: &Options<'t>) -> Option<Option<Server>> {
        let Some(option) = options.own("proxy") else { return Some(None) };
        let text = option.text().unwrap_or_default();
        if text.is_empty() {
            return Some(None);
        }
        let bare = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
        if bare.is_empty() || bare.contains(['/', '@']) {
            let message = format!("`{text}` is no proxy; write http://host:port");
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        Some(Some(server(bare, PROXY_PORT)))
    }

    /// Parses `tls()`; without it the CAs of the machine are trusted. The name of the server is always sent
    /// (SNI).
    fn request_tls(&mut self, options: &Options<'t>) -> Option<TlsOptions> {
        let beside = TLS_OPTIONS.iter().filter(|name| options.own(name).is_some()).count() > 0;
        let in_auth = options.own("auth").and_then(|auth| auth.option("tls"));
        let tls = match options.own("tls").or(in_auth) {
            Some(tls) => self.tls_of(tls)?,
            // Options of tls() are also accepted in http() itself, as in old configurations.
            None if beside => {
                let tls = self.tls_of(options.call)?;
                let has_none = tls.ca_file.is_none() && tls.ca_dir.is_none();
                TlsOptions {
                    ca_file: tls.ca_file.or_else(|| has_none.then(authorities::system).flatten()),
                    ..tls
                }
            }
            None => TlsOptions { ca_file: authorities::system(), ..TlsOptions::default() },
        };
        Some(TlsOptions { sni: true, ..tls })
    }

    /// Refuses `tls()` for an address that is not encrypted.
    pub(crate) fn only_encrypted(&mut self, options: &Options<'t>, url: &str) -> Option<()> {
        let in_auth = options.own("auth").and_then(|auth| auth.option("tls"));
        match options.own("tls").or(in_auth).filter(|_| url.starts_with("http://")) {
            Some(tls) => {
                let message = "`tls()` needs an address that begins with https://";
                self.report.push(Diagnostic::error(tls.span, message));
                None
            }
            None => Some(()),
        }
    }

    /// Parses `response-action(418 => drop, 500 => retry)`.
    fn response_actions(&mut self, options: &Options<'t>) -> Option<Vec<(u16, ResponseAction)>> {
        let mut actions = Vec::new();
        for arg in options.all("response-action").flat_map(|option| &option.args) {
            let Arg::Pair(status, action) = arg else { continue };
            let code = status.text.parse().ok().filter(|code| (100..600).contains(code));
            let Some(pair) = code.zip(response_action(action)) else {
                let message = "this is no status with what it means";
                let help = "a status from 100 to 599 => one of success, drop, retry, disconnect";
                self.report.push(Diagnostic::error(status.span, message).help(help));
                return None;
            };
            actions.push(pair);
        }
        Some(actions)
    }
}

/// Returns an address as it is written when it has a path, and with this one otherwise.
pub(super) fn with_path(url: &str, path: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let has_path = rest.split_once('/').is_some_and(|(_, path)| !path.is_empty());
    if has_path { url.to_owned() } else { format!("{}{path}", url.trim_end_matches('/')) }
}

/// Returns the reason why a URL cannot be used.
pub(super) fn url_problem(text: &str) -> Option<&'static str> {
    if text.starts_with('$') {
        // A template produces the whole URL.
        return None;
    }
    let Some(rest) = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) else {
        return Some("is no URL; it begins with http:// or https://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    (host.is_empty()).then_some("has no host")
}

//! `nats()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a subject that cannot be published to is refused; so are WebSockets.

use super::endpoint::{BATCH_BYTES, answer_within, machine_tls};
use crate::assemble::{
    destinations::batches::batches,
    lowering::Lowering,
    options::{connections::server, driver::Options},
};
use config::{Diagnostic, tree::Call};
use delivery::{DestinationDriver, Server};
use message::Render;
use outputs::{NatsReceiver, NatsStorage, NatsTarget, check_subject};
use std::time::Duration;
use transport::{Endpoint, nats::NatsLogin};

const PORT: u16 = 4222;
/// Publications that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for an answer.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `nats()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn nats(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = self.nats_server(options, nats_url(options))?;
        let written = options.own("subject")?;
        let subject = self.named_or_text(written)?;
        let subject = self.template_renderer(subject, options);
        if let Some(error) = subject.constant().and_then(|name| check_subject(name.as_bytes()).err()) {
            self.report.push(Diagnostic::error(written.span, format!("`subject()`: {error}")));
            return None;
        }
        let (text, shown) = self.broker_text(options, "template")?;
        let target = NatsTarget {
            server,
            login: self.nats_login(options),
            subject,
            text,
            storage: match options.own("jetstream").and_then(Call::truth) {
                Some(false) => NatsStorage::Nobody,
                _ => NatsStorage::Stream,
            },
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(NatsReceiver::new(target))), shown))
    }

    /// Returns who we are.
    pub(crate) fn nats_login(&self, options: &Options<'t>) -> NatsLogin {
        let own = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        NatsLogin { user: own("username"), password: own("password"), token: own("token") }
    }

    /// Parses `url("nats://host:port,nats://host:port")`.
    pub(crate) fn nats_servers(&mut self, options: &Options<'t>) -> Option<Vec<Endpoint>> {
        let urls = nats_url(options).split(',').map(str::trim);
        urls.map(|url| self.nats_server(options, url)).collect()
    }

    /// Parses `nats://host:port`.
    fn nats_server(&mut self, options: &Options<'t>, url: &str) -> Option<Endpoint> {
        let (scheme, place) = url.split_once("://").unwrap_or(("nats", url));
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "nats" | "tls") || place.is_empty() || place.contains(['@', ',']) {
            let span = options.own("url").map_or(options.call.name.span, |option| option.span);
            let error =
                Diagnostic::error(span, format!("`{url}` is no address of a NATS server that is known here"));
            self.report.push(error.help("url(\"nats://HOST:4222\") or url(\"tls://HOST:4222\"), with username() and password() beside it"));
            return None;
        }
        let Server { host, port } = server(place.trim_end_matches('/'), PORT);
        let tls = match self.encryption(options, &host)? {
            None if scheme == "tls" => Some(machine_tls()),
            tls => tls,
        };
        Some(Endpoint { host, port, tls })
    }
}

/// Returns `url()`.
fn nats_url<'t>(options: &Options<'t>) -> &'t str {
    options.own("url").and_then(Call::text).unwrap_or("nats://localhost:4222")
}

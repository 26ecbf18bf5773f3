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
use outputs::{NatsLogin, NatsReceiver, NatsStorage, NatsTarget, check_subject};
use std::time::Duration;
use transport::Endpoint;

const PORT: u16 = 4222;
/// Publications that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `nats()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn nats(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = self.nats_server(options)?;
        let written = options.own("subject")?;
        let subject = self.named_or_text(written)?;
        let subject = self.template_renderer(subject, options);
        if let Some(error) = subject.constant().and_then(|name| check_subject(name.as_bytes()).err()) {
            self.report.push(Diagnostic::error(written.span, format!("`subject()`: {error}")));
            return None;
        }
        let (text, shown) = self.broker_text(options, "template")?;
        let own = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let target = NatsTarget {
            server,
            login: NatsLogin { user: own("username"), password: own("password"), token: own("token") },
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

    /// Parses `url("nats://host:port")`.
    fn nats_server(&mut self, options: &Options<'t>) -> Option<Endpoint> {
        let written = options.own("url");
        let url = written.and_then(Call::text).unwrap_or("nats://localhost:4222");
        let (scheme, place) = url.split_once("://").unwrap_or(("nats", url));
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "nats" | "tls") || place.contains(['@', ',']) {
            let span = written.map_or(options.call.name.span, |option| option.span);
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

//! `riemann()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a metric is a number, so a type hint of another kind is refused.

use super::endpoint::{BATCH_BYTES, answer_within};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use delivery::DestinationDriver;
use message::{Render, ValueKind};
use outputs::{EventTags, EventTime, MetricKind, RiemannReceiver, RiemannTarget, RiemannWire, UnfitMetric};
use std::time::Duration;
use template::OnError;
use transport::Endpoint;

const PORT: u16 = 5555;
/// Events of a message.
const BATCH_LINES: usize = 1000;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Options of `tls()` that may stand in `type()`.
const TLS_OPTIONS: [&str; 3] = ["ca-file", "cert-file", "key-file"];

impl<'t> Lowering<'t> {
    /// Makes the receiver of `riemann()`. It renders by itself: the template beside it only shows the description.
    pub(crate) fn riemann(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let (server, wire) = self.riemann_server(options)?;
        let shown = match options.own("description") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("", options)?,
        };
        let shown = self.template_renderer(shown, options);
        let host = self.riemann_field(options, "host", Some("$HOST"))??;
        let service = self.riemann_field(options, "service", Some("$PROGRAM"))??;
        let time = self.riemann_field(options, "event-time", Some("$UNIXTIME"))??;
        let attributes = match options.own("attributes") {
            Some(option) => {
                let pairs = self.pairs_and_names(option)?;
                Some(self.pairs_renderer(pairs, options))
            }
            None => None,
        };
        let target = RiemannTarget {
            server,
            wire,
            host,
            service,
            time: (time, self.event_time(options)?),
            state: self.riemann_field(options, "state", None)?,
            description: self.riemann_field(options, "description", None)?,
            ttl: self.riemann_field(options, "ttl", None)?,
            metric: self.riemann_metric(options)?,
            tags: match options.own("tags") {
                Some(tags) => EventTags::Fixed(tags.texts().iter().map(|tag| (*tag).to_owned()).collect()),
                None => EventTags::OfMessage,
            },
            attributes,
            unfit: match self.render_options(options).on_error {
                OnError::DropMessage => UnfitMetric::Dead,
                OnError::DropProperty | OnError::FallbackToString => UnfitMetric::LeftOut,
            },
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(RiemannReceiver::new(target))), shown))
    }

    /// Makes the template of a field; `None` within is a field that is not set.
    fn riemann_field(
        &mut self,
        options: &Options<'t>,
        name: &str,
        default: Option<&str>,
    ) -> Option<Option<Box<dyn Render>>> {
        let template = match (options.own(name), default) {
            (Some(option), _) => self.named_or_text(option)?,
            (None, Some(default)) => self.built_in_template(default, options)?,
            (None, None) => return Some(None),
        };
        Some(Some(self.template_renderer(template, options)))
    }

    fn riemann_metric(&mut self, options: &Options<'t>) -> Option<Option<(Box<dyn Render>, MetricKind)>> {
        let Some(option) = options.own("metric") else { return Some(None) };
        let template = self.named_or_text(option)?;
        let kind = match template.hint().map(|hint| hint.kind()) {
            Some(ValueKind::Integer) => MetricKind::Integer,
            None | Some(ValueKind::Double | ValueKind::String) => MetricKind::Double,
            Some(_) => {
                let error = Diagnostic::error(option.span, "`metric()` is a number");
                self.report.push(error.help("metric(int(\"$PID\")) or metric(double(\"$VALUE\"))"));
                return None;
            }
        };
        Some(Some((self.template_renderer(template, options), kind)))
    }

    /// Reads the unit behind the template of `event-time()`.
    fn event_time(&mut self, options: &Options<'t>) -> Option<EventTime> {
        let Some(option) = options.own("event-time") else { return Some(EventTime::Seconds) };
        match option.args.get(1).map(|unit| unit.text().unwrap_or_default()) {
            None | Some("seconds") => Some(EventTime::Seconds),
            Some("microseconds") => Some(EventTime::Microseconds),
            Some(_) => {
                let error = Diagnostic::error(option.span, "`event-time()` has a unit that is not known");
                self.report.push(error.help("event-time(\"$UNIXTIME\" seconds), or microseconds"));
                None
            }
        }
    }

    fn riemann_server(&mut self, options: &Options<'t>) -> Option<(Endpoint, RiemannWire)> {
        let host = options.own_text("server").filter(|host| !host.is_empty());
        let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
        let written = options.own("type");
        let kind = written.and_then(Call::text).unwrap_or("tcp").to_ascii_lowercase();
        let inside = written.filter(|written| {
            let is_tls =
                |arg: &Arg| matches!(arg, Arg::Call(call) if TLS_OPTIONS.contains(&call.key().as_str()));
            written.args.iter().any(is_tls)
        });
        let span = written.map_or(options.call.name.span, |option| option.span);
        let (tls, wire) = match (kind.as_str(), options.own("tls"), inside) {
            ("tls", Some(tls), Some(_)) => {
                let message = "`tls()` and options of TLS in `type()` cannot be used together";
                self.report.push(Diagnostic::error(tls.span, message));
                return None;
            }
            ("tls", None, Some(inside)) => (self.encryption_by(inside, &host)?, RiemannWire::Stream),
            ("tls", Some(_), None) => (self.encryption(options, &host)?, RiemannWire::Stream),
            ("tls", None, None) => (Some(super::endpoint::machine_tls()), RiemannWire::Stream),
            ("tcp" | "udp", Some(tls), _) => {
                let error = Diagnostic::error(tls.span, "`tls()` needs `type(tls)`");
                self.report.push(error);
                return None;
            }
            ("tcp", None, _) => (None, RiemannWire::Stream),
            ("udp", None, _) => (None, RiemannWire::Datagrams),
            _ => {
                let error = Diagnostic::error(span, format!("`{kind}` is no way to reach Riemann"));
                self.report.push(error.help("type(tcp), type(tls) or type(udp)"));
                return None;
            }
        };
        Some((Endpoint { host, port: options.port(["port", "port"], PORT), tls }, wire))
    }
}

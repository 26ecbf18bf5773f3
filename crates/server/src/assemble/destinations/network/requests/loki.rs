//! `loki()` of the language: Loki's push over gRPC or HTTP.
//!
//! In: its options. Out: a target with its requests, and an object of JSON for each message: its labels, time
//! and line. Holds: nothing. Limits: an address that begins with `http://` or `https://` is that of the HTTP API.

use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use config::tree::{Arg, Call};
use delivery::DestinationDriver;
use message::{Batch, Render, Stamp};
use services::{Compression, HttpReceiver, HttpTarget, LOKI_MOVED_NS, LokiReceiver, LokiTarget, LokiTime};
use std::sync::Arc;

/// Path of Loki's push endpoint.
const PATH: &str = "/loki/api/v1/push";
/// The template of a line without `template()`.
const LINE: &str = "$ISODATE $HOST $MSGHDR$MSG";
/// Default port of Loki's gRPC.
const GRPC_PORT: u16 = 9095;
/// Offset of the nanoseconds in the text of a message, behind `{"values":[["` and ten digits of seconds.
const NANOSECONDS_AT: usize = 23;
/// Messages of a request.
const BATCH_LINES: usize = 100;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `loki()`, and a renderer that shows what it sends.
    pub(crate) fn loki(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let text = options.own_text("url").unwrap_or_default();
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return self.loki_grpc(options);
        }
        let url = self.loki_url(options)?;
        let (entry, shown) = (self.loki_entry(options)?, self.loki_entry(options)?);
        let mut target = HttpTarget {
            body_prefix: "{\"streams\":[".to_owned(),
            body_suffix: "]}".to_owned(),
            delimiter: ",".to_owned(),
            times: Some((NANOSECONDS_AT, LOKI_MOVED_NS)),
            ..self.http_requests(options, vec![url], Box::new(entry), BATCH_LINES)?
        };
        let settings = Arc::make_mut(&mut target.settings);
        settings.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        if let Some(tenant) = options.own_text("tenant-id").filter(|tenant| !tenant.is_empty()) {
            settings.headers.push(("X-Scope-OrgID".to_owned(), tenant));
        }
        if options.is_yes("compression") {
            settings.compression = Compression::Gzip;
        }
        Some((DestinationDriver::Receiver(Box::new(HttpReceiver::new(target))), Box::new(shown)))
    }

    /// Makes the receiver for gRPC.
    fn loki_grpc(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let (mut settings, headers) = self.grpc_settings(options, GRPC_PORT)?;
        if let Some(tenant) = options.own_text("tenant-id").filter(|tenant| !tenant.is_empty()) {
            settings.headers.push(("x-scope-orgid".to_owned(), tenant));
        }
        let (entry, shown) = (self.loki_entry(options)?, self.loki_entry(options)?);
        let target = LokiTarget {
            settings,
            headers,
            labels: entry.labels,
            line: entry.line,
            time: entry.time,
            batches: batches(options, BATCH_LINES, 0),
        };
        Some((DestinationDriver::Receiver(Box::new(LokiReceiver::new(target))), Box::new(shown)))
    }

    fn loki_entry(&mut self, options: &Options<'t>) -> Option<Entry> {
        let line = match options.own("template") {
            Some(_) => self.driver_template(options, "template")?,
            None => self.built_in_template(LINE, options)?,
        };
        Some(Entry {
            line: self.template_renderer(line, options),
            labels: self.loki_labels(options)?,
            time: match options.word("timestamp").as_deref() {
                Some("received") => LokiTime::Received,
                Some("msg") => LokiTime::Message,
                _ => LokiTime::Current,
            },
            now: Stamp::default(),
            text: Vec::new(),
        })
    }

    /// Parses `url("http://host:3100")`; a path in it is kept.
    fn loki_url(&mut self, options: &Options<'t>) -> Option<Box<dyn Render>> {
        let arg = options.own("url")?.args.first()?;
        let text = arg.text().unwrap_or_default();
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) {
            let message = format!("`{text}` is no address of an HTTP API");
            let help = "http://host:3100; for gRPC host:9095";
            self.report.push(Diagnostic::error(arg.span(), message).help(help));
            return None;
        }
        self.only_encrypted(options, text)?;
        let whole = super::http::with_path(text, PATH);
        let template = self.built_in_template(&whole, options)?;
        Some(self.template_renderer(template, options))
    }

    /// Parses `labels("app" => "$PROGRAM", "host" => "$HOST")`.
    fn loki_labels(&mut self, options: &Options<'t>) -> Option<Vec<(String, Box<dyn Render>)>> {
        let mut labels = Vec::new();
        for arg in options.all("labels").flat_map(|option: &Call| &option.args) {
            let Arg::Pair(name, value) = arg else {
                let message = "this is no label; write \"name\" => \"template\"";
                self.report.push(Diagnostic::error(arg.span(), message));
                return None;
            };
            if !is_label(&name.text) {
                let message = format!("`{}` cannot be the name of a label", name.text);
                let help = "letters, digits and _, no digit first";
                self.report.push(Diagnostic::error(name.span, message).help(help));
                return None;
            }
            let template = self.template_argument(value).map(Arc::new)?;
            labels.push((name.text.clone(), self.template_renderer(template, options)));
        }
        if labels.is_empty() {
            let message = "Loki takes nothing without labels: give at least one";
            self.report.push(Diagnostic::error(options.call.span, message));
            return None;
        }
        Some(labels)
    }
}

fn is_label(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// Renders a message as a stream of one line.
struct Entry {
    labels: Vec<(String, Box<dyn Render>)>,
    line: Box<dyn Render>,
    time: LokiTime,
    now: Stamp,
    /// A value before it is written as JSON.
    text: Vec<u8>,
}

impl Entry {
    /// Appends a text as JSON; bytes that are not UTF-8 become U+FFFD.
    fn push_text(text: &[u8], out: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(text);
        serde_json::to_writer(&mut *out, &text).expect("memory takes what is written to it");
    }
}

impl Render for Entry {
    fn begin(&mut self, now: Stamp) {
        self.now = now;
        self.line.begin(now);
        self.labels.iter_mut().for_each(|(_, value)| value.begin(now));
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        let stamp = match self.time {
            LokiTime::Current => self.now,
            LokiTime::Received => batch.received_of(index),
            LokiTime::Message => batch.messages[index].event,
        };
        // The time first, always as long: `NANOSECONDS_AT` is where its nanoseconds are.
        let at = i128::from(stamp.unix_us.max(0)) * 1000;
        out.extend_from_slice(format!("{{\"values\":[[\"{at:019}\",").as_bytes());
        self.text.clear();
        self.line.render(batch, index, sequence, &mut self.text);
        Self::push_text(&self.text, out);
        out.extend_from_slice(b"]],\"stream\":{");
        let first = out.len();
        for (name, value) in &mut self.labels {
            self.text.clear();
            value.render(batch, index, sequence, &mut self.text);
            // A label without a value is left out.
            if self.text.is_empty() {
                continue;
            }
            if out.len() > first {
                out.push(b',');
            }
            Self::push_text(name.as_bytes(), out);
            out.push(b':');
            Self::push_text(&self.text, out);
        }
        out.extend_from_slice(b"}}");
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

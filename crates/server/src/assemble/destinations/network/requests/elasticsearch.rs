//! `elasticsearch2()` and `elasticsearch()` of the language: destinations that needed Java, over the bulk interface of HTTP.
//!
//! In: their options. Out: a receiver. Holds: nothing.
//! Limits: the port of Elasticsearch's own protocol becomes that of HTTP, with a warning.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Call, Name},
};
use delivery::{Batches, DestinationDriver};
use message::{Batch, Render, Stamp};
use services::{HttpReceiver, HttpTarget};
use std::sync::Arc;

/// Port of the HTTP interface.
const PORT: i64 = 9200;
/// Ports of the protocol that only Java's clients spoke.
const OWN_PORTS: std::ops::RangeInclusive<i64> = 9300..=9400;
/// Messages of a request.
const BATCH_LINES: usize = 5_000;
/// The document without `template()`.
const DOCUMENT: &str = "$(format-json --scope rfc5424 --exclude DATE --key ISODATE @timestamp=${ISODATE})";

impl<'t> Lowering<'t> {
    /// Makes the receiver, and a renderer that shows what it sends.
    pub(crate) fn elasticsearch(
        &mut self,
        options: &Options<'t>,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let mut urls = Vec::new();
        for address in self.elasticsearch_addresses(options)? {
            let template = self.built_in_template(&address, options)?;
            urls.push(self.template_renderer(template, options));
        }
        let (body, shown) = (self.elasticsearch_body(options)?, self.elasticsearch_body(options)?);
        let target = self.http_requests(options, urls, Box::new(body), BATCH_LINES)?;
        let count = |name: &str| options.own(name).and_then(Call::number);
        let workers = count("concurrent-requests").and_then(|count| usize::try_from(count).ok());
        let mut target = HttpTarget {
            body_suffix: "\n".to_owned(),
            delimiter: "\n".to_owned(),
            batches: Batches { workers: workers.unwrap_or(target.batches.workers).max(1), ..target.batches },
            ..target
        };
        let settings = Arc::make_mut(&mut target.settings);
        settings.headers.push(("Content-Type".to_owned(), "application/x-ndjson".to_owned()));
        Some((DestinationDriver::Receiver(Box::new(HttpReceiver::new(target))), Box::new(shown)))
    }

    /// Returns the addresses of `cluster-url()`, or of `server()` and `port()`.
    fn elasticsearch_addresses(&mut self, options: &Options<'t>) -> Option<Vec<String>> {
        let is_https = options.own_text("client-mode").as_deref() == Some("https");
        let scheme = if is_https { "https" } else { "http" };
        let written = options.own("port").and_then(Call::number);
        let port = match (written, options.own("port")) {
            (Some(port), Some(option)) if OWN_PORTS.contains(&port) => {
                let message = format!(
                    "port {port} is that of Elasticsearch's own protocol; documents are sent to port {PORT}, over HTTP"
                );
                self.report.push(Diagnostic::warning(option.span, message));
                PORT
            }
            (written, _) => written.unwrap_or(PORT),
        };
        let hosts = options.own_text("server").unwrap_or_else(|| "localhost".to_owned());
        let found: Vec<String> = match options.own_text("cluster-url").filter(|urls| !urls.is_empty()) {
            Some(urls) => urls.split_whitespace().map(str::to_owned).collect(),
            None => hosts
                .split([' ', ','])
                .filter(|host| !host.is_empty())
                .map(|host| format!("{scheme}://{host}:{port}"))
                .collect(),
        };
        let mut addresses = Vec::new();
        for url in &found {
            let Some(bare) = services::server_url(url) else {
                let place = options.own("cluster-url").or_else(|| options.own("server"));
                let message = format!("`{url}` is no address of an HTTP interface");
                self.report
                    .push(Diagnostic::error(place.map_or(options.call.span, |option| option.span), message));
                return None;
            };
            addresses.push(format!("{bare}/_bulk"));
        }
        Some(addresses)
    }

    fn elasticsearch_body(&mut self, options: &Options<'t>) -> Option<Document> {
        let text = |name: &str| options.own_text(name).unwrap_or_default();
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let action = format!(
            "$(format-json --scope none --omit-empty-values index._index=\"{}\" index._type=\"{}\" index._id=\"{}\")\n",
            quoted(&text("index")),
            quoted(&text("type")),
            quoted(&text("custom-id"))
        );
        let action = self.template(&Name { text: action, span: options.call.span }).map(Arc::new)?;
        let document = match options.own("template") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template(DOCUMENT, options)?,
        };
        Some(Document {
            action: self.template_renderer(action, options),
            document: self.template_renderer(document, options),
        })
    }
}

/// Renders a document after the line with its action.
struct Document {
    action: Box<dyn Render>,
    document: Box<dyn Render>,
}

impl Render for Document {
    fn begin(&mut self, now: Stamp) {
        self.action.begin(now);
        self.document.begin(now);
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.action.render(batch, index, sequence, out);
        self.document.render(batch, index, sequence, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

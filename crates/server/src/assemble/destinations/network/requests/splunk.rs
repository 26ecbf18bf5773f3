//! `splunk-hec()` of syslog-ng Premium Edition: events for Splunk's HTTP event collector.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: an address without a path gets that of the collector; `splunk-hec-event()` of `scl.conf` is newer.

use super::http;
use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Name},
};
use delivery::DestinationDriver;
use message::Render;
use services::{HttpReceiver, HttpTarget};
use std::sync::Arc;

/// Events of a request.
const BATCH_LINES: usize = 25;
/// The path at which the collector takes events.
const PATH: &str = "/services/collector/event";
/// The values of an event beside its text, and the templates that they have without an option.
const VALUES: [(&str, &str); 5] = [
    ("time", "${S_UNIXTIME}.${S_MSEC}"),
    ("host", "${HOST}"),
    ("source", "syslog-ng"),
    ("sourcetype", "syslog"),
    ("index", ""),
];

impl<'t> Lowering<'t> {
    /// Makes the receiver, and a renderer that shows what it sends.
    pub(crate) fn splunk_hec(
        &mut self,
        options: &Options<'t>,
    ) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let urls = self.collector_addresses(options)?;
        let event = self.built_in_template(&event(options), options)?;
        let shown = self.template_renderer(event.clone(), options);
        let body = self.template_renderer(event, options);
        let mut target = HttpTarget {
            delimiter: "\n".to_owned(),
            ..self.http_requests(options, urls, body, BATCH_LINES)?
        };
        let settings = Arc::make_mut(&mut target.settings);
        let token = options.own_text("token").unwrap_or_default();
        settings.headers.push(("Authorization".to_owned(), format!("Splunk {token}")));
        settings.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        Some((DestinationDriver::Receiver(Box::new(HttpReceiver::new(target))), shown))
    }

    /// Returns the addresses of `url()`, each with a path.
    fn collector_addresses(&mut self, options: &Options<'t>) -> Option<Vec<Box<dyn Render>>> {
        let mut found = Vec::new();
        for arg in options.all("url").flat_map(|option| &option.args) {
            let (Arg::Text(name) | Arg::Word(name)) = arg else { continue };
            let url = http::with_path(&name.text, PATH);
            if let Some(reason) = http::url_problem(&name.text) {
                self.report.push(Diagnostic::error(name.span, format!("`{}` {reason}", name.text)));
                return None;
            }
            let template = self.template(&Name { text: url, span: name.span }).map(Arc::new)?;
            found.push(self.template_renderer(template, options));
        }
        Some(found)
    }
}

/// Returns the template of an event.
fn event(options: &Options<'_>) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut template = "$(format-json --scope none --omit-empty-values".to_owned();
    for (name, default) in VALUES {
        let text = options.own_text(name).unwrap_or_else(|| default.to_owned());
        let value = quoted(&text);
        template += &match name {
            "time" => format!(" time=double({value})"),
            name => format!(" {name}=\"{value}\""),
        };
    }
    let text = options.own_text("event").unwrap_or_else(|| "${MSG}".to_owned());
    template += &format!(" event=\"{}\"", quoted(&text));
    if let Some(fields) = options.own_text("fields").filter(|fields| !fields.is_empty()) {
        template += &format!(" fields=json($(format-flat-json --scope none {fields}))");
    }
    template + ")"
}

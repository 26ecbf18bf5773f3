//! `collectd()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: none of its own.

use super::endpoint::{BATCH_BYTES, answer_within};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use delivery::DestinationDriver;
use message::Render;
use outputs::{CollectdReceiver, CollectdTarget};
use std::time::Duration;
use transport::Endpoint;

const SOCKET: &str = "/var/run/collectd-unixsock";
/// Values that are sent without waiting for each other.
const BATCH_LINES: usize = 100;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Seconds until the next value of a name is expected.
const INTERVAL: usize = 60;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `collectd()`. It renders by itself: the template beside it only shows the values.
    pub(crate) fn collectd(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let shown = self.named_or_text(options.own("values")?)?;
        let shown = self.template_renderer(shown, options);
        let host = options.own_text("socket").unwrap_or_else(|| SOCKET.to_owned());
        let target = CollectdTarget {
            server: Endpoint { host, port: 0, tls: None },
            host: self.collectd_name(options, "host", "$HOST")?,
            plugin: self.collectd_name(options, "plugin", "$PROGRAM")?,
            plugin_instance: self.collectd_name(options, "plugin-instance", "")?,
            kind: self.collectd_name(options, "type", "")?,
            type_instance: self.collectd_name(options, "type-instance", "")?,
            values: self.collectd_name(options, "values", "")?,
            interval: options.count("interval", INTERVAL) as u64,
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(CollectdReceiver::new(target))), shown))
    }

    fn collectd_name(&mut self, options: &Options<'t>, name: &str, default: &str) -> Option<Box<dyn Render>> {
        let template = match options.own(name) {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template(default, options)?,
        };
        Some(self.template_renderer(template, options))
    }
}

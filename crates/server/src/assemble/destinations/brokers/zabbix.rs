//! `zabbix()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing. Limits: a host or a key that is known here and is empty is an error.

use super::endpoint::answer_within;
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use delivery::DestinationDriver;
use message::Render;
use outputs::{ZabbixReceiver, ZabbixTarget};
use std::time::Duration;
use transport::Endpoint;

const PORT: u16 = 10_051;
/// Values of a request, as zabbix_sender has them.
const BATCH_LINES: usize = 250;
/// Most bytes of them.
const BATCH_BYTES: usize = 1 << 20;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

impl<'t> Lowering<'t> {
    /// Makes the receiver of `zabbix()`. It renders by itself: the template beside it only shows the value.
    pub(crate) fn zabbix(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = options.own_text("server").filter(|server| !server.is_empty());
        let server = server.unwrap_or_else(|| "127.0.0.1".to_owned());
        let shown = match options.own("value") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("$MSG", options)?,
        };
        let value = self.template_renderer(shown.clone(), options);
        let target = ZabbixTarget {
            server: Endpoint {
                tls: self.encryption(options, &server)?,
                port: options.port(["port", "port"], PORT),
                host: server,
            },
            host: self.zabbix_name(options, "host", "$HOST")?,
            key: self.zabbix_name(options, "key", "")?,
            value,
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        let shown = self.template_renderer(shown, options);
        Some((DestinationDriver::Receiver(Box::new(ZabbixReceiver::new(target))), shown))
    }

    fn zabbix_name(&mut self, options: &Options<'t>, name: &str, default: &str) -> Option<Box<dyn Render>> {
        let template = match options.own(name) {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template(default, options)?,
        };
        let template = self.template_renderer(template, options);
        if template.constant() == Some("") {
            let span = options.own(name).map_or(options.call.name.span, |option| option.span);
            self.report.push(Diagnostic::error(span, format!("`{name}()` is empty")));
            return None;
        }
        Some(template)
    }
}

//! `kafka()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a setting of librdkafka that would break a promise of ours is refused, and so are transactions.

use super::endpoint::BATCH_BYTES;
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic, Span,
    tree::{Arg, Call},
};
use delivery::DestinationDriver;
use message::Render;
use outputs::{KafkaReceiver, KafkaTarget, check_topic_name};
use transport::kafka::{ClientRole, Properties};

/// Records that are produced without waiting for each other: librdkafka gathers them into batches of its own.
const BATCH_LINES: usize = 10_000;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `kafka()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn kafka(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let properties = self.kafka_properties(options, ClientRole::Producer)?;
        let fault = |name: &[u8]| check_topic_name(name).err().map(|error| error.to_string());
        let (topic, fallback_topic) = self.topic(options, fault)?;
        let (text, shown) = self.broker_text(options, "message")?;
        let key = match options.own("key") {
            Some(option) => {
                let key = self.named_or_text(option)?;
                Some(self.template_renderer(key, options))
            }
            None => None,
        };
        if let Some(option) = options.own("sync-send").filter(|option| option.truth() == Some(true)) {
            let error =
                Diagnostic::error(option.span, "`sync-send(yes)`: transactions are not supported yet");
            let help = "leave it out: a message counts as written when the brokers report it";
            self.report.push(error.help(help));
            return None;
        }
        let target = KafkaTarget {
            properties,
            topic,
            fallback_topic,
            key,
            text,
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(KafkaReceiver::new(target))), shown))
    }

    /// Parses `bootstrap-servers()` and `config()`, of a destination or a source.
    pub(crate) fn kafka_properties(&mut self, options: &Options<'t>, role: ClientRole) -> Option<Properties> {
        let servers = options.own("bootstrap-servers")?;
        let brokers = servers.text().unwrap_or_default();
        let is_broker = |broker: &str| !broker.trim().is_empty() && !broker.contains(char::is_control);
        if !brokers.split(',').all(is_broker) {
            let error = Diagnostic::error(servers.span, "`bootstrap-servers()` names no broker");
            self.report.push(error.help("bootstrap-servers(\"host1:9092,host2:9092\")"));
            return None;
        }
        let mut properties = Properties::new(role, brokers);
        for arg in options.all("config").flat_map(|option: &Call| &option.args) {
            let Some((name, value, span)) = property(arg) else {
                let error = Diagnostic::error(arg.span(), "`config()` has names and values");
                self.report.push(error.help("config(\"compression.codec\" => \"zstd\")"));
                return None;
            };
            if let Err(error) = properties.set(&name, &value) {
                self.report.push(Diagnostic::error(span, error.to_string()));
                return None;
            }
        }
        if let Some(error) = properties.contradiction() {
            let span = options.own("config").map_or(servers.span, |option| option.span);
            self.report.push(Diagnostic::error(span, error.to_string()));
            return None;
        }
        if role == ClientRole::Producer && !properties.is_idempotent() {
            let message = "without `enable.idempotence`, a message that is sent again may be stored twice";
            self.report.push(Diagnostic::warning(servers.span, message));
        }
        Some(properties)
    }
}

/// Reads `"name" => "value"` or `name("value")`.
fn property(arg: &Arg) -> Option<(String, String, Span)> {
    let text = |value: &Arg| match value {
        Arg::Number(number, _) => Some(number.to_string()),
        Arg::Float(number, _) => Some(number.to_string()),
        value => value.text().map(str::to_owned),
    };
    match arg {
        Arg::Pair(name, value) => Some((name.text.clone(), text(value)?, name.span)),
        Arg::Call(call) => match call.args.as_slice() {
            [value] => Some((call.name.text.clone(), text(value)?, call.span)),
            _ => None,
        },
        _ => None,
    }
}

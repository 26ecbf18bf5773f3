//! `kafka()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a setting of librdkafka that would break a promise of ours is refused. Two destinations cannot have one `transactional.id`.

mod java_properties;

use self::java_properties::JavaOnly;
use super::endpoint::BATCH_BYTES;
use crate::assemble::{
    destinations::batches::batches,
    lowering::Lowering,
    options::{driver::Options, file_text::read_text},
};
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
        let transactional_id = self.transactional_id(options, &properties)?;
        let mut batches = batches(options, BATCH_LINES, BATCH_BYTES);
        if transactional_id.is_some() {
            batches.workers = 1;
        }
        let target = KafkaTarget { properties, topic, fallback_topic, key, text, transactional_id, batches };
        Some((DestinationDriver::Receiver(Box::new(KafkaReceiver::new(target))), shown))
    }

    /// Returns the `transactional.id` of `sync-send(yes)`. The outer `None` is an error, which is in the report.
    fn transactional_id(&mut self, options: &Options<'t>, properties: &Properties) -> Option<Option<String>> {
        let written = properties.get("transactional.id");
        let wanted = options.own("sync-send").filter(|option| option.truth() == Some(true));
        if let Some(option) = wanted.filter(|_| is_of_java(options)) {
            let message = "`sync-send()` of the driver in Java has no effect: each message counts as written when the brokers report it";
            self.report.push(Diagnostic::warning(option.span, message));
            return Some(None);
        }
        let Some(option) = wanted else {
            let is_unused = written.is_some();
            if let Some(config) = options.own("config").filter(|_| is_unused) {
                let error =
                    Diagnostic::error(config.span, "`transactional.id` has no effect without transactions");
                self.report.push(error.help("sync-send(yes)"));
                return None;
            }
            return Some(None);
        };
        if let Some(error) = properties.contradiction_of_transactions() {
            self.report.push(Diagnostic::error(option.span, error.to_string()));
            return None;
        }
        if let Some(workers) = options.own("workers").filter(|workers| workers.number().unwrap_or(1) > 1) {
            let message = "`sync-send(yes)` makes one transaction at a time: `workers()` is 1";
            self.report.push(Diagnostic::warning(workers.span, message));
        }
        let id =
            written.map(str::to_owned).or_else(|| options.own_text("persist-name")).unwrap_or_else(|| {
                let brokers = properties.get("bootstrap.servers").unwrap_or_default();
                let topic = options.own_text("topic").unwrap_or_default();
                format!("duramen-{}-kafka,{brokers},{topic}", self.environment.site.loghost)
            });
        if !self.transactional_ids.insert(id.clone()) {
            let message =
                format!("two destinations have the transactional id `{id}`: only one of them could send");
            let help = "give each a persist-name() of its own";
            self.report.push(Diagnostic::error(option.span, message).help(help));
            return None;
        }
        Some(Some(id))
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
        self.properties_file(options, &mut properties)?;
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

    /// Adds the settings of `properties-file()`; those of `config()` come after it.
    fn properties_file(&mut self, options: &Options<'t>, properties: &mut Properties) -> Option<()> {
        let Some(option) = options.own("properties-file") else { return Some(()) };
        let path = option.text().unwrap_or_default();
        let text = match read_text(path, java_properties::BYTES_MAX) {
            Ok(text) => text,
            Err(error) => {
                let error = Diagnostic::error(option.span, format!("`{path}` cannot be read: {error}"));
                self.report.push(error);
                return None;
            }
        };
        for property in java_properties::read(&text) {
            let fault = match property.only_java() {
                Some(JavaOnly::Unneeded) => continue,
                Some(JavaOnly::Instead(instead)) => {
                    Some(("only clients in Java have it".to_owned(), instead))
                }
                None => {
                    let set = properties.set(&property.name, &property.value);
                    set.err().map(|error| (error.to_string(), "settings are those of librdkafka"))
                }
            };
            if let Some((fault, instead)) = fault {
                let error = Diagnostic::error(option.span, format!("{property} of `{path}`: {fault}"));
                self.report.push(error.help(instead));
                return None;
            }
        }
        Some(())
    }
}

/// Returns whether the options are those of the driver in Java, whose `sync-send()` means something else.
fn is_of_java(options: &Options<'_>) -> bool {
    let is_java_spelling = |option: &Call| option.key() == "kafka-bootstrap-servers";
    options.call.key() == "kafka-java" || options.all("bootstrap-servers").any(is_java_spelling)
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

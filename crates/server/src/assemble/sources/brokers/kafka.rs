//! `kafka()` as a source.
//!
//! In: its options. Out: a [`KafkaSource`]. Holds: nothing.
//! Limits: partitions are shared by the members of a group, never chosen here; what asks for something else is an error.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Call},
};
use inputs::KafkaSource;
use outputs::{TopicNameError, check_topic_name};
use transport::kafka::ClientRole;

/// Records of a batch, unless `log-fetch-limit()` says otherwise.
const RECORDS_MAX: usize = 10_000;

/// Options of the language that would make another source of it: a name, the value that is refused, and why.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "strategy-hint",
        "assign",
        "partitions are shared by the members of a group",
        "leave it out: the only member of a group has all partitions",
    ),
    (
        "persist-store",
        "local",
        "the brokers keep the positions, with the group",
        "leave it out; config(\"group.id\" => \"...\") names the group",
    ),
    (
        "disable-bookmarks",
        "yes",
        "the group always continues where it was",
        "a new config(\"group.id\" => \"...\") has no positions",
    ),
    (
        "ignore-saved-bookmarks",
        "yes",
        "the group always continues where it was",
        "a new config(\"group.id\" => \"...\") has no positions",
    ),
];

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe. `None` after an error, which is in the report.
    pub(crate) fn kafka_source(&mut self, options: &Options<'t>) -> Option<KafkaSource> {
        for (name, value, why, help) in REFUSED {
            let Some(option) = options.own(name) else { continue };
            let is_refused = match option.truth() {
                Some(truth) => truth == (*value == "yes"),
                None => options.word(name).as_deref() == Some(*value),
            };
            if is_refused {
                let message = format!("`{name}({value})` is not supported: {why}");
                self.report.push(Diagnostic::error(option.span, message).help(*help));
                return None;
            }
        }
        let properties = self.kafka_properties(options, ClientRole::Consumer)?;
        let topics = self.kafka_topics(options)?;
        Some(KafkaSource {
            properties,
            topics,
            stores_metadata: options.own("store-metadata").and_then(Call::truth).unwrap_or(true),
            records_max: options
                .own("log-fetch-limit")
                .map_or(RECORDS_MAX, |_| options.count("log-fetch-limit", RECORDS_MAX)),
        })
    }

    /// Parses `topic("name or ^regex" => "-1")`; a name alone is all of its partitions.
    fn kafka_topics(&mut self, options: &Options<'t>) -> Option<Vec<String>> {
        // Without it the check of the driver has an error already.
        let last = options.own("topic")?;
        let mut topics: Vec<String> = Vec::new();
        for arg in options.all("topic").flat_map(|option| &option.args) {
            let topic = self.kafka_topic(arg)?;
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        if topics.is_empty() {
            let error = Diagnostic::error(last.span, "`topic()` names no topic");
            self.report.push(error.help("topic(\"logs\" => \"-1\")"));
            return None;
        }
        Some(topics)
    }

    /// Parses one topic with its partitions.
    fn kafka_topic(&mut self, arg: &Arg) -> Option<String> {
        let (name, partitions) = match arg {
            Arg::Pair(name, partitions) => (Some(name.text.as_str()), written(partitions)),
            arg => (arg.text(), Some(ALL.to_owned())),
        };
        let fault = match (name, partitions.as_deref().map(str::trim)) {
            (None, _) | (_, None) => "it has names of topics and their partitions".to_owned(),
            (Some(_), Some(partitions)) if partitions != ALL => {
                "the members of a group share the partitions, they cannot be chosen".to_owned()
            }
            (Some(name), Some(_)) => match name_fault(name) {
                None => return Some(name.to_owned()),
                Some(fault) => fault,
            },
        };
        let help = "topic(\"logs\" => \"-1\"), or topic(\"^logs-.*\" => \"-1\")";
        self.report.push(Diagnostic::error(arg.span(), format!("`topic()`: {fault}")).help(help));
        None
    }
}

/// All partitions of a topic.
const ALL: &str = "-1";

/// Returns a text or a number as text.
fn written(arg: &Arg) -> Option<String> {
    match arg {
        Arg::Number(number, _) => Some(number.to_string()),
        arg => arg.text().map(str::to_owned),
    }
}

/// Returns why a text can name no topic. Kafka's own topics can be read; regular expressions begin with `^`.
fn name_fault(name: &str) -> Option<String> {
    if name.starts_with('^') {
        return name.contains(char::is_control).then(|| "the expression has control characters".to_owned());
    }
    match check_topic_name(name.as_bytes()) {
        Ok(_) | Err(TopicNameError::Reserved) => None,
        Err(error) => Some(error.to_string()),
    }
}

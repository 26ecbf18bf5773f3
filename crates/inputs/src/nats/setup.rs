//! Finds the stream and the consumer, and makes a consumer that is missing.
//!
//! In: what a configuration says; answers of JetStream. Out: requests; a consumer that can be read from. Holds: nothing.
//! Limits: a consumer that cannot be read as it was meant is refused by what it has: it is never changed.

use super::options::{NatsBegin, NatsConsumer, NatsSource};
use crate::broker::Broken;
use serde_json::{Value, json};
use std::time::Duration;
use transport::endpoint::Breach;

/// Most deliveries of a consumer of ours that are not acknowledged.
const PENDING_MAX: usize = 10_000;
/// JetStream's time for an acknowledgement, unless the consumer says otherwise.
const AGAIN_AFTER: Duration = Duration::from_secs(30);
/// Longest wait of a request for messages.
const EXPIRES_AFTER: Duration = Duration::from_secs(10);
/// Numbers of errors: there is no such consumer, no such stream, and JetStream is not enabled for the account.
const NO_CONSUMER: u64 = 10_014;
const NO_STREAM: u64 = 10_059;

/// A stream, as far as it matters here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Stream {
    pub(super) name: String,
    subjects: Vec<String>,
    /// The sequence of its oldest message.
    first: u64,
}

/// A consumer that can be read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Consumer {
    /// A delivery that is not acknowledged is sent again after this time.
    pub(super) again_after: Duration,
    /// The longest wait of a request that it takes.
    pub(super) expires_after: Duration,
    /// The most messages of a request that it takes.
    pub(super) fetch_max: usize,
    /// The most bytes of a request that it takes.
    pub(super) bytes_max: Option<u64>,
    /// How often a message is delivered at most, if there is a limit.
    pub(super) deliveries_max: Option<u64>,
    /// Messages that were removed before it delivered them: the first and the last.
    pub(super) gap: Option<(u64, u64)>,
    /// It gets every message of the stream.
    pub(super) is_whole: bool,
}

/// The state of a consumer that was asked for.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum ConsumerState {
    Consumer(Consumer),
    /// It has to be made.
    Missing,
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn refused<T>(why: String) -> Result<T, Broken> {
    Err(Broken::Refused(why))
}

/// Returns the content of an answer, or the number and the words of its error.
fn parse(answer: &[u8]) -> Result<Result<Value, (u64, String)>, Breach> {
    let value: Value = serde_json::from_slice(answer).map_err(|_| Breach("an answer is no JSON"))?;
    Ok(match value.get("error") {
        Some(error) => {
            let words = text(error, "description").chars().filter(|c| !c.is_control()).take(300);
            Err((number(error, "err_code"), words.collect()))
        }
        None => Ok(value),
    })
}

/// Judges an error that nothing is known about: those that pass are numbered 503 and the like.
fn failed<T>(what: &str, code: u64, words: &str) -> Result<T, Broken> {
    Err(Broken::Lost(format!("{what}: {code} {words}")))
}

/// Returns whether a text can be the name of a stream or of a consumer: it stands in subjects.
pub(super) fn is_name(name: &str) -> bool {
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || ".*>/\\".contains(c);
    !name.is_empty() && !name.contains(is_wrong)
}

/// Returns the subject of the question which streams have a subject, and the question.
pub(super) fn ask_names(subject: &str) -> (String, String) {
    ("$JS.API.STREAM.NAMES".to_owned(), json!({ "subject": subject }).to_string())
}

/// Reads the answer to it.
pub(super) fn read_names(answer: &[u8], subject: &str) -> Result<String, Broken> {
    let value = match parse(answer)? {
        Ok(value) => value,
        Err((code, words)) => return failed("streams cannot be listed", code, &words),
    };
    let names = texts(value.get("streams"));
    match names.as_slice() {
        [name] if is_name(name) => Ok(name.clone()),
        [] => refused(format!("no stream has the subject '{subject}'")),
        [_] => Err(Breach("a stream has no name").into()),
        names => {
            let names: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
            refused(format!(
                "several streams have the subject '{subject}': name one with stream(): {}",
                names.join(", ")
            ))
        }
    }
}

/// Returns the subject of the question about a stream.
pub(super) fn ask_stream(name: &str) -> (String, String) {
    (format!("$JS.API.STREAM.INFO.{name}"), String::new())
}

/// Reads the answer to it.
pub(super) fn read_stream(answer: &[u8], name: &str) -> Result<Stream, Broken> {
    match parse(answer)? {
        Ok(value) => {
            let subjects = texts(value.get("config").and_then(|config| config.get("subjects")));
            let first = value.get("state").map_or(0, |state| number(state, "first_seq"));
            Ok(Stream { name: name.to_owned(), subjects, first })
        }
        Err((NO_STREAM, _)) => refused(format!("there is no stream '{name}'")),
        Err((code, words)) => failed(&format!("stream '{name}' does not answer"), code, &words),
    }
}

/// Returns the subject of the question about the consumer.
pub(super) fn ask_consumer(stream: &Stream, options: &NatsSource) -> (String, String) {
    (format!("$JS.API.CONSUMER.INFO.{}.{}", stream.name, options.durable), String::new())
}

/// Returns the filter of a consumer of ours: none for one that gets every message.
fn filter<'a>(stream: &Stream, options: &'a NatsSource) -> Option<&'a str> {
    let subject = options.subject.as_deref()?;
    (subject != ">" && stream.subjects != [subject]).then_some(subject)
}

/// Returns the subject of the request for a new consumer, and the request.
pub(super) fn ask_new_consumer(stream: &Stream, options: &NatsSource) -> (String, String) {
    let begin = match options.consumer {
        NatsConsumer::Made(NatsBegin::Last) => "last",
        NatsConsumer::Made(NatsBegin::New) => "new",
        NatsConsumer::Made(NatsBegin::All) | NatsConsumer::Expected => "all",
    };
    let mut config = json!({
        "durable_name": options.durable, "ack_policy": "explicit", "deliver_policy": begin, "replay_policy": "instant",
        "max_ack_pending": PENDING_MAX,
    });
    if let Some(filter) = filter(stream, options) {
        config["filter_subject"] = json!(filter);
    }
    let request = json!({ "stream_name": stream.name, "config": config });
    let subject = format!("$JS.API.CONSUMER.DURABLE.CREATE.{}.{}", stream.name, options.durable);
    (subject, request.to_string())
}

/// Reads the answer to a question about the consumer, or to the request for a new one.
pub(super) fn read_consumer(
    answer: &[u8],
    stream: &Stream,
    options: &NatsSource,
) -> Result<ConsumerState, Broken> {
    let (name, durable) = (&stream.name, &options.durable);
    let value = match (parse(answer)?, options.consumer) {
        (Ok(value), _) => value,
        (Err((NO_CONSUMER, _)), NatsConsumer::Made(_)) => return Ok(ConsumerState::Missing),
        (Err((NO_CONSUMER, _)), NatsConsumer::Expected) => {
            return refused(format!("stream '{name}' has no consumer '{durable}'"));
        }
        (Err((code, words)), _) => {
            return failed(&format!("consumer '{durable}' of stream '{name}'"), code, &words);
        }
    };
    let config = value.get("config").unwrap_or(&Value::Null);
    check(config, stream, options)?;
    let filters = filters(config);
    let is_whole = match filters.as_slice() {
        [] => true,
        [filter] => filter == ">" || stream.subjects == [filter.as_str()],
        _ => false,
    };
    let delivered = value.get("delivered").map_or(0, |delivered| number(delivered, "stream_seq"));
    let is_gap = is_whole && delivered > 0 && stream.first > delivered + 1;
    let some = |name: &str| Some(number(config, name)).filter(|number| *number > 0 && *number < u64::MAX / 2);
    let time = |name: &str| some(name).map(Duration::from_nanos);
    Ok(ConsumerState::Consumer(Consumer {
        again_after: time("ack_wait").unwrap_or(AGAIN_AFTER),
        expires_after: time("max_expires").map_or(EXPIRES_AFTER, |most| most.min(EXPIRES_AFTER)),
        fetch_max: some("max_batch").map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
        bytes_max: some("max_bytes"),
        deliveries_max: some("max_deliver"),
        gap: is_gap.then(|| (delivered + 1, stream.first - 1)),
        is_whole,
    }))
}

fn filters(config: &Value) -> Vec<String> {
    let mut filters = texts(config.get("filter_subjects"));
    let one = text(config, "filter_subject");
    if !one.is_empty() {
        filters.push(one.to_owned());
    }
    filters
}

/// Checks that a consumer does what is expected of it here.
fn check(config: &Value, stream: &Stream, options: &NatsSource) -> Result<(), Broken> {
    let durable = &options.durable;
    if !text(config, "deliver_subject").is_empty() {
        return refused(format!("consumer '{durable}' pushes messages: a pull consumer is needed"));
    }
    let acks = text(config, "ack_policy");
    if acks != "explicit" {
        return refused(format!("consumer '{durable}' has the ack policy '{acks}': it has to be explicit"));
    }
    if config.get("headers_only").and_then(Value::as_bool) == Some(true) {
        return refused(format!("consumer '{durable}' delivers headers without texts"));
    }
    let (found, wanted) = (filters(config), filter(stream, options));
    let is_wanted = |found: &str| Some(found) == wanted || options.subject.as_deref() == Some(found);
    let is_same = match found.as_slice() {
        [] => wanted.is_none(),
        [found] => is_wanted(found),
        _ => false,
    };
    match &options.subject {
        Some(subject) if !is_same => {
            let found = if found.is_empty() { "all".to_owned() } else { found.join(", ") };
            refused(format!("consumer '{durable}' has other subjects than '{subject}': {found}"))
        }
        _ => Ok(()),
    }
}

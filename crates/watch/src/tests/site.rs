//! Messages and rules of tests, and transitions as lines.

use crate::{Cause, Evaluator, Input, Limits, Rule, Selecting, Transition};
use lookup::Document;
use message::ValueKind;
use std::sync::Arc;

/// Microseconds of a second.
pub(super) const S: i64 = 1_000_000;

/// Reads rules, which must have no errors.
#[track_caller]
pub(super) fn rules(text: &str) -> Vec<Arc<Rule>> {
    crate::read(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Makes a message: `host text name=value ...`.
pub(super) fn message(sequence: u64, at_us: i64, line: &str) -> Document {
    let (host, rest) = line.split_once(' ').unwrap_or((line, ""));
    let pairs = rest.split(' ').filter_map(|word| word.split_once('='));
    let kind = |value: &str| match value.parse::<i64>() {
        Ok(_) => ValueKind::Integer,
        Err(_) => ValueKind::String,
    };
    Document {
        sequence,
        received_us: at_us,
        host: if host == "-" { Vec::new() } else { host.into() },
        text: rest.into(),
        pri: 14,
        values: pairs.map(|(name, value)| (name.into(), value.into(), kind(value))).collect(),
        ..Document::default()
    }
}

/// An event of a test, with its time.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Event {
    Message(Box<Document>),
    Mark(i64),
    Stopped(i64),
    Started(i64),
}

impl Event {
    pub(super) fn input(&self) -> Input<'_> {
        match self {
            Event::Message(document) => Input::Message(document),
            Event::Mark(at_us) => Input::Mark(*at_us),
            Event::Stopped(at_us) => Input::Stopped(*at_us),
            Event::Started(at_us) => Input::Started(*at_us),
        }
    }
}

/// Makes an evaluator.
pub(super) fn evaluator(rules: &[Arc<Rule>], selecting: Selecting) -> Evaluator {
    Evaluator::new(rules.to_vec(), Limits::default(), selecting).unwrap()
}

/// Returns the transitions of events.
pub(super) fn run(rules: &[Arc<Rule>], events: &[Event]) -> Vec<Transition> {
    let mut evaluator = evaluator(rules, Selecting::ByMarks);
    let mut out = Vec::new();
    events.iter().for_each(|event| evaluator.apply(event.input(), &mut out));
    out
}

/// Reads events: `SECONDS host text`, or `SECONDS mark`, `stop`, `start`.
pub(super) fn events(lines: &[&str]) -> Vec<Event> {
    let mut sequence = 0;
    let one = |line: &&str| {
        let (at, rest) = line.split_once(' ').unwrap();
        let at_us = (at.parse::<f64>().unwrap() * S as f64) as i64;
        match rest {
            "mark" => Event::Mark(at_us),
            "stop" => Event::Stopped(at_us),
            "start" => Event::Started(at_us),
            _ => {
                sequence += 1;
                Event::Message(Box::new(message(sequence - 1, at_us, rest)))
            }
        }
    };
    lines.iter().map(one).collect()
}

/// Shows a transition: `rule key change #ordinal @cause =value <first`.
pub(super) fn show(transition: &Transition) -> String {
    let key: Vec<_> = transition.key.iter().map(|value| String::from_utf8_lossy(value)).collect();
    let cause = match transition.cause {
        Cause::Message(sequence) => format!("m{sequence}"),
        Cause::Tick(at_us) => format!("t{}", at_us as f64 / S as f64),
    };
    let value = transition.value.map_or_else(String::new, |value| format!(" ={value}"));
    let first = transition.first.map_or_else(String::new, |first| format!(" <m{first}"));
    let Transition { ordinal, change, .. } = transition;
    format!("[{}] {} #{ordinal} @{cause}{value}{first}", key.join(","), change.name())
}

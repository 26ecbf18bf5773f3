//! Transitions as lines and as JSON.
//!
//! In: a rule, its transitions. Out: text. Holds nothing.

use super::super::logspace::time;
use serde_json::{Map, Value, json};
use watch::{Cause, Rule, Transition};

/// Returns a transition as a line: time, change, severity, rule, key, figure, cause.
pub(super) fn line(rule: &Rule, transition: &Transition) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pairs = rule.key_names().zip(&transition.key);
    let key: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", text(value))).collect();
    let value = transition.value.map_or_else(String::new, |value| format!(" ({value})"));
    let cause = match transition.cause {
        Cause::Message(sequence) => format!(" at #{sequence}"),
        Cause::Tick(_) => String::new(),
    };
    let first = transition.first.map_or_else(String::new, |first| format!(" after #{first}"));
    let key = if key.is_empty() { String::new() } else { format!(" {}", key.join(" ")) };
    format!(
        "{} {:<9} {:<7} {}{key}{value}{cause}{first}",
        time(transition.at_us),
        transition.change.name(),
        transition.severity.name(),
        transition.rule
    )
}

/// Returns a transition as JSON.
pub(super) fn object(rule: &Rule, transition: &Transition) -> Value {
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes).into_owned());
    let pairs = rule.key_names().zip(&transition.key);
    let key: Map<String, Value> = pairs.map(|(name, value)| (name.to_owned(), text(value))).collect();
    let sequence = match transition.cause {
        Cause::Message(sequence) => Some(sequence),
        Cause::Tick(_) => None,
    };
    json!({
        "id": transition.id.to_string(),
        "rule": transition.rule.as_ref(),
        "version": transition.version.to_string(),
        "severity": transition.severity.name(),
        "change": transition.change.name(),
        "at_us": transition.at_us,
        "key": key,
        "instance": transition.ordinal,
        "value": transition.value,
        "sequence": sequence,
        "first_sequence": transition.first,
    })
}

//! A change of an alert, as receivers get it and as queries of routes and silences see it.
//!
//! In: a transition with its alert. Out: a JSON object; a document. Holds nothing. Limits: those of the alert.

use alerts::{Alert, KeptTransition};
use lookup::Document;
use message::{Severity, ValueKind};
use serde_json::{Map, Value, json};

/// A change of an alert.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Record(pub(crate) Value);

impl Record {
    /// Makes the record of a transition; without an alert it is a change of the rule itself.
    pub(crate) fn of(transition: &KeptTransition, alert: Option<&Alert>) -> Record {
        Record(json!({
            "id": transition.id,
            "alert": alert.map(|alert| alert.id.as_str()),
            "number": alert.map(|alert| alert.number),
            "change": transition.change,
            "rule": transition.rule,
            "title": alert.map_or_else(|| rule_title(transition), |alert| alert.title.clone()),
            "severity": transition.severity,
            "logspace": transition.logspace,
            "key": key(&transition.key),
            "value": transition.value,
            "sequence": transition.sequence,
            "at_us": transition.at_us,
            "began_us": alert.map_or(transition.at_us, |alert| alert.began_us),
        }))
    }

    /// Makes the record of a change that no message and no passing of time has caused: the rule was changed, a silence ended,
    /// or an alert goes on.
    pub(crate) fn of_alert(alert: &Alert, change: &str, at_us: i64) -> Record {
        Record(json!({
            "id": format!("{}-{change}-{at_us}", alert.id),
            "alert": alert.id,
            "number": alert.number,
            "change": change,
            "rule": alert.rule,
            "title": alert.title,
            "severity": alert.severity,
            "logspace": alert.logspace,
            "key": key(&alert.key),
            "value": alert.value,
            "sequence": alert.sequence,
            "at_us": at_us,
            "began_us": alert.began_us,
        }))
    }

    /// Returns a text of it; empty when it has none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a time or a number of it.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_i64)
    }

    /// Returns its severity.
    pub(crate) fn severity(&self) -> Severity {
        Severity::from_name(self.text("severity")).unwrap_or(Severity::WARNING)
    }

    /// Returns names and values of its key.
    pub(crate) fn key(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.get("key").and_then(Value::as_object).into_iter().flatten();
        pairs.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
    }

    /// Returns the value of a field: one of the record, or one of its key.
    pub(crate) fn field(&self, name: &str) -> String {
        let of_key = || self.key().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned());
        match name {
            "rule" | "severity" | "logspace" | "title" => self.text(name).to_owned(),
            _ => of_key().unwrap_or_default(),
        }
    }

    /// Returns it as a message, for queries: the severity is that of the header, the text is the title.
    pub(crate) fn document(&self) -> Document {
        let text = |name: &str, value: &str| (name.to_owned(), value.into(), ValueKind::String);
        let mut values = vec![
            text("rule", self.text("rule")),
            text("title", self.text("title")),
            text("logspace", self.text("logspace")),
        ];
        values.extend(self.key().map(|(name, value)| text(name, value)));
        let of_key = |name: &str| self.field(name).into_bytes();
        Document {
            received_us: self.number("at_us").unwrap_or_default(),
            pri: u16::from(self.severity().0),
            host: of_key("host"),
            program: of_key("program"),
            text: self.text("title").into(),
            values,
            ..Document::default()
        }
    }

    /// Returns it in one line, for people.
    pub(crate) fn line(&self) -> String {
        let mut line = format!(
            "{} {}: {}",
            self.text("severity"),
            change_shown(self.text("change")),
            self.text("title")
        );
        for (name, value) in self.key() {
            line.push_str(&format!(" {name}={value}"));
        }
        if let Some(value) = self.0.get("value").filter(|value| value.is_number()) {
            line.push_str(&format!(" ({value})"));
        }
        line
    }
}

/// Returns the words for a change.
fn change_shown(change: &str) -> &str {
    match change {
        "reminder" => "still firing",
        "unsilenced" => "still firing after a silence",
        "ended" => "ended with its rule",
        "unknown" => "state unknown",
        "degraded" => "the rule cannot track all its keys",
        "recovered" => "the rule tracks all its keys again",
        "stopped" => "the rule is stopped",
        "resumed" => "the rule runs again",
        other => other,
    }
}

/// Returns true for a change after which nothing fires any more.
pub(crate) fn is_end(change: &str) -> bool {
    matches!(change, "resolved" | "forgotten" | "ended" | "unknown" | "recovered" | "resumed")
}

/// Returns the title of a rule that a transition is about: a rule that is stopped or runs again has it among what is said of
/// it, others have only their ids.
fn rule_title(transition: &KeptTransition) -> String {
    let of_rule = matches!(transition.change.as_str(), "stopped" | "resumed").then(|| key(&transition.key));
    let title = of_rule.as_ref().and_then(|key| key.get("title")).and_then(Value::as_str);
    title.unwrap_or(&transition.rule).to_owned()
}

fn key(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Object(Map::new()))
}

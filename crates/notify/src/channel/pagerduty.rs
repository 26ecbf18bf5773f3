//! Events for PagerDuty.
//!
//! In: a notification. Out: the bodies that the Events API v2 documents (https://developer.pagerduty.com, "Send an Alert Event"), one for each
//! alert: they begin and end by its id, so an event that comes twice changes nothing. Holds nothing.
//! Limits: [`SUMMARY_CHARS`], [`KEY_BYTES`].

use crate::{
    letter::Letter,
    notice,
    record::{Record, is_end},
};
use message::Severity;
use serde_json::{Value, json};

/// Longest summary, in characters.
const SUMMARY_CHARS: usize = 1_024;
/// Longest key by which events are known to be about one alert.
const KEY_BYTES: usize = 255;

/// Returns the bodies of a notification, in the order in which they are sent. A sign of life has none.
pub(super) fn events(routing_key: &str, letter: &Letter) -> Vec<Value> {
    let content = &letter.content;
    let server = content.text("server");
    let event = |action: &str, key: &str, payload: Option<Value>| {
        let mut event = json!({"routing_key": routing_key, "event_action": action, "dedup_key": short(key), "client": "Duramen"});
        if let Some(payload) = payload {
            event["payload"] = payload;
        }
        event
    };
    let plain =
        |severity: &str| json!({"summary": cut(&content.subject()), "source": server, "severity": severity});
    match content.text("type") {
        "heartbeat" => Vec::new(),
        "test" => vec![event("trigger", &letter.id, Some(plain("info"))), event("resolve", &letter.id, None)],
        _ => {
            let records = content.records();
            let of_record = |record: &Record| {
                let payload = || payload(record, server);
                if is_end(record.text("change")) {
                    event("resolve", &key(record), None)
                } else {
                    event("trigger", &key(record), Some(payload()))
                }
            };
            let mut events: Vec<Value> = records.iter().map(of_record).collect();
            // Those that the notification only counts must not be missed.
            let more = content.count().saturating_sub(records.len() as u64);
            if more > 0 {
                let summary = format!("{server}: {more} more changes of alerts");
                let payload = json!({"summary": summary, "source": server, "severity": severity(content.text("severity"))});
                events.push(event("trigger", &letter.id, Some(payload)));
            }
            events
        }
    }
}

fn payload(record: &Record, server: &str) -> Value {
    let host = record.field("host");
    json!({
        "summary": cut(&record.line()),
        "source": if host.is_empty() { server } else { host.as_str() },
        "severity": severity(record.text("severity")),
        "timestamp": notice::time(record.number("at_us").unwrap_or_default()),
        "component": record.text("rule"),
        "group": record.text("logspace"),
        "class": record.text("change"),
        "custom_details": record.0,
    })
}

/// Returns the key by which events are known to be about one alert: its id, or the rule when the rule itself is what changed.
fn key(record: &Record) -> String {
    match record.text("alert") {
        "" => {
            let state = match record.text("change") {
                "degraded" | "recovered" => "degraded",
                _ => "stopped",
            };
            format!("{} {} {state}", record.text("logspace"), record.text("rule"))
        }
        alert => format!("{} {alert}", record.text("logspace")),
    }
}

fn short(key: &str) -> String {
    if key.len() <= KEY_BYTES { key.to_owned() } else { notice::notice_id(&[key]) }
}

fn cut(text: &str) -> String {
    text.chars().take(SUMMARY_CHARS).collect()
}

/// Returns the severity of PagerDuty for one of syslog.
fn severity(name: &str) -> &'static str {
    match Severity::from_name(name) {
        Some(severity) if severity.0 <= Severity::CRITICAL.0 => "critical",
        Some(severity) if severity == Severity::ERROR => "error",
        Some(severity) if severity.0 > Severity::WARNING.0 => "info",
        _ => "warning",
    }
}

#[cfg(test)]
mod tests {
    //! Beginnings and ends of alerts have one key.

    use super::*;
    use crate::notice::Notice;

    fn letter(content: Value) -> Letter {
        Letter {
            number: 1,
            id: "msg_a".into(),
            created_us: 0,
            content: Notice(content),
            attempts: 0,
            thread: None,
        }
    }

    fn shown(content: Value) -> Vec<String> {
        let show = |event: &Value| {
            let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            assert_eq!(text("routing_key"), "KEY");
            let payload = &event["payload"];
            let part = |name: &str| payload[name].as_str().unwrap_or_default();
            format!(
                "{} {} | {} {} {}",
                text("event_action"),
                text("dedup_key"),
                part("severity"),
                part("source"),
                part("summary")
            )
        };
        events("KEY", &letter(content)).iter().map(show).collect()
    }

    #[test]
    fn an_alert_is_triggered_and_resolved_by_its_id() {
        let record = |change: &str, alert: Value| json!({"change": change, "alert": alert, "rule": "disk", "title": "Disk full", "logspace": "main", "severity": "crit", "key": {"host": "db1"}});
        let content = |records: &[Value], count: usize| json!({"type": "alerts", "server": "log1", "severity": "crit", "count": count, "alerts": records});
        let both = [
            record("fired", json!("id7")),
            record("reminder", json!("id7")),
            record("resolved", json!("id7")),
        ];
        assert_eq!(
            shown(content(&both, 3)),
            [
                "trigger main id7 | critical db1 crit fired: Disk full host=db1",
                "trigger main id7 | critical db1 crit still firing: Disk full host=db1",
                "resolve main id7 |   ",
            ]
        );
        let of_rule =
            [record("stopped", Value::Null), record("resumed", Value::Null), record("degraded", Value::Null)];
        let keys: Vec<String> = events("KEY", &letter(content(&of_rule, 3)))
            .iter()
            .map(|event| format!("{} {}", event["event_action"], event["dedup_key"]))
            .collect();
        assert_eq!(
            keys,
            [
                "\"trigger\" \"main disk stopped\"",
                "\"resolve\" \"main disk stopped\"",
                "\"trigger\" \"main disk degraded\""
            ]
        );
        assert_eq!(
            shown(content(&both[..1], 9))[1],
            "trigger msg_a | critical log1 log1: 8 more changes of alerts"
        );
        assert_eq!(shown(json!({"type": "heartbeat", "server": "log1"})), [""; 0]);
        assert_eq!(
            shown(json!({"type": "test", "server": "log1"})),
            ["trigger msg_a | info log1 log1: this is a test", "resolve msg_a |   "]
        );
    }

    #[test]
    fn keys_and_summaries_stay_below_their_limits() {
        let long = "x".repeat(2_000);
        let record =
            json!({"change": "fired", "alert": long, "title": "ä".repeat(2_000), "severity": "debug"});
        let content = json!({"type": "alerts", "count": 1, "alerts": [record]});
        let event = &events("KEY", &letter(content))[0];
        assert!(event["dedup_key"].as_str().unwrap().len() <= KEY_BYTES);
        assert_eq!(event["payload"]["summary"].as_str().unwrap().chars().count(), SUMMARY_CHARS);
        assert_eq!(event["payload"]["severity"], "info");
    }
}

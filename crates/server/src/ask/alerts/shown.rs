//! Alerts and silences as lines.
//!
//! In: answers of the API. Out: lines without control characters. Holds nothing.

use crate::terminal;
use jiff::Timestamp;
use serde_json::Value;

/// Returns an alert in a line.
pub(super) fn alert(alert: &Value) -> String {
    let text = |name: &str| alert[name].as_str().unwrap_or_default();
    let mut line = format!(
        "#{} {} {:<9} {:<7} {}",
        alert["number"],
        time(&alert["began_us"]),
        text("state"),
        text("severity"),
        text("title")
    );
    for (name, value) in alert["key"].as_object().into_iter().flatten() {
        line.push_str(&format!(" {name}={}", value.as_str().unwrap_or_default()));
    }
    if let Some(value) = alert["value"].as_f64() {
        line.push_str(&format!(" ({value})"));
    }
    if !text("acknowledged_by").is_empty() {
        line.push_str(&format!(", acknowledged by {}", text("acknowledged_by")));
    }
    if !text("note").is_empty() {
        line.push_str(&format!(": {}", text("note")));
    }
    terminal::line(&line).into_owned()
}

/// Returns a silence in a line.
pub(super) fn silence(silence: &Value) -> String {
    let text = |name: &str| silence[name].as_str().unwrap_or_default();
    let ended = match silence["ended_us"].is_null() {
        true => String::new(),
        false => format!(", ended {} by {}", time(&silence["ended_us"]), text("ended_by")),
    };
    let (from, to) = (time(&silence["from_us"]), time(&silence["to_us"]));
    let line = format!(
        "#{} {from} to {to}{ended}: {} ({}: {})",
        silence["number"],
        text("query"),
        text("author"),
        text("reason")
    );
    terminal::line(&line).into_owned()
}

/// Returns a time in UTC, in seconds.
fn time(us: &Value) -> String {
    let seconds = us.as_i64().map(|us| us.div_euclid(1_000_000));
    let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| us.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    //! Lines.

    use super::*;
    use serde_json::json;

    #[test]
    fn alerts_and_silences_are_lines_without_control_characters() {
        let mut one = json!({"number": 7, "began_us": 1_795_000_000_000_000_i64, "state": "firing", "severity": "crit",
            "title": "Disk\u{1b}[2J", "key": {"host": "db1\n"}, "value": 11.0, "acknowledged_by": "", "note": ""});
        let shown = "#7 2026-11-18T11:06:40Z firing    crit    Disk\\x1b[2J host=db1\\n (11)";
        assert_eq!(alert(&one), shown);
        (one["acknowledged_by"], one["note"]) = ("eva".into(), "on it".into());
        assert_eq!(alert(&one), format!("{shown}, acknowledged by eva: on it"));
        let mut muted = json!({"number": 2, "query": "rule:disk", "from_us": 0, "to_us": 60_000_000, "author": "eva",
            "reason": "exchange", "ended_us": null, "ended_by": null});
        let shown = "#2 1970-01-01T00:00:00Z to 1970-01-01T00:01:00Z";
        assert_eq!(silence(&muted), format!("{shown}: rule:disk (eva: exchange)"));
        (muted["ended_us"], muted["ended_by"]) = (1_000_000.into(), "bob".into());
        assert_eq!(
            silence(&muted),
            format!("{shown}, ended 1970-01-01T00:00:01Z by bob: rule:disk (eva: exchange)")
        );
    }
}

//! What receivers get: the changes of alerts of one group, or a sign of life.
//!
//! In: records. Out: a JSON object, which the outbox keeps and every attempt sends. Holds nothing.
//! Limits: [`ALERTS_MAX`] records are listed, the others counted.

use crate::record::{Record, is_end};
use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};

/// Most records that a notification lists.
pub(crate) const ALERTS_MAX: usize = 50;

/// The content of a notification.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Notice(pub(crate) Value);

/// Why a notification is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Alerts changed, or go on.
    Alerts,
    /// A sign of life.
    Heartbeat,
    /// Somebody tries a channel.
    Test,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Alerts => "alerts",
            Purpose::Heartbeat => "heartbeat",
            Purpose::Test => "test",
        }
    }
}

/// The subject of a notification, besides its records.
pub(crate) struct Subject<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) server: &'a str,
    pub(crate) route: &'a str,
    /// Names and values of the group, or a word for what is not of one group.
    pub(crate) group: Value,
    /// How many groups were merged, because the route was over its limit.
    pub(crate) groups: usize,
    pub(crate) at_us: i64,
}

impl Notice {
    /// Makes one of records, oldest first. `total` counts also those that are not given.
    pub(crate) fn new(subject: &Subject<'_>, records: &[Record], total: usize) -> Notice {
        let firing = records.iter().filter(|record| !is_end(record.text("change"))).count();
        let worst = records.iter().map(Record::severity).min_by_key(|severity| severity.0);
        let listed: Vec<&Value> = records.iter().take(ALERTS_MAX).map(|record| &record.0).collect();
        Notice(json!({
            "type": subject.purpose.name(),
            "server": subject.server,
            "route": subject.route,
            "group": subject.group,
            "groups": subject.groups,
            "status": if firing > 0 { "firing" } else if records.is_empty() { "ok" } else { "resolved" },
            "severity": worst.map(|severity| severity.name()),
            "created_us": subject.at_us,
            "count": total,
            "alerts": listed,
        }))
    }

    /// Returns a text of it.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the number of changes that it is about.
    pub(crate) fn count(&self) -> u64 {
        self.0.get("count").and_then(Value::as_u64).unwrap_or_default()
    }

    /// Returns the records that it lists.
    pub(crate) fn records(&self) -> Vec<Record> {
        let list = self.0.get("alerts").and_then(Value::as_array);
        list.into_iter().flatten().map(|record| Record(record.clone())).collect()
    }

    /// Returns a line for people that says what it is about.
    pub(crate) fn subject(&self) -> String {
        let server = self.text("server");
        match self.text("type") {
            "heartbeat" => format!("{server} is alive"),
            "test" => format!("{server}: this is a test"),
            _ => match self.records().as_slice() {
                [] => format!("{server}: no alerts"),
                [record, ..] if self.count() == 1 => format!("{server}: {}", record.line()),
                [record, ..] => {
                    format!("{server}: {} changes of alerts, first {}", self.count(), record.line())
                }
            },
        }
    }

    /// Returns a text for people.
    pub(crate) fn body(&self) -> String {
        let mut body = self.subject();
        body.push_str("\n\n");
        let records = self.records();
        for record in &records {
            let at = time(record.number("at_us").unwrap_or_default());
            body.push_str(&format!("{at}  {}\n", record.line()));
            let cause = record.number("sequence").map(|sequence| format!(", message #{sequence}"));
            let cause = cause.unwrap_or_default();
            body.push_str(&format!(
                "    rule {}, logspace {}{cause}\n",
                record.text("rule"),
                record.text("logspace")
            ));
        }
        let more = self.count().saturating_sub(records.len() as u64);
        if more > 0 {
            body.push_str(&format!("and {more} more\n"));
        }
        body
    }
}

/// Returns the id of a notice, from what it is about.
pub(crate) fn notice_id(parts: &[&str]) -> String {
    hex(&parts.join("\n"))
}

/// Returns the id of the notification of a notice over a channel: the same at every attempt.
pub(crate) fn message_id(notice: &str, channel: &str) -> String {
    format!("msg_{}", hex(&format!("{notice}\n{channel}")))
}

/// Returns half of a digest: as much as nobody else's can be equal to by chance.
fn hex(text: &str) -> String {
    let digest = digest(&SHA256, text.as_bytes());
    digest.as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a time as ISO 8601 in UTC, in seconds.
pub(crate) fn time(at_us: i64) -> String {
    let seconds = jiff::Timestamp::from_second(at_us.div_euclid(1_000_000));
    seconds.map_or_else(|_| at_us.to_string(), |time| time.to_string())
}

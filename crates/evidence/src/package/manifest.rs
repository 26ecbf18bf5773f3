//! The manifest: the query, the statement of completeness, the files of the package.
//!
//! In: the chain, what was exported. Out: JSON. Limits: numbers are written as numbers up to 2^53, where browsers
//! read them exactly; sequence numbers stay below for centuries.

use crate::{
    chain::Chain,
    record::{Event, Record},
};
use serde_json::{Value, json};
use std::ops::Range;

/// The filtered or multiple logspace that was queried, as far as it covers one local logspace.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct View {
    /// Its name.
    pub name: String,
    /// The local logspace.
    pub logspace: String,
    /// Messages of it that may be seen: those that all questions of one of these find; none: all of it.
    pub filter: Option<Vec<Vec<String>>>,
}

impl View {
    /// Returns it as a manifest names it.
    pub fn to_json(&self) -> Value {
        json!({"name": self.name, "logspace": self.logspace, "filter": self.filter})
    }

    /// The one that a manifest names.
    pub(super) fn of_json(value: &Value) -> Option<View> {
        let texts = |value: &Value| {
            value
                .as_array()?
                .iter()
                .map(|text| text.as_str().map(str::to_owned))
                .collect::<Option<Vec<String>>>()
        };
        let filter = match &value["filter"] {
            Value::Null => None,
            ways => Some(ways.as_array()?.iter().map(texts).collect::<Option<_>>()?),
        };
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(View { name: text("name")?, logspace: text("logspace")?, filter })
    }
}

impl std::fmt::Display for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "logspace {} as far as it is in {}", self.name, self.logspace)?;
        let Some(ways) = &self.filter else { return Ok(()) };
        let way =
            |way: &Vec<String>| way.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" AND ");
        let ways: Vec<String> = ways.iter().map(way).collect();
        write!(f, ", only messages that its filter lets see: {}", ways.join(" OR "))
    }
}

/// The query of the export.
#[derive(Clone, Default, Debug)]
pub struct Question {
    /// The logspace that was queried, when that is not the local one itself.
    pub view: Option<View>,
    /// In the query language; empty for everything.
    pub text: String,
    /// First received time, microseconds since 1970.
    pub from_us: Option<i64>,
    /// Received time after the last.
    pub to_us: Option<i64>,
    /// The user who exported.
    pub asked_by: String,
    /// When, microseconds since 1970.
    pub at_us: i64,
}

impl Question {
    /// The question that a manifest names.
    pub(super) fn of_json(value: &Value) -> Option<Question> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let time = |name: &str| match &value[name] {
            Value::Null => Some(None),
            time => time.as_i64().map(Some),
        };
        Some(Question {
            view: None,
            text: text("text")?,
            from_us: time("from_us")?,
            to_us: time("to_us")?,
            asked_by: text("asked_by")?,
            at_us: value["at_us"].as_i64()?,
        })
    }

    /// Returns it as a manifest names it.
    pub fn to_json(&self) -> Value {
        json!({
            "text": self.text,
            "from_us": self.from_us,
            "to_us": self.to_us,
            "asked_by": self.asked_by,
            "at_us": self.at_us,
        })
    }
}

/// Numbers that cannot be in a package, and why: removed, missing, never sealed.
pub(super) fn gaps(chain: &Chain) -> Vec<(Range<u64>, String)> {
    let mut latest: Vec<&Record> = Vec::new();
    for record in chain.records() {
        latest.retain(|known| known.segment.first != record.segment.first);
        latest.push(record);
    }
    latest.sort_by_key(|record| record.segment.first);
    let (mut gaps, mut next) = (Vec::new(), 0);
    for record in latest {
        if record.segment.first > next {
            gaps.push((next..record.segment.first, "never sealed".to_owned()));
        }
        if let Event::Removal(reason) = &record.event {
            gaps.push((record.segment.first..record.end(), format!("removed: {reason}")));
        }
        next = next.max(record.end());
    }
    gaps
}

/// Ranges of numbers with a reason, as a manifest names them.
pub(super) fn ranges(value: &Value) -> Option<Vec<(Range<u64>, String)>> {
    let range = |row: &Value| {
        let (from, to) = (row["from"].as_u64()?, row["to"].as_u64()?);
        Some((from..to, row["why"].as_str()?.to_owned()))
    };
    value.as_array()?.iter().map(range).collect()
}

/// Returns the statement of completeness of a manifest: which numbers are sealed, which of them cannot be in the package
/// and why, and which part of the logspace was queried.
pub fn completeness(chain: &Chain, view: Option<&View>, unread: &[(Range<u64>, String)]) -> Value {
    let end = chain.records().iter().map(Record::end).max().unwrap_or(0);
    let show =
        |(range, why): &(Range<u64>, String)| json!({"from": range.start, "to": range.end, "why": why});
    let mut note = String::from(
        "Messages that were not sealed yet when the package was made have numbers from sequence_to on and are not in it.",
    );
    if view.is_some_and(|view| view.filter.is_some()) {
        note.push_str(
            " The range and the gaps are those of the local logspace; of its messages only those that the filter lets see were asked.",
        );
    }
    json!({
        "sequence_from": 0,
        "sequence_to": end,
        "gaps": gaps(chain).iter().map(show).collect::<Vec<_>>(),
        "unread": unread.iter().map(show).collect::<Vec<_>>(),
        "note": note,
        "view": view.map(View::to_json),
    })
}

#[cfg(test)]
mod tests;

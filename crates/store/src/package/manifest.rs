//! The manifest: what was asked, what is complete, which files belong to the package.
//!
//! In: the chain, what was exported. Out: JSON. Limits: numbers are written as numbers up to 2^53, where browsers
//! read them exactly; sequence numbers stay below for centuries.

use crate::evidence::{Chain, Event, Record};
use serde_json::{Value, json};
use std::ops::Range;

/// What was asked.
#[derive(Clone, Default, Debug)]
pub struct Question {
    /// In the query language; empty for everything.
    pub text: String,
    /// First received time, microseconds since 1970.
    pub from_us: Option<i64>,
    /// Received time after the last.
    pub to_us: Option<i64>,
    /// Who asked.
    pub asked_by: String,
    /// When, microseconds since 1970.
    pub at_us: i64,
}

impl Question {
    pub(super) fn to_json(&self) -> Value {
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

/// The statement of completeness.
pub(super) fn completeness(chain: &Chain, unread: &[(Range<u64>, String)]) -> Value {
    let end = chain.records().iter().map(Record::end).max().unwrap_or(0);
    let show =
        |(range, why): &(Range<u64>, String)| json!({"from": range.start, "to": range.end, "why": why});
    json!({
        "sequence_from": 0,
        "sequence_to": end,
        "gaps": gaps(chain).iter().map(show).collect::<Vec<_>>(),
        "unread": unread.iter().map(show).collect::<Vec<_>>(),
        "note": "Messages that were not sealed yet when the package was made have numbers from sequence_to on and are not in it.",
    })
}

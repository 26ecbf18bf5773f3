//! The figures of lookups: what became of messages, and of keys at a server.
//!
//! In: their counters. Out: figures and samples. Holds nothing.

use super::statistics::{Figure, Sample};
use enrich::LookupCounts;

/// A number in CSV, and the function that reads it.
type Reading = (&'static str, fn(&LookupCounts) -> u64);

const OF_LOOKUPS: &[Reading] = &[
    ("found", |counts| counts.found),
    ("missing", |counts| counts.missing),
    ("stale", |counts| counts.stale),
    ("failed", |counts| counts.failed),
    ("answered", |counts| counts.answered),
    ("refused", |counts| counts.refused),
    ("unanswered", |counts| counts.unanswered),
    ("memory_usage", |counts| counts.cache_bytes),
    ("paused", |counts| counts.paused),
];

/// Returns the figures of the lookups at a server.
pub(super) fn lookup_figures(name: &str, counts: &LookupCounts) -> Vec<Figure> {
    let figure = |(kind, read): &Reading| Figure {
        component: "lookup".to_owned(),
        id: name.to_owned(),
        instance: String::new(),
        state: 'a',
        kind,
        value: read(counts),
    };
    OF_LOOKUPS.iter().map(figure).collect()
}

/// Returns the samples of the lookups at a server.
pub(super) fn lookup_samples(id: &str, counts: &LookupCounts) -> Vec<Sample> {
    let sample = |name: &'static str, kind, result: Option<&str>, value: u64| {
        let mut labels = vec![("id".into(), id.to_owned())];
        labels.extend(result.map(|result| ("result".into(), result.to_owned())));
        Sample { name: name.into(), kind, labels, value: value as f64 }
    };
    let messages = |result, value| sample("duramen_lookup_events_total", "counter", Some(result), value);
    let keys = |result, value| sample("duramen_lookup_keys_total", "counter", Some(result), value);
    vec![
        messages("found", counts.found),
        messages("missing", counts.missing),
        messages("stale", counts.stale),
        messages("failed", counts.failed),
        keys("answered", counts.answered),
        keys("refused", counts.refused),
        keys("unanswered", counts.unanswered),
        sample("duramen_lookup_cache_bytes", "gauge", None, counts.cache_bytes),
        sample("duramen_lookup_paused", "gauge", None, counts.paused),
    ]
}

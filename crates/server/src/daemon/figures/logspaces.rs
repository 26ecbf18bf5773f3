//! The figures of logspaces: of each, and of the names with macros that several belong to.
//!
//! In: their counters. Out: figures, samples and accounts. Holds nothing.

use super::{
    super::running::FamilyStats,
    statistics::{Account, Sample},
};
use alerts::FollowerStatus;
use logspace::LogspaceStats;

/// A logspace's number in CSV, and the function that reads it.
pub(super) type LogspaceReading = (&'static str, fn(&LogspaceStats) -> u64);

pub(super) const OF_LOGSPACES: &[LogspaceReading] = &[
    ("processed", |stats| stats.messages_in_total),
    ("written", |stats| stats.messages_stored_total),
    ("dropped", dropped),
    ("queued", queued),
    ("memory_usage", |stats| stats.queue_bytes + stats.unbuilt_bytes),
    ("segments", |stats| stats.segments),
    ("recoded", |stats| stats.segments_recoded),
    ("bytes", |stats| stats.segment_bytes + stats.journal_bytes),
];

fn dropped(stats: &LogspaceStats) -> u64 {
    stats.messages_dropped_full_total
        + stats.messages_dropped_large_total
        + stats.messages_dropped_closed_total
}

fn queued(stats: &LogspaceStats) -> u64 {
    stats.messages_in_total.saturating_sub(stats.messages_stored_total + dropped(stats))
}

/// A counter's name in CSV, and the function that reads it.
pub(super) type FamilyReading = (&'static str, fn(&FamilyStats) -> u64);

pub(super) const OF_FAMILIES: &[FamilyReading] = &[
    ("processed", unsorted),
    ("dropped", |stats| stats.dropped_full + stats.dropped_closed),
    ("queued", |stats| stats.queued),
    ("overflowed", |stats| stats.overflowed),
    ("logspaces", |stats| stats.logspaces),
];

/// Returns the account of a logspace: its messages and their outcomes.
pub(super) fn logspace_account(id: &str, name: &str, stats: &LogspaceStats) -> Account {
    let parts = vec![
        ("written", stats.messages_stored_total),
        ("queued", queued(stats)),
        ("queue_full", stats.messages_dropped_full_total),
        ("too_large", stats.messages_dropped_large_total),
        ("stopped", stats.messages_dropped_closed_total),
    ];
    Account { name: format!("dst.logspace;{id};{name}"), taken: stats.messages_in_total, parts }
}

/// Returns the account of a name with macros: the messages that none of its logspaces counts.
pub(super) fn family_account(id: &str, name: &str, stats: &FamilyStats) -> Account {
    let parts =
        vec![("queued", stats.queued), ("queue_full", stats.dropped_full), ("stopped", stats.dropped_closed)];
    Account { name: format!("dst.logspace;{id};{name}"), taken: unsorted(stats), parts }
}

fn sample(
    [id, name]: [&str; 2],
    (metric, kind): (&'static str, &'static str),
    more: &[(&'static str, &str)],
    value: u64,
) -> Sample {
    let known = [("driver", "logspace"), ("id", id), ("instance", name)];
    let labels =
        known.iter().chain(more).map(|(name, value)| ((*name).into(), (*value).to_owned())).collect();
    Sample { name: metric.into(), kind, labels, value: value as f64 }
}

/// Returns the samples of a logspace.
pub(super) fn logspace_samples(id: &str, name: &str, stats: &LogspaceStats) -> Vec<Sample> {
    let sample =
        |metric, kind, more: &[(&'static str, &str)], value| sample([id, name], (metric, kind), more, value);
    let counter = |metric, more: &[(&'static str, &str)], value| sample(metric, "counter", more, value);
    let gauge = |metric, value| sample(metric, "gauge", &[], value);
    let lost = |reason, value| {
        counter("syslogng_output_events_total", &[("result", "dropped"), ("reason", reason)], value)
    };
    vec![
        counter("syslogng_output_events_total", &[("result", "processed")], stats.messages_in_total),
        counter("syslogng_output_events_total", &[("result", "delivered")], stats.messages_stored_total),
        lost("queue_full", stats.messages_dropped_full_total),
        lost("too_large", stats.messages_dropped_large_total),
        lost("stopped", stats.messages_dropped_closed_total),
        gauge("syslogng_memory_queue_events", queued(stats)),
        gauge("syslogng_memory_queue_memory_usage_bytes", stats.queue_bytes + stats.unbuilt_bytes),
        counter("duramen_logspace_commits_total", &[], stats.commits_total),
        counter("duramen_logspace_commits_failed_total", &[], stats.commits_failed_total),
        counter("duramen_logspace_seals_failed_total", &[], stats.seals_failed_total),
        counter("duramen_logspace_segments_removed_total", &[], stats.segments_removed_total),
        counter("duramen_logspace_segments_scrubbed_total", &[], stats.segments_scrubbed_total),
        counter("duramen_logspace_segments_recoded_total", &[], stats.segments_recoded_total),
        counter("duramen_logspace_recode_saved_bytes_total", &[], stats.recode_saved_bytes_total),
        counter("duramen_logspace_recodes_failed_total", &[], stats.recodes_failed_total),
        counter("duramen_logspace_timestamps_total", &[], stats.timestamps_total),
        counter("duramen_logspace_values_without_column_total", &[], stats.values_without_column_total),
        gauge("duramen_logspace_segments", stats.segments),
        gauge("duramen_logspace_segments_recoded", stats.segments_recoded),
        gauge("duramen_logspace_segment_bytes", stats.segment_bytes),
        gauge("duramen_logspace_journal_bytes", stats.journal_bytes),
        gauge("duramen_logspace_unsealed_messages", stats.unsealed_messages),
        gauge("duramen_logspace_sequence", stats.sequence),
        gauge("duramen_logspace_live_tails", stats.subscribers),
    ]
}

/// Returns the samples of the rules of a logspace.
pub(super) fn rule_samples(status: &FollowerStatus) -> Vec<Sample> {
    let sample = |metric: &'static str, kind, value| Sample {
        name: metric.into(),
        kind,
        labels: vec![("logspace".into(), status.logspace.to_string())],
        value,
    };
    let counter = |metric, value: u64| sample(metric, "counter", value as f64);
    let gauge = |metric, value: u64| sample(metric, "gauge", value as f64);
    vec![
        gauge("duramen_rules", status.rules),
        counter("duramen_rules_evaluated_events_total", status.evaluated),
        counter("duramen_rules_missed_events_total", status.missed),
        counter("duramen_rules_transitions_total", status.transitions),
        gauge("duramen_rules_sequence", status.cursor),
        gauge("duramen_rules_behind_events", status.behind_messages),
        sample("duramen_rules_behind_seconds", "gauge", status.behind_us as f64 / 1e6),
        gauge("duramen_rules_keys", status.keys),
        gauge("duramen_rules_memory_bytes", status.bytes),
    ]
}

/// Returns the messages of a family that no logspace of it counts.
pub(super) fn unsorted(stats: &FamilyStats) -> u64 {
    stats.queued + stats.dropped_full + stats.dropped_closed
}

/// Returns the samples of a name with macros.
pub(super) fn family_samples(id: &str, name: &str, stats: &FamilyStats) -> Vec<Sample> {
    let sample =
        |metric, kind, more: &[(&'static str, &str)], value| sample([id, name], (metric, kind), more, value);
    let counter = |metric, more: &[(&'static str, &str)], value| sample(metric, "counter", more, value);
    let lost = |reason, value| {
        counter("syslogng_output_events_total", &[("result", "dropped"), ("reason", reason)], value)
    };
    vec![
        counter("syslogng_output_events_total", &[("result", "processed")], unsorted(stats)),
        lost("queue_full", stats.dropped_full),
        lost("stopped", stats.dropped_closed),
        sample("syslogng_memory_queue_events", "gauge", &[], stats.queued),
        counter("duramen_logspace_overflow_events_total", &[], stats.overflowed),
        sample("duramen_logspaces", "gauge", &[], stats.logspaces),
    ]
}

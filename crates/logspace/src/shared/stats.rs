//! The counters of a logspace.
//!
//! In: events of its threads. Out: [`LogspaceStats`]. Messages in = stored + queued + dropped.
//! Holds: atomics, updated once per batch.

use segment::RecodeReport;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// The counters of a logspace at one moment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct LogspaceStats {
    /// Messages delivered to it since it was opened.
    pub messages_in_total: u64,
    /// Messages made durable.
    pub messages_stored_total: u64,
    /// Messages dropped because the queue was full (paths without flow control).
    pub messages_dropped_full_total: u64,
    /// Messages dropped because they are larger than a journal record can be.
    pub messages_dropped_large_total: u64,
    /// Messages that a closing logspace could not store; their sources were notified.
    pub messages_dropped_closed_total: u64,
    /// Journal bytes written.
    pub journal_written_bytes_total: u64,
    /// Commits of the journal.
    pub commits_total: u64,
    /// Commits that failed and were tried again.
    pub commits_failed_total: u64,
    /// Seals that failed and were tried again.
    pub seals_failed_total: u64,
    /// Segments removed by the retention.
    pub segments_removed_total: u64,
    /// Sealed segments that were scrubbed.
    pub segments_scrubbed_total: u64,
    /// Segments recoded.
    pub segments_recoded_total: u64,
    /// Bytes that recoding saved.
    pub recode_saved_bytes_total: u64,
    /// Segments that could not be recoded and are left unchanged.
    pub recodes_failed_total: u64,
    /// Values that have no column of their name because their segment had too many names.
    pub values_without_column_total: u64,
    /// The same for the active segment, or for the previous one if that has more: not 0 while a logspace has too
    /// many names.
    pub values_without_column: u64,
    /// Time-stamps received.
    pub timestamps_total: u64,
    /// Messages that are neither stored nor dropped yet.
    pub queue_messages: u64,
    /// Bytes of batches that wait for the journal.
    pub queue_bytes: u64,
    /// Bytes that are durable but not searchable yet.
    pub unbuilt_bytes: u64,
    /// Bytes of the journal's files.
    pub journal_bytes: u64,
    /// Sealed segments.
    pub segments: u64,
    /// Those of them that are recoded.
    pub segments_recoded: u64,
    /// Size of the sealed segments on disk.
    pub segment_bytes: u64,
    /// Messages that are searchable but not sealed yet.
    pub unsealed_messages: u64,
    /// Sequence number after the newest searchable message.
    pub sequence: u64,
    /// Messages that are still being read back from the journal after a start.
    pub starting_messages: u64,
    /// Live tails.
    pub subscribers: u64,
    /// The present failure: the work is tried again until it succeeds.
    pub last_error: Option<String>,
}

/// The live counters from which [`LogspaceStats`] is made.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) messages_in: AtomicU64,
    pub(crate) messages_stored: AtomicU64,
    pub(crate) dropped_full: AtomicU64,
    pub(crate) dropped_large: AtomicU64,
    pub(crate) dropped_closed: AtomicU64,
    pub(crate) journal_written: AtomicU64,
    pub(crate) commits: AtomicU64,
    pub(crate) commits_failed: AtomicU64,
    pub(crate) seals_failed: AtomicU64,
    pub(crate) segments_removed: AtomicU64,
    pub(crate) scrubbed: AtomicU64,
    pub(crate) recoded: AtomicU64,
    pub(crate) recode_saved: AtomicU64,
    pub(crate) recodes_failed: AtomicU64,
    pub(crate) values_without_column: AtomicU64,
    pub(crate) values_without_column_now: AtomicU64,
    pub(crate) stamped: AtomicU64,
    pub(crate) journal_bytes: AtomicU64,
    last_error: Mutex<Option<String>>,
    /// Faults found when the logspace was opened, which persist.
    standing: Mutex<Vec<String>>,
}

/// Most faults found at opening that are shown as sentences: further ones are only counted.
const STANDING_SHOWN: usize = 4;

impl Counters {
    /// Clears the present failure: it works again.
    pub(crate) fn recovered(&self) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Counts a recoded segment.
    pub(crate) fn recoded(&self, report: &RecodeReport) {
        self.recoded.fetch_add(1, Relaxed);
        self.recode_saved.fetch_add(report.before.saturating_sub(report.file), Relaxed);
    }

    /// Remembers a failure.
    pub(crate) fn failed(&self, error: &str) {
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_owned());
    }

    /// Remembers faults that persist until someone fixes them.
    pub(crate) fn stand(&self, troubles: Vec<String>) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = troubles;
    }

    /// Returns the present failure.
    fn error(&self) -> Option<String> {
        let last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let shown: Vec<&str> =
            last.iter().chain(&*standing).take(STANDING_SHOWN).map(String::as_str).collect();
        let more = (usize::from(last.is_some()) + standing.len()).saturating_sub(shown.len());
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        (!shown.is_empty()).then(|| shown.join("; ") + &rest)
    }

    /// Returns the statistics that come from the counters.
    pub(crate) fn stats(&self) -> LogspaceStats {
        // The outputs are read before the inputs: a message in between counts as waiting.
        let stored = self.messages_stored.load(Relaxed);
        let dropped = [&self.dropped_full, &self.dropped_large, &self.dropped_closed];
        let [full, large, closed] = dropped.map(|counter| counter.load(Relaxed));
        let messages_in = self.messages_in.load(Relaxed);
        LogspaceStats {
            messages_in_total: messages_in,
            messages_stored_total: stored,
            messages_dropped_full_total: full,
            messages_dropped_large_total: large,
            messages_dropped_closed_total: closed,
            queue_messages: messages_in.saturating_sub(stored + full + large + closed),
            journal_written_bytes_total: self.journal_written.load(Relaxed),
            commits_total: self.commits.load(Relaxed),
            commits_failed_total: self.commits_failed.load(Relaxed),
            seals_failed_total: self.seals_failed.load(Relaxed),
            segments_removed_total: self.segments_removed.load(Relaxed),
            values_without_column_total: self.values_without_column.load(Relaxed),
            values_without_column: self.values_without_column_now.load(Relaxed),
            timestamps_total: self.stamped.load(Relaxed),
            segments_scrubbed_total: self.scrubbed.load(Relaxed),
            segments_recoded_total: self.recoded.load(Relaxed),
            recode_saved_bytes_total: self.recode_saved.load(Relaxed),
            recodes_failed_total: self.recodes_failed.load(Relaxed),
            journal_bytes: self.journal_bytes.load(Relaxed),
            last_error: self.error(),
            ..LogspaceStats::default()
        }
    }
}

#[cfg(test)]
mod tests {
    //! Each counter under its name, and what is wrong.

    use super::*;

    #[test]
    fn every_counter_is_shown_under_its_name() {
        let counters = Counters::default();
        let all = [
            &counters.messages_in,
            &counters.messages_stored,
            &counters.dropped_full,
            &counters.dropped_large,
            &counters.dropped_closed,
            &counters.journal_written,
            &counters.commits,
            &counters.commits_failed,
            &counters.seals_failed,
            &counters.segments_removed,
            &counters.scrubbed,
            &counters.recoded,
            &counters.recode_saved,
            &counters.recodes_failed,
            &counters.values_without_column,
            &counters.values_without_column_now,
            &counters.stamped,
            &counters.journal_bytes,
        ];
        all.into_iter().zip(1..).for_each(|(counter, number)| counter.store(number, Relaxed));
        counters.messages_in.store(100, Relaxed);
        let want = LogspaceStats {
            messages_in_total: 100,
            messages_stored_total: 2,
            messages_dropped_full_total: 3,
            messages_dropped_large_total: 4,
            messages_dropped_closed_total: 5,
            journal_written_bytes_total: 6,
            commits_total: 7,
            commits_failed_total: 8,
            seals_failed_total: 9,
            segments_removed_total: 10,
            segments_scrubbed_total: 11,
            segments_recoded_total: 12,
            recode_saved_bytes_total: 13,
            recodes_failed_total: 14,
            values_without_column_total: 15,
            values_without_column: 16,
            timestamps_total: 17,
            journal_bytes: 18,
            queue_messages: 100 - 2 - 3 - 4 - 5,
            ..LogspaceStats::default()
        };
        assert_eq!(counters.stats(), want);
    }

    #[test]
    fn what_stays_wrong_is_shown_behind_what_is_wrong_now() {
        let counters = Counters::default();
        let shown = || counters.stats().last_error;
        assert_eq!(shown(), None);
        counters.failed("now");
        assert_eq!(shown().as_deref(), Some("now"));
        let standing = |count: usize| (1..=count).map(|number| format!("s{number}")).collect();
        counters.stand(standing(3));
        assert_eq!(shown().as_deref(), Some("now; s1; s2; s3"));
        counters.stand(standing(6));
        assert_eq!(shown().as_deref(), Some("now; s1; s2; s3; and 3 more"));
        counters.recovered();
        assert_eq!(shown().as_deref(), Some("s1; s2; s3; s4; and 2 more"));
        counters.stand(standing(4));
        assert_eq!(shown().as_deref(), Some("s1; s2; s3; s4"));
    }
}

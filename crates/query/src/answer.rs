//! The parameters of a search and the parts of its answer.
//!
//! In: a [`Search`]. Out: an [`Answer`] whose total, buckets, rows and facets come from one snapshot and agree.

use crate::memory::{MemoryBudget, MemoryError, OverBudget, ResultCache};
use jiff::Timestamp;
use lookup::{CancelToken, Column, Document, ReadError, Stop};
use std::ops::Range;

/// The clocks by which messages can be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Clock {
    /// The received time, by our clock.
    #[default]
    Received,
    /// The event time, by the sender's clock.
    Event,
}

/// The parameters of a search besides the query itself.
#[derive(Clone, Debug)]
pub struct Search {
    /// The clock of `from_us`, `to_us` and the buckets.
    pub clock: Clock,
    /// First microsecond since 1970 of the time range; open when absent.
    pub from_us: Option<i64>,
    /// Microsecond after the time range; open when absent.
    pub to_us: Option<i64>,
    /// Most rows, at most [`crate::ROWS_MAX`]; use `before` to get the next ones.
    pub limit: usize,
    /// Only rows after this one, as numbered by [`crate::row_number`]; total, buckets and facets do not change.
    pub before: Option<u64>,
    /// For each member of the scope, only messages with a smaller sequence number: the snapshot of an earlier
    /// answer. A member without an entry has no such limit.
    pub until: Vec<u64>,
    /// Number of buckets; 0 for none.
    pub buckets: usize,
    /// Columns whose values are counted.
    pub facets: Vec<Column>,
    /// Most values of a facet.
    pub facet_limit: usize,
    /// When to stop.
    pub cancel: CancelToken,
    /// Memory that the search may use.
    pub memory: MemoryBudget,
    /// Results of earlier searches.
    pub cache: ResultCache,
    /// Threads to use, the calling one included.
    pub threads: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            clock: Clock::Received,
            from_us: None,
            to_us: None,
            limit: 200,
            before: None,
            until: Vec::new(),
            buckets: 30,
            facets: Vec::new(),
            facet_limit: 10,
            cancel: CancelToken::unlimited(),
            memory: MemoryBudget::unlimited(),
            cache: ResultCache::default(),
            threads: 2,
        }
    }
}

/// The answer to a search.
#[derive(Clone, Debug)]
pub struct Answer {
    /// For each member of the scope, the sequence number after the newest message that was searched.
    pub snapshot: Vec<u64>,
    /// Number of matching messages: exact, unless `timed_out` is set.
    pub total: u64,
    /// Number of messages in the time range.
    pub scanned: u64,
    /// Start of the time range; that of the oldest message when the search sets none.
    pub from_us: i64,
    /// The histogram, if requested.
    pub to_us: i64,
    /// Counts over time, when asked for.
    pub histogram: Option<Histogram>,
    /// The newest matching messages, newest first.
    pub rows: Vec<Row>,
    /// Counts of values, one facet per requested column.
    pub facets: Vec<Facet>,
    /// Advice that depends on the data, for instance that no message has a field.
    pub hints: Vec<String>,
    /// Set when time ran out before the oldest messages were searched or facets were counted; these are left out.
    pub timed_out: Option<TimedOut>,
    /// Messages that could not be read and are not covered by the answer: locked, or damaged on disk.
    pub unread: Vec<Unread>,
    /// Duration of the search, in microseconds.
    pub took_us: u64,
}

/// Messages that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The member of the scope that they belong to.
    pub member: usize,
    /// Their sequence numbers, unless the member hides how many there are.
    pub messages: Option<Range<u64>>,
    /// Received times of the first and the last, microseconds since 1970.
    pub received_us: (i64, i64),
    /// The reason.
    pub reason: UnreadReason,
}

/// The reason of unread messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnreadReason {
    /// The key is not loaded.
    Locked,
    /// The archive is not attached.
    Away,
    /// The journal lost them.
    Lost,
    /// They are still being read back from the journal.
    Starting,
    /// The file cannot be opened.
    Damaged,
    /// The damage, as a sentence.
    Unreadable(String),
}

impl std::fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnreadReason::Locked => "locked",
            UnreadReason::Away => "away",
            UnreadReason::Lost => "lost",
            UnreadReason::Starting => "starting",
            UnreadReason::Damaged => "damaged",
            UnreadReason::Unreadable(why) => why,
        })
    }
}

impl Unread {
    /// Describes the loss to a user: which messages are missing and why.
    pub fn describe(&self) -> String {
        let time =
            |us| Timestamp::from_microsecond(us).map_or_else(|_| "?".to_owned(), |time| format!("{time:.0}"));
        let (from, to) = (time(self.received_us.0), time(self.received_us.1));
        let which = match &self.messages {
            Some(messages) if !messages.is_empty() => {
                format!("messages {} to {} (received {from} to {to})", messages.start, messages.end - 1)
            }
            _ => format!("messages received {from} to {to}"),
        };
        match &self.reason {
            UnreadReason::Locked => {
                format!("{which} are locked and were not searched: unlock the logspace with its private key")
            }
            UnreadReason::Away => {
                format!("{which} are in an archive that is not attached and were not searched")
            }
            UnreadReason::Lost => format!("up to all of {which} are lost: the journal no longer has them"),
            UnreadReason::Starting => {
                format!(
                    "{which} are still being read back from the journal and were not searched: ask again soon"
                )
            }
            reason => format!("{which} may be left out: {reason}"),
        }
    }
}

/// The progress of a search when its time ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedOut {
    /// Messages received from here on were searched, and the answer is exact for them; microseconds since 1970.
    pub searched_from_us: i64,
}

/// Counts over time in intervals of equal width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    /// Start of the first interval, microseconds since 1970.
    pub start_us: i64,
    /// Width of an interval in microseconds.
    pub width_us: i64,
    /// Number of messages in each interval.
    pub counts: Vec<u64>,
}

/// A message that matches.
#[derive(Clone, Debug)]
pub struct Row {
    /// The message.
    pub document: Document,
    /// Byte ranges of its text that match, ascending, without overlap.
    pub highlights: Vec<Range<usize>>,
}

/// The most frequent values of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facet {
    /// The column that was counted.
    pub column: Column,
    /// Values with their counts, most frequent first.
    pub values: Vec<(Vec<u8>, u64)>,
    /// Count of all values not listed.
    pub other: u64,
    /// Number of distinct values.
    pub distinct: u64,
    /// True when there are more distinct values than memory allowed: `distinct` is then a lower bound, and
    /// `other` includes the counts of the values that were dropped.
    pub cut: bool,
    /// Number of messages that have the column.
    pub coverage: u64,
}

/// The reasons why a search has no answer.
#[derive(Debug)]
pub enum SearchError {
    /// The client disconnected.
    Cancelled,
    /// Time ran out before anything was searched.
    TimedOut,
    /// The request cannot be carried out; the text says why and what to do instead.
    Refused(String),
    /// The search needs more memory than its budget.
    OverBudget(OverBudget),
    /// A segment could not be read.
    Read(ReadError),
}

impl From<ReadError> for SearchError {
    fn from(error: ReadError) -> SearchError {
        match error {
            ReadError::Stopped(Stop::Cancelled) => SearchError::Cancelled,
            ReadError::Stopped(Stop::TimedOut) => SearchError::TimedOut,
            error => SearchError::Read(error),
        }
    }
}

impl From<MemoryError> for SearchError {
    fn from(error: MemoryError) -> SearchError {
        match error {
            MemoryError::Over(over) => SearchError::OverBudget(over),
            MemoryError::Stopped(stop) => stop.into(),
        }
    }
}

impl From<Stop> for SearchError {
    fn from(stop: Stop) -> SearchError {
        SearchError::from(ReadError::Stopped(stop))
    }
}

impl std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SearchError::Cancelled => f.write_str("the search was cancelled"),
            SearchError::TimedOut => f.write_str("the search ran out of time"),
            SearchError::Refused(why) => f.write_str(why),
            SearchError::OverBudget(over) => over.fmt(f),
            SearchError::Read(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {}

#[cfg(test)]
mod tests;

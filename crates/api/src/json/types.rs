//! Requests and answers of the API's calls, as documented in `docs/manual/http-api.md`.
//!
//! In: JSON. Out: JSON. Limits: unknown members of a request are refused, so that a misspelt one is noticed.

use crate::{access::accounts::Right, error::ErrorDetail, json::ids::Id, scope::ScopeKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Names and password of a login.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginRequest {
    /// User name.
    pub user: String,
    /// Password.
    pub password: String,
}

/// The user of the session, and the server.
#[derive(Serialize, ToSchema)]
pub struct SessionAnswer {
    /// User name.
    pub user: String,
    /// Version of the server.
    pub version: String,
    /// Name of the server's machine.
    pub host: String,
    /// The addresses on which the server waits for syslog.
    pub listeners: Vec<ListenerAnswer>,
    /// The rights that the user has in any logspace: they decide which pages are offered.
    pub may: Vec<Right>,
    /// True if the user may administer every logspace, and with that the users.
    pub administers: bool,
    /// True for somebody whose password is kept in a directory, where it is changed.
    pub of_directory: bool,
}

/// An address on which the server waits for syslog.
#[derive(Clone, Serialize, ToSchema)]
pub struct ListenerAnswer {
    /// `udp`, or `tcp` with and without TLS.
    pub transport: String,
    /// The IP address; `0.0.0.0` or `::` for all of the machine.
    pub address: String,
    /// The port.
    pub port: u16,
}

/// One logspace.
#[derive(Serialize, ToSchema)]
pub struct LogspaceAnswer {
    /// Its name in the configuration.
    pub name: String,
    /// `local`, `filtered` or `multiple`.
    pub kind: ScopeKind,
    /// Rights of the user there: `search`, `export`, `administer`.
    pub may: Vec<Right>,
    /// Messages that may be seen of it; absent when they could not be counted in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Bytes on disk, journal included; absent when it is not local.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// True when some of it is locked for the user.
    pub locked: bool,
    /// True when the user's session unlocked some of it.
    pub unlocked: bool,
    /// Received time of the oldest message, microseconds since 1970; absent when empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_us: Option<i64>,
    /// Received time of the newest message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_us: Option<i64>,
}

/// A range of times of one clock.
#[derive(Deserialize, ToSchema, Clone, Default)]
#[serde(deny_unknown_fields)]
pub struct TimeRange {
    /// `received` (the default) or `event`.
    #[serde(default)]
    pub clock: ClockName,
    /// ISO 8601, seconds since 1970, `now`, `now-15m`; left out: no limit.
    pub from: Option<String>,
    /// The same; the end itself is not part of the range.
    pub to: Option<String>,
}

/// The clocks of a message.
#[derive(Deserialize, Serialize, ToSchema, Clone, Copy, Default, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ClockName {
    /// The server's, at reception.
    #[default]
    Received,
    /// The sender's.
    Event,
}

/// The default operator between words.
#[derive(Deserialize, ToSchema, Clone, Copy, Default, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// All words must match.
    #[default]
    And,
    /// One word must match.
    Or,
}

/// A search.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Name of the logspace; may be left out when there is one.
    pub logspace: Option<String>,
    /// Lucene syntax, and pipes; empty finds all.
    #[serde(default)]
    pub query: String,
    /// Default operator between words.
    #[serde(default)]
    pub default_operator: Operator,
    /// Time range.
    #[serde(default)]
    pub time: TimeRange,
    /// Most rows, up to 10,000.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Only rows after this one, by its `sequence`.
    pub before: Option<Id>,
    /// Only messages of the snapshot of an earlier answer.
    pub snapshot: Option<Id>,
    /// Bars of the histogram, up to 500; 0 for none.
    #[serde(default = "default_bars")]
    pub bars: usize,
    /// Columns whose most frequent values are returned.
    #[serde(default)]
    pub facets: Vec<String>,
    /// Longest time of the search, milliseconds.
    #[serde(default = "default_timeout")]
    pub timeout_ms: u64,
}

/// A query whose cost is estimated.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// Name of the logspace; may be left out when there is one.
    pub logspace: Option<String>,
    /// Lucene syntax, and pipes; empty finds all.
    #[serde(default)]
    pub query: String,
    /// Default operator between words.
    #[serde(default)]
    pub default_operator: Operator,
    /// Time range.
    #[serde(default)]
    pub time: TimeRange,
    /// True to run it as well and report matches and time.
    #[serde(default)]
    pub run: bool,
    /// Longest time, milliseconds.
    #[serde(default = "default_timeout")]
    pub timeout_ms: u64,
}

/// The cost of a question.
#[derive(Serialize, ToSchema)]
pub struct ExplainAnswer {
    /// The condition; each part with its figures from the index.
    pub tree: ExplainedPart,
    /// The pipes after it, in order.
    pub pipes: Vec<String>,
    /// Segments of the logspace.
    pub segments: u64,
    /// Segments outside the time range: they are skipped.
    pub skipped_by_time: u64,
    /// Messages in the time range.
    pub messages: u64,
    /// Messages that the index cannot decide: their text is read.
    pub messages_read: u64,
    /// Blocks that contain these messages.
    pub blocks_read: u64,
    /// Size of these blocks on disk.
    pub bytes_read: u64,
    /// Time spent in the index, milliseconds.
    pub index_ms: f64,
    /// Estimated time of the question, without its pipes and without the rows that are shown, milliseconds.
    pub estimated_ms: f64,
    /// Number of messages found, if the query was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Time that it took, when it was run, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
    /// Hints about the query.
    pub hints: Vec<String>,
    /// Messages that could not be read: locked, or damaged on disk; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// The part of a segment that is read to answer a part of a condition.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum PartReads {
    /// The index of words.
    Words,
    /// Columns of values or of times.
    Columns,
    /// The messages that the index leaves undecided.
    Text,
    /// Nothing: the answer is known at once.
    Nothing,
    /// Whatever its parts read.
    Parts,
}

/// A part of a condition.
#[derive(Serialize, ToSchema)]
pub struct ExplainedPart {
    /// The condition in words; `AND`, `OR`, `NOT` for those that have parts.
    pub asks: String,
    /// `words` (the index of words), `columns`, `text` (the messages that the index leaves undecided are
    /// read), `nothing` (known at once), `parts`.
    pub reads: PartReads,
    /// Segments in which it was evaluated; in the others the parts before it left no messages.
    pub segments: u64,
    /// Distinct words, or values of a column, that match, added up over segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    /// Entries of the words' lists in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postings: Option<u64>,
    /// Messages that may match, of those that the parts before it left over.
    pub messages: u64,
    /// Messages among them that the index cannot decide.
    pub undecided: u64,
    /// Time in the index, that of its parts included, milliseconds.
    pub took_ms: f64,
    /// Its parts, in the order of evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub parts: Vec<ExplainedPart>,
}

/// A request for the most frequent values of columns.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FacetsRequest {
    /// Name of the logspace; may be left out when there is one.
    pub logspace: Option<String>,
    /// Lucene syntax; empty finds all.
    #[serde(default)]
    pub query: String,
    /// Default operator between words.
    #[serde(default)]
    pub default_operator: Operator,
    /// Time range.
    #[serde(default)]
    pub time: TimeRange,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Values a column, up to 1,000.
    #[serde(default = "default_facet_limit")]
    pub limit: usize,
    /// Count only messages of the snapshot of an earlier answer.
    pub snapshot: Option<Id>,
    /// Longest time of the search, milliseconds.
    #[serde(default = "default_timeout")]
    pub timeout_ms: u64,
}

fn default_limit() -> usize {
    200
}

fn default_bars() -> usize {
    30
}

fn default_facet_limit() -> usize {
    10
}

pub(crate) fn default_timeout() -> u64 {
    30_000
}

/// The answer of a search; all parts are of one snapshot.
#[derive(Serialize, ToSchema)]
pub struct SearchAnswer {
    /// The part before the rows.
    #[serde(flatten)]
    pub head: SearchHead,
    /// Rows, newest first.
    pub rows: Vec<Row>,
    /// The part after the rows.
    #[serde(flatten)]
    pub tail: SearchTail,
}

/// The part of an answer before its rows.
#[derive(Serialize, ToSchema)]
pub struct SearchHead {
    /// The moment of the answer: in a local logspace the sequence number after the newest message searched.
    pub snapshot: Id,
    /// Exact number of messages found.
    pub total: u64,
    /// Time the search took, milliseconds.
    pub took_ms: f64,
    /// Messages in the time range.
    pub scanned: u64,
    /// Start of the range that the bars cover, microseconds since 1970.
    pub from_us: i64,
    /// End of that range.
    pub to_us: i64,
    /// Histogram.
    pub bars: Bars,
    /// The table made by the query's pipes; `rows` is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
}

/// The part of an answer after its rows: unreadable messages are known only once the rows were read.
#[derive(Serialize, ToSchema)]
pub struct SearchTail {
    /// Top values.
    pub facets: Vec<Facet>,
    /// Hints about the query.
    pub hints: Vec<String>,
    /// Messages that could not be read: locked, or damaged on disk; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Present when the time ran out: messages received before this time were not searched, `total` and
    /// `bars` count only later ones, and facets may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched_from_us: Option<i64>,
}

/// The rows that pipes made from the messages.
#[derive(Serialize, ToSchema)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// True when there were more rows than requested.
    pub more: bool,
    /// Rows in their order; a value is null where a row has none.
    pub rows: Vec<Vec<Value>>,
}

/// Messages that could not be read and are missing from an answer.
#[derive(Serialize, ToSchema, Clone, Debug)]
pub struct Unread {
    /// Name of their logspace, in a multiple one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logspace: Option<String>,
    /// First sequence number, in a local logspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Sequence number after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// Received time of the first, microseconds since 1970.
    pub from_us: i64,
    /// Received time of the last.
    pub to_us: i64,
    /// The reason: `locked`, `away`, `lost`, `starting`, or a description of the damage.
    pub why: String,
}

/// A histogram over time.
#[derive(Serialize, ToSchema, Default)]
pub struct Bars {
    /// Start of the first bar, microseconds since 1970.
    pub start_us: i64,
    /// Width of a bar, microseconds.
    pub width_us: i64,
    /// Number of messages in each bar.
    pub counts: Vec<u64>,
}

/// The most frequent values of one column.
#[derive(Serialize, ToSchema)]
pub struct Facet {
    /// Name of the column.
    pub column: String,
    /// Values, most frequent first.
    pub values: Vec<ValueCount>,
    /// Messages with other values.
    pub other: u64,
    /// Distinct values.
    pub distinct: u64,
    /// Messages that have the column.
    pub coverage: u64,
}

/// A value and its number of messages.
#[derive(Serialize, ToSchema)]
pub struct ValueCount {
    /// The value; bytes that are not UTF-8 are replaced.
    pub value: String,
    /// Number of messages.
    pub count: u64,
}

/// The certainty of the time of a sender.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum EventQuality {
    /// It names its zone.
    Known,
    /// Its zone was guessed.
    ZoneGuessed,
    /// Its year was guessed, and perhaps its zone.
    YearGuessed,
    /// The message has none.
    Absent,
}

/// A message in a list.
#[derive(Serialize, ToSchema)]
pub struct Row {
    /// Sequence number in a local logspace; otherwise an opaque id.
    pub sequence: Id,
    /// Name of its logspace, in a multiple one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logspace: Option<String>,
    /// Time of reception, microseconds since 1970.
    pub received_us: i64,
    /// The sender's time, microseconds since 1970.
    pub event_us: i64,
    /// Offset of the sender's zone, seconds east.
    pub event_offset_s: i32,
    /// `known`, `zone_guessed`, `year_guessed` or `absent`.
    pub event_quality: EventQuality,
    /// Facility name, or its number where it has none.
    pub facility: String,
    /// Severity name.
    pub severity: &'static str,
    /// Host.
    pub host: String,
    /// Program.
    pub program: String,
    /// Process id.
    pub pid: String,
    /// Message id of RFC 5424.
    pub msgid: String,
    /// Name of the source statement.
    pub source: String,
    /// Address of the last hop.
    pub peer: String,
    /// Text of the message.
    pub message: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Name-value pairs, structured data as `.SDATA.id.name` included.
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Value>,
    /// Matches of the query in `message`: [start, length] in UTF-16 units.
    pub highlights: Vec<[u32; 2]>,
}

/// A message with everything that is known of it.
#[derive(Serialize, ToSchema)]
pub struct MessageAnswer {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// The frame as received, base64.
    pub raw_base64: String,
    /// The words under which the index finds it.
    pub tokens: Vec<String>,
}

/// Rows around an anchor, oldest first.
#[derive(Serialize, ToSchema)]
pub struct ContextAnswer {
    /// The rows, the anchor included.
    pub rows: Vec<Row>,
}

/// Facets alone.
#[derive(Serialize, ToSchema)]
pub struct FacetsAnswer {
    /// One for each column.
    pub facets: Vec<Facet>,
    /// The moment of the answer.
    pub snapshot: Id,
    /// Only there when something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// A key for a logspace, for this session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlockRequest {
    /// Name of the logspace; may be left out when there is one.
    pub logspace: Option<String>,
    /// The text of the key file: PEM, or `AGE-SECRET-KEY-1...`.
    pub key: String,
    /// Its passphrase, when it has one.
    pub passphrase: Option<String>,
}

/// The effect of a key.
#[derive(Serialize, ToSchema)]
pub struct UnlockAnswer {
    /// Segments that it opened.
    pub opened: usize,
    /// Segments that stay locked.
    pub locked: usize,
}

/// The logspace to lock or to seal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LockRequest {
    /// Name of the logspace; may be left out when there is one.
    pub logspace: Option<String>,
}

/// The result of sealing.
#[derive(Serialize, ToSchema)]
pub struct SealAnswer {
    /// Every message with a smaller sequence number is in a sealed segment.
    pub sealed_below: u64,
}

/// The outcome of an export.
#[derive(Serialize, ToSchema, Clone, Default, Debug)]
pub struct ExportReport {
    /// True when the file is complete; otherwise `error` says why not.
    pub complete: bool,
    /// Number of messages that the query found and that were read.
    pub messages: u64,
    /// Remarks about the rows.
    pub notes: Vec<String>,
    /// Messages that could not be read and are missing from the file.
    pub unread: Vec<Unread>,
    /// The reason for which the transfer was cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A column of a logspace.
#[derive(Serialize, ToSchema)]
pub struct ColumnAnswer {
    /// Its name in queries.
    pub name: String,
    /// Messages that have it.
    pub documents: u64,
    /// True when all values are numbers.
    pub numeric: bool,
}

/// The result of checking a query.
#[derive(Serialize, ToSchema)]
pub struct ValidateAnswer {
    /// True when the query is valid.
    pub valid: bool,
    /// Hints about the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The error in the query; absent when it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

/// The state of the server as a whole.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// All is well.
    Ok,
    /// Something is held back or wrong.
    Degraded,
    /// Messages are being read back from a journal.
    Starting,
}

/// The health of the server.
#[derive(Serialize, ToSchema)]
pub struct HealthAnswer {
    /// `ok`; `degraded` while something is held back or wrong; `starting` while messages are read back from a journal.
    pub status: HealthStatus,
    /// One for each logspace that the session's user may search; empty without a session.
    pub logspaces: Vec<LogspaceHealth>,
    /// Parts of the configuration that were left out because they are not supported, for a session that may
    /// administer every logspace; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_running: Vec<String>,
    /// Sources that have refused connections for some time, and why, for a session that may administer every logspace;
    /// absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Destinations that cannot write to a disk of this machine, and why, for a session that may administer every
    /// logspace; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destinations: Vec<String>,
    /// Faults of saved objects, their database and their files, for a session that may administer every logspace; absent
    /// when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
    /// Rules that are not evaluated, or late, and why, for a session that may administer every logspace; absent when there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// The health of one logspace.
#[derive(Serialize, ToSchema)]
pub struct LogspaceHealth {
    /// Name.
    pub name: String,
    /// The fault; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Messages that are still being read back from the journal after a start; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starting: Option<u64>,
    /// Values in the newest segments whose names share one column because a segment has no more columns; absent when
    /// there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_without_column: Option<u64>,
}

#[cfg(test)]
mod tests;

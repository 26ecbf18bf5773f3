//! Silences: alerts that are not notified for a time, by somebody, for a reason.
//!
//! In: a query over the records of alerts, times, an author, a reason. Out: the same, kept; one that was ended stays for who asks
//! why nobody was notified. Holds nothing. Limits: [`SILENCE_US_MAX`], [`REASON_BYTES_MAX`], [`QUERY_BYTES_MAX`],
//! [`SILENCES_MAX`].

use alerts::{Store, StoreError};
use query::{ParseOptions, Query, QueryError};
use rusqlite::{OptionalExtension, Row, params};
use std::fmt;

/// Longest silence, in microseconds: 30 days. What is to be quiet for ever is no alert.
const SILENCE_US_MAX: i64 = 30 * 86_400 * 1_000_000;
/// Longest reason, in bytes.
const REASON_BYTES_MAX: usize = 2_000;
/// Longest query, in bytes.
const QUERY_BYTES_MAX: usize = 4_000;
/// Most silences that are in force or to come: each alert is compared with all.
const SILENCES_MAX: i64 = 1_000;
/// Silences that are listed, with those that have ended.
const LISTED_MAX: usize = 1_000;

/// A silence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Silence {
    /// Its number, from 1.
    pub number: u64,
    /// The alerts, as a query over their records.
    pub query: String,
    /// Its beginning, in microseconds since 1970.
    pub from_us: i64,
    /// Its end.
    pub to_us: i64,
    /// Who made it.
    pub author: String,
    /// For what reason.
    pub reason: String,
    /// When it was made.
    pub created_us: i64,
    /// When it was ended before its time.
    pub ended_us: Option<i64>,
    /// By whom; empty: it was not.
    pub ended_by: String,
}

/// A silence that somebody wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewSilence {
    /// The alerts, as a query over their records.
    pub query: String,
    /// Its beginning, in microseconds since 1970.
    pub from_us: i64,
    /// Its end.
    pub to_us: i64,
    /// Who makes it.
    pub author: String,
    /// For what reason.
    pub reason: String,
}

/// The reason why there is no silence.
#[derive(Debug)]
pub enum SilenceError {
    /// The query cannot be read.
    Query(QueryError),
    /// The query has pipes, or depends on the time.
    NotACondition,
    /// The query is empty: what mutes every alert has to say so with `*`.
    Empty,
    /// A text is too long.
    TooLong {
        /// The text.
        what: &'static str,
        /// Its longest size in bytes.
        most: usize,
    },
    /// It ends before it begins, or before now.
    Backwards,
    /// It lasts for too long.
    TooLasting,
    /// There is no reason.
    NoReason,
    /// There are too many.
    TooMany,
    /// There is no silence with this number that can be ended.
    NoSilence,
    /// The database does not answer.
    Store(StoreError),
}

impl fmt::Display for SilenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SilenceError::Query(error) => write!(f, "in the query, {error}"),
            SilenceError::NotACondition => f.write_str(
                "the query of a silence has no pipes and does not depend on now: from and to say when",
            ),
            SilenceError::Empty => f.write_str("a silence needs a query; * mutes every alert"),
            SilenceError::TooLong { what, most } => write!(f, "the {what} has at most {most} bytes"),
            SilenceError::Backwards => f.write_str("a silence ends after it begins, and in the future"),
            SilenceError::TooLasting => f.write_str("a silence lasts for at most 30 days"),
            SilenceError::NoReason => {
                f.write_str("a silence needs a reason, for those who wonder why nothing comes")
            }
            SilenceError::TooMany => write!(f, "there are {SILENCES_MAX} silences already"),
            SilenceError::NoSilence => f.write_str("there is no such silence in force or to come"),
            SilenceError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SilenceError {}

impl From<StoreError> for SilenceError {
    fn from(error: StoreError) -> SilenceError {
        SilenceError::Store(error)
    }
}

/// Checks a silence.
fn check(wanted: &NewSilence, now_us: i64) -> Result<(), SilenceError> {
    let short = |what, text: &str, most| match text.len() > most {
        true => Err(SilenceError::TooLong { what, most }),
        false => Ok(()),
    };
    short("query", &wanted.query, QUERY_BYTES_MAX)?;
    short("reason", &wanted.reason, REASON_BYTES_MAX)?;
    if wanted.query.trim().is_empty() {
        return Err(SilenceError::Empty);
    }
    let query = Query::parse(&wanted.query, &ParseOptions::default()).map_err(SilenceError::Query)?;
    if !query.written_pipes().is_empty() || query.relative_part().is_some() {
        return Err(SilenceError::NotACondition);
    }
    if wanted.reason.trim().is_empty() {
        return Err(SilenceError::NoReason);
    }
    if wanted.to_us <= wanted.from_us || wanted.to_us <= now_us {
        return Err(SilenceError::Backwards);
    }
    match wanted.to_us.saturating_sub(wanted.from_us.max(now_us)) > SILENCE_US_MAX {
        true => Err(SilenceError::TooLasting),
        false => Ok(()),
    }
}

const COLUMNS: &str = "number, query, from_us, to_us, author, reason, created_us, ended_us, ended_by";

fn silence(row: &Row<'_>) -> rusqlite::Result<Silence> {
    Ok(Silence {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        query: row.get(1)?,
        from_us: row.get(2)?,
        to_us: row.get(3)?,
        author: row.get(4)?,
        reason: row.get(5)?,
        created_us: row.get(6)?,
        ended_us: row.get(7)?,
        ended_by: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
    })
}

/// Makes a silence.
pub fn silence_alerts(store: &Store, wanted: &NewSilence, now_us: i64) -> Result<Silence, SilenceError> {
    check(wanted, now_us)?;
    let made = store.transaction(|transaction| {
        let open = "SELECT COUNT(*) FROM silence WHERE to_us > $1 AND ended_us IS NULL";
        let count: i64 = transaction.query_row(open, params![now_us], |row| row.get(0))?;
        if count >= SILENCES_MAX {
            return Ok(None);
        }
        let insert = format!(
            "INSERT INTO silence (number, query, from_us, to_us, author, reason, created_us) \
             SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, $4, $5, $6 FROM silence RETURNING {COLUMNS}"
        );
        let NewSilence { query, from_us, to_us, author, reason } = wanted;
        let values = params![query, from_us, to_us, author, reason, now_us];
        Ok(Some(transaction.query_row(&insert, values, silence)?))
    })?;
    made.ok_or(SilenceError::TooMany)
}

/// Ends a silence before its time. Alerts that it has muted and that still fire are notified then.
pub fn end_silence(store: &Store, number: u64, by: &str, now_us: i64) -> Result<Silence, SilenceError> {
    let ended = store.transaction(|transaction| {
        let update = format!(
            "UPDATE silence SET ended_us = $1, ended_by = $2 \
             WHERE number = $3 AND ended_us IS NULL AND to_us > $1 RETURNING {COLUMNS}"
        );
        Ok(transaction.query_row(&update, params![now_us, by, number.cast_signed()], silence).optional()?)
    })?;
    ended.ok_or(SilenceError::NoSilence)
}

/// Returns silences, newest first, at most a thousand.
pub fn silences(store: &Store) -> Result<Vec<Silence>, StoreError> {
    store.transaction(|transaction| {
        let sql = format!("SELECT {COLUMNS} FROM silence ORDER BY number DESC LIMIT {LISTED_MAX}");
        let mut statement = transaction.prepare_cached(&sql)?;
        let rows = statement.query_map([], silence)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

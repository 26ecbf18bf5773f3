//! What is new in the results of a query, and where the next one begins.
//!
//! In: rows, in the order of a column. Out: those that were not read before, and the position behind them. Holds: how far the table was
//! read, and how much the next query asks for.
//! Limits: rows with one value of the column come together, at most [`STRETCH_MAX`] times as many as a query asks for.

use super::{position::Position, rows::fingerprint};
use std::fmt;
use transport::sql::{RowLimits, Rows, Value};

/// How much longer results may become when all of them were read before: as many rows may have one value of the column.
const STRETCH_MAX: usize = 64;
/// Bytes of results, after which a query ends early.
const PAGE_BYTES: usize = 8 << 20;
/// Most bytes of results.
const PAGE_BYTES_MAX: usize = 128 << 20;

/// The reason why results cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PageError {
    /// The column that orders rows is not among those of the results.
    NoColumn(String),
    /// The rows are not in the order of the column.
    Disorder(String),
    /// More rows than can be read together have one value.
    Ties(usize),
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageError::NoColumn(name) => write!(f, "the results have no column {name}"),
            PageError::Disorder(name) => write!(f, "the results are not in the order of the column {name}"),
            PageError::Ties(rows) => {
                write!(f, "more than {rows} rows have one value of uid-column(), which cannot be read")
            }
        }
    }
}

/// The rows that a query left in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// There may be more: the next query follows at once.
    Likely,
    /// There are none now.
    Empty,
}

/// The new rows of a query.
#[derive(Debug)]
pub(super) struct Page {
    /// The rows that were not read before.
    pub(super) rows: Rows,
    /// Rows without a value of the column, which have no place.
    pub(super) odd: usize,
    /// The position behind them.
    pub(super) behind: Position,
    /// The rows that are left.
    pub(super) rest: Rest,
}

/// How far a table was read.
#[derive(Debug)]
pub(super) struct Pages {
    pub(super) position: Position,
    stretch: usize,
}

impl Pages {
    pub(super) fn new(position: Position) -> Pages {
        Pages { position, stretch: 1 }
    }

    /// Returns how much the next query is to return at most.
    pub(super) fn limits(&self, rows_max: usize) -> RowLimits {
        RowLimits {
            rows: rows_max.saturating_mul(self.stretch),
            bytes: PAGE_BYTES.saturating_mul(self.stretch).min(PAGE_BYTES_MAX),
        }
    }

    /// Takes the results of a query with these limits.
    pub(super) fn take(
        &mut self,
        mut found: Rows,
        column: &str,
        limits: RowLimits,
    ) -> Result<Page, PageError> {
        let is_name = |name: &String| name == column || name.eq_ignore_ascii_case(column);
        let place = found.columns.iter().position(is_name);
        let place = place.ok_or_else(|| PageError::NoColumn(column.to_owned()))?;
        let is_full = found.is_cut || found.rows.len() >= limits.rows;
        let uid = |row: &Vec<Value>| row.get(place).cloned().unwrap_or(Value::Null);
        let count = found.rows.len();
        let rows = std::mem::take(&mut found.rows);
        let rows: Vec<Vec<Value>> = rows.into_iter().filter(|row| uid(row) != Value::Null).collect();
        let odd = count - rows.len();
        if !rows.is_sorted_by(|a, b| is_ordered(a.get(place), b.get(place))) {
            return Err(PageError::Disorder(column.to_owned()));
        }
        let rest = if is_full { Rest::Likely } else { Rest::Empty };
        let mut seen: Vec<u64> = Vec::new();
        let last = rows.last().map(uid);
        let with_last = rows.iter().rev().take_while(|row| Some(uid(row)) == last);
        seen.extend(with_last.map(|row| fingerprint(&found.columns, row)));
        let behind = match last {
            Some(last) => self.behind(last, seen, rest),
            None => self.position.clone(),
        };
        let mut left = self.position.seen().to_vec();
        for row in rows {
            if !self.position.take_seen(&uid(&row), (&found.columns, &row), &mut left) {
                found.rows.push(row);
            }
        }
        let is_stuck = is_full && found.rows.is_empty();
        if is_stuck && self.stretch >= STRETCH_MAX {
            return Err(PageError::Ties(limits.rows));
        }
        self.stretch = if is_stuck { self.stretch * 2 } else { 1 };
        Ok(Page { rows: found, odd, behind, rest })
    }

    /// Returns the position behind rows whose last have a value, with the fingerprints of those.
    fn behind(&self, last: Value, mut seen: Vec<u64>, rest: Rest) -> Position {
        if rest == Rest::Likely && self.position.uid() == Some(&last) {
            // Some of those that were read before may be behind the limit.
            for known in self.position.seen() {
                if !seen.contains(known) {
                    seen.push(*known);
                }
            }
        }
        Position::At { uid: last, seen }
    }
}

/// Returns whether a row may stand before another. Of texts only the database knows the order.
fn is_ordered(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(Value::Integer(a)), Some(Value::Integer(b))) => a <= b,
        _ => true,
    }
}

#[cfg(test)]
#[path = "tests/pages.rs"]
mod tests;

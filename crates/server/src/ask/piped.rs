//! The rows of a search with pipes.
//!
//! In: a query with pipes. Out: a table, or a line for each row. Limits: [`ALIGNED_MAX`] rows of a table are aligned;
//! later rows are printed as they come.

use super::{
    api::Session,
    coverage::Coverage,
    error::AskError,
    format,
    options::{Access, Format, SearchOptions},
    rows::Rows,
};
use crate::terminal;
use query::Query;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};

/// Rows of a table that are held back to align its columns.
const ALIGNED_MAX: usize = 10_000;
/// Widest column of an aligned table, in characters.
const WIDTH_MAX: usize = 80;

/// Prints the rows that the pipes of a search make, at most `options.limit`.
pub(super) fn print(options: &SearchOptions, query: &Query) -> Result<Coverage, AskError> {
    let session = Session::open(&options.access.login)?;
    let mut asked = Rows::ask(&session, &options.access, &options.query.join(" "), &options.range, "ndjson")?;
    let mut rows = Vec::new();
    let mut count = 0;
    let mut out = terminal::output();
    for line in BufReader::new(&mut asked.body).lines().take(options.limit) {
        count += 1;
        let line = line.map_err(AskError::AnswerCutOff)?;
        let row: Value = serde_json::from_str(&line).map_err(AskError::Row)?;
        let shown = match (query.columns().is_some(), options.access.format) {
            (_, Format::Json) | (false, _) => format::line(&row, &options.access),
            (true, Format::Message) => cells(&row, &options.access).join("\t"),
            (true, Format::Text) => {
                rows.push(row);
                if rows.len() == ALIGNED_MAX {
                    table(&std::mem::take(&mut rows), &options.access, &mut out);
                }
                continue;
            }
        };
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{shown}").is_err() {
            return Ok(Coverage::Whole);
        }
    }
    if !rows.is_empty() {
        table(&rows, &options.access, &mut out);
    }
    // A reader that stopped early has no use for the report.
    if count == options.limit { Ok(Coverage::Whole) } else { asked.coverage(&session) }
}

fn cells(row: &Value, access: &Access) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => access.shown(text),
        other => other.to_string(),
    };
    row.as_object().map(|object| object.values().map(text).collect()).unwrap_or_default()
}

/// Prints rows under the names of their columns; numbers are aligned right.
fn table(rows: &[Value], access: &Access, out: &mut impl Write) {
    let names: Vec<String> = rows[0]
        .as_object()
        .map(|row| row.keys().map(|name| access.shown(name)).collect())
        .unwrap_or_default();
    let lines: Vec<Vec<String>> = rows.iter().map(|row| cells(row, access)).collect();
    let length = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..names.len())
        .map(|index| {
            let cells = lines.iter().filter_map(|line| line.get(index));
            cells.map(length).chain([length(&names[index])]).max().unwrap_or_default().min(WIDTH_MAX)
        })
        .collect();
    let numeric: Vec<bool> = (0..names.len())
        .map(|index| {
            rows.iter().all(|row| {
                row.as_object()
                    .and_then(|row| row.values().nth(index))
                    .is_some_and(|cell| cell.is_number() || cell.is_null())
            })
        })
        .collect();
    for line in [&names].into_iter().chain(&lines) {
        let mut text = String::new();
        for (index, cell) in line.iter().enumerate() {
            let gap = " ".repeat(widths.get(index).copied().unwrap_or_default().saturating_sub(length(cell)));
            let cell = if numeric.get(index) == Some(&true) {
                format!("{gap}{cell}  ")
            } else {
                format!("{cell}{gap}  ")
            };
            text.push_str(&cell);
        }
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{}", text.trim_end()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    //! Rows for tables.

    use super::*;
    use serde_json::json;

    #[test]
    fn tables_are_aligned() {
        let rows = [json!({"host": "gw1", "count": 5}), json!({"host": "a\u{1b}b", "count": 12})];
        let mut out = Vec::new();
        table(&rows, &Access::of(&[]), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "host    count\ngw1         5\na\\x1bb     12\n");
    }
}

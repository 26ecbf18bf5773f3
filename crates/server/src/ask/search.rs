//! `duramen search QUERY`.
//!
//! In: a query and a time range. Out: matching messages, oldest first, or their count; with pipes, the rows that they
//! make, in their order.

use super::{
    api::Session,
    coverage::{Coverage, done, say_unread},
    error::AskError,
    explain, format,
    options::SearchOptions,
    piped,
};
use crate::terminal;
use query::{ParseOptions, Query};
use serde_json::{Value, json};
use std::{io::Write, process::ExitCode};

/// Rows of one call.
const PAGE: usize = 5000;

/// Searches and prints.
pub(crate) fn search(options: &SearchOptions) -> ExitCode {
    done(run(options))
}

fn run(options: &SearchOptions) -> Result<Coverage, AskError> {
    if options.explain {
        return explain::explain(options);
    }
    // A text that cannot be parsed here is refused by the server too, with a better error.
    if let Ok(query) = Query::parse(&options.query.join(" "), &ParseOptions::default())
        && !query.written_pipes().is_empty()
        && !options.count
    {
        return piped::print(options, &query);
    }
    let session = Session::open(&options.access.login)?;
    let mut rows: Vec<Value> = Vec::new();
    let mut before = Value::Null;
    let mut coverage = Coverage::Whole;
    loop {
        let limit = if options.count { 0 } else { PAGE.min(options.limit - rows.len()) };
        let request = json!({
            "logspace": options.access.logspace,
            "query": options.query.join(" "),
            "time": {
                "clock": if options.range.event_time { "event" } else { "received" },
                "from": options.range.from,
                "to": options.range.to,
            },
            "limit": limit, "bars": 0, "before": before, "timeout_ms": 60_000,
        });
        let mut answer = session.post("search", &request)?;
        if !answer["searched_from_us"].is_null() {
            return Err(AskError::TimeRanOut);
        }
        if before.is_null() {
            coverage = say_unread(&answer);
        }
        if options.count {
            outln!("{}", answer["total"]);
            return Ok(coverage);
        }
        if before.is_null() {
            // Missing messages have been reported already.
            let known = if coverage == Coverage::Whole { usize::MAX } else { 0 };
            let hints = answer["hints"].as_array().into_iter().flatten().filter_map(Value::as_str);
            hints.take(known).for_each(|hint| errln!("hint: {hint}"));
        }
        let page = answer["rows"].as_array_mut().map(std::mem::take).unwrap_or_default();
        let full = page.len() == limit;
        rows.extend(page);
        before = rows.last().map_or(Value::Null, |row| row["sequence"].clone());
        if !full || rows.len() >= options.limit {
            break;
        }
    }
    let mut out = terminal::output();
    for row in rows.iter().rev() {
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{}", format::line(row, &options.access)).is_err() {
            break;
        }
    }
    Ok(coverage)
}

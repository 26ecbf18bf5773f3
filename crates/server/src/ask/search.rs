//! `duramen search QUERY`.
//!
//! In: a query and a time range. Out: matching messages, oldest first, or their count; with pipes, the rows that they
//! make, in their order.

use super::{Access, Coverage, api::Session, done, error::AskError, explain, export, format, say_unread};
use clap::Args;
use query::{ParseOptions, Query};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    process::ExitCode,
};

/// Rows of one call.
const PAGE: usize = 5000;

/// Options of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchOptions {
    #[command(flatten)]
    pub(super) access: Access,
    /// Lucene syntax and pipes; several words are joined
    pub(super) query: Vec<String>,
    #[command(flatten)]
    pub(super) range: Range,
    /// Most messages, the newest ones, or most rows
    #[arg(short = 'n', long, default_value_t = 1000)]
    pub(super) limit: usize,
    /// Print only the number of messages
    #[arg(short = 'c', long)]
    count: bool,
    /// Run it and print its cost: the index entries of each part, and the messages read
    #[arg(long, conflicts_with = "count")]
    explain: bool,
}

/// The messages to find, by time.
#[derive(Args, Debug)]
pub(crate) struct Range {
    /// Start of the time range: ISO 8601, seconds since 1970, now-1h
    #[arg(long)]
    pub(super) from: Option<String>,
    /// End of the time range
    #[arg(long)]
    pub(super) to: Option<String>,
    /// Use the sender's clock instead of ours
    #[arg(long)]
    pub(super) event_time: bool,
}

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
        return export::print_piped(options, &query);
    }
    let session = Session::open(&options.access)?;
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
    let mut out = io::stdout().lock();
    for row in rows.iter().rev() {
        // A reader that has seen enough closes the pipe.
        if writeln!(out, "{}", format::line(row, &options.access)).is_err() {
            break;
        }
    }
    Ok(coverage)
}

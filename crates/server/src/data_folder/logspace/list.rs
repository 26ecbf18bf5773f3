//! `duramen logspace ls`.
//!
//! In: a logspace. Out: a line a segment, removed ones too. Limits: reads headers and footers only.

use super::{
    error::VerbError,
    location::{Location, time},
};
use crate::terminal;
use clap::Args;
use evidence::{Chain, Event, Keys, Record, hex};
use logspace::{locate_segment, read_chain, segment_file};
use segment::SegmentInspector;
use serde_json::{Value, json};
use std::path::Path;

/// Options of `ls`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    /// List removed segments too
    #[arg(long)]
    removed: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let dir = options.location.dir()?;
    let chain = read_chain(&journal::OsDisk, &dir).map_err(VerbError::reading(&dir))?;
    let mut good = true;
    for record in chain.firsts().into_iter().filter_map(|first| chain.last_contents(first)) {
        let is_removed = matches!(record.event, Event::Removal(_));
        if is_removed && !options.removed {
            continue;
        }
        let row = row(&dir, &chain, record);
        good &= is_removed || row["problem"].is_null();
        if options.json { outln!("{}", terminal::json(&row.to_string())) } else { outln!("{}", line(&row)) }
    }
    Ok(good)
}

fn row(dir: &Path, chain: &Chain, record: &Record) -> Value {
    let (from, to) = record.segment.received_us;
    let path = segment_file(from, record.segment.first);
    let mut row = json!({
        "file": path.display().to_string(),
        "first": record.segment.first,
        "messages": record.segment.count,
        "received_from_us": from,
        "received_to_us": to,
        "record": record.number,
        "digest": record.digest().to_string(),
        "id": hex(&record.segment.id),
    });
    if let Event::Removal(reason) = &record.event {
        row["removed"] = json!(reason);
        row["removed_us"] = json!(record.at_us);
        return row;
    }
    let place = locate_segment(dir, &path, chain);
    let Some(file) = place.file(dir, &path) else {
        row["problem"] = json!(place.why_unread());
        return row;
    };
    match SegmentInspector::open(&file, &Keys::default()) {
        Ok(inspector) => {
            row["bytes"] = json!(inspector.size());
            row["recipients"] = json!(inspector.recipients());
        }
        Err(error) => row["problem"] = json!(error.to_string()),
    }
    row
}

fn line(row: &Value) -> String {
    let number = |name: &str| row[name].as_i64().unwrap_or(0);
    let mut line = format!(
        "{}  {} messages from {}  {} to {}",
        row["file"].as_str().unwrap_or_default(),
        number("messages"),
        number("first"),
        time(number("received_from_us")),
        time(number("received_to_us")),
    );
    if let Some(bytes) = row["bytes"].as_u64() {
        line.push_str(&format!("  {bytes} bytes"));
    }
    let recipients = row["recipients"].as_array().map_or(0, Vec::len);
    if recipients > 0 {
        line.push_str(&format!("  encrypted for {recipients}"));
    }
    if let Some(reason) = row["removed"].as_str() {
        line.push_str(&format!("  removed ({reason}) {}", time(number("removed_us"))));
    }
    if let Some(problem) = row["problem"].as_str() {
        line.push_str(&format!("  {problem}"));
    }
    line
}

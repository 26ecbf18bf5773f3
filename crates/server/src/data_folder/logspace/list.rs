//! `duramen logspace ls`.
//!
//! In: a logspace, or none. Out: a line a segment, removed ones too; without a name, a line a logspace. Limits: reads
//! headers and footers only.

use super::{
    super::families::family_of,
    error::VerbError,
    location::{Folder, Location, time},
};
use crate::terminal;
use clap::Args;
use evidence::{Chain, Event, Keys, Record, hex};
use logspace::{locate_segment, read_chain, segment_file};
use segment::SegmentInspector;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Options of `ls`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Name of the logspace, or its directory (a path with a slash); without it the logspaces are listed
    logspace: Option<String>,
    #[command(flatten)]
    folder: Folder,
    /// List removed segments too
    #[arg(long)]
    removed: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let Some(logspace) = &options.logspace else { return logspaces(options) };
    let location = Location::new(logspace, &options.folder);
    let dir = location.dir()?;
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

/// Lists the logspaces of the data folder. Returns false when one of them cannot be read.
fn logspaces(options: &Options) -> Result<bool, VerbError> {
    let root = options.folder.logspaces();
    let failed = |source| VerbError::Read { path: root.clone(), source };
    let mut folders = Vec::new();
    for entry in fs::read_dir(&root).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.file_type().map_err(failed)?.is_dir() {
            folders.push((name, entry.path()));
        }
    }
    folders.sort();
    let mut good = true;
    for (name, dir) in folders {
        let row = of_logspace(&name, &dir);
        good &= row["problem"].is_null();
        if options.json {
            outln!("{}", terminal::json(&row.to_string()))
        } else {
            outln!("{}", summary(&row))
        }
    }
    Ok(good)
}

/// Returns the sealed segments of a logspace in numbers, and the name with macros that it belongs to.
fn of_logspace(name: &str, dir: &Path) -> Value {
    let mut row = json!({ "logspace": name });
    match family_of(dir) {
        Ok(Some((_, template))) => row["of"] = json!(template),
        Ok(None) => {}
        Err(error) => row["problem"] = json!(error.to_string()),
    }
    let chain = match read_chain(&journal::OsDisk, dir) {
        Ok(chain) => chain,
        Err(error) => {
            row["problem"] = json!(error.to_string());
            return row;
        }
    };
    let kept = chain.firsts().into_iter().filter_map(|first| chain.last_contents(first));
    let kept: Vec<&Record> = kept.filter(|record| !matches!(record.event, Event::Removal(_))).collect();
    row["segments"] = json!(kept.len());
    row["messages"] = json!(kept.iter().map(|record| record.segment.count).sum::<u64>());
    row
}

fn summary(row: &Value) -> String {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| row[name].as_u64().unwrap_or(0);
    let mut line = format!(
        "{}  {} messages in {} sealed segments",
        text("logspace"),
        number("messages"),
        number("segments")
    );
    if !row["of"].is_null() {
        line.push_str(&format!("  of {}", text("of")));
    }
    if !row["problem"].is_null() {
        line.push_str(&format!("  {}", text("problem")));
    }
    line
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

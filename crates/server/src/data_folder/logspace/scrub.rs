//! `duramen logspace scrub`.
//!
//! In: a logspace, a rate. Out: missing segments, damaged chunks. Limits: the rate; no key is needed.

use super::{error::VerbError, location::Location};
use crate::terminal;
use clap::Args;
use evidence::{Chain, Event};
use logspace::{locate_segment, read_chain, scrub_file, segment_file, segment_files};
use segment::DamagedChunk;
use serde::Serialize;
use serde_json::json;
use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// Options of `scrub`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    /// Maximum rate in megabytes a second
    #[arg(long, default_value_t = 32)]
    rate: u64,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// A damaged or missing part of a segment.
#[derive(Serialize)]
struct Finding {
    file: String,
    #[serde(flatten)]
    chunk: Option<DamagedPart>,
    problem: String,
}

/// The place of damage in a file.
#[derive(Serialize)]
struct DamagedPart {
    chunk: usize,
    offset: u64,
    parts: Vec<&'static str>,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let dir = options.location.dir()?;
    let chain = read_chain(&journal::OsDisk, &dir).map_err(VerbError::reading(&dir))?;
    let files = segments(&dir, &chain)?;
    let mut good = true;
    for path in &files {
        for finding in findings(&dir, path, &chain, options.rate.saturating_mul(1 << 20)) {
            good = false;
            if options.json {
                outln!("{}", terminal::json(&json!(finding).to_string()));
            } else {
                outln!("{finding}");
            }
        }
    }
    if !options.json {
        outln!("{}: {} segments", if good { "good" } else { "NOT good" }, files.len());
    }
    Ok(good)
}

/// Returns the paths, below the logspace's directory, of all files, and of all segments that the chain says are not removed.
fn segments(dir: &Path, chain: &Chain) -> Result<BTreeSet<PathBuf>, VerbError> {
    let found = segment_files(dir).map_err(VerbError::reading(dir))?;
    let mut files: BTreeSet<PathBuf> =
        found.iter().map(|path| path.strip_prefix(dir).unwrap_or(path).to_owned()).collect();
    let sealed = chain.firsts().into_iter().filter_map(|first| chain.last_contents(first));
    let kept = sealed.filter(|record| !matches!(record.event, Event::Removal(_)));
    files.extend(kept.map(|record| segment_file(record.segment.received_us.0, record.segment.first)));
    Ok(files)
}

/// Reads a segment: everything that is wrong with it.
fn findings(dir: &Path, path: &Path, chain: &Chain, bytes_a_second: u64) -> Vec<Finding> {
    let finding = |chunk, problem: String| Finding { file: path.display().to_string(), chunk, problem };
    let place = locate_segment(dir, path, chain);
    let Some(file) = place.file(dir, path) else {
        return vec![finding(None, place.why_unread().to_owned())];
    };
    let mut pause = |duration: Duration| {
        thread::sleep(duration);
        false
    };
    let damaged = match scrub_file(&file, bytes_a_second, &mut pause) {
        Ok(damaged) => damaged,
        Err(error) => return vec![finding(None, error.to_string())],
    };
    let of_chunk = |one: DamagedChunk| {
        let part = DamagedPart { chunk: one.chunk, offset: one.place.start, parts: one.parts };
        finding(Some(part), one.what.to_owned())
    };
    damaged.into_iter().map(of_chunk).collect()
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.chunk {
            // Errors of the file system name the file.
            None if self.problem.contains(&self.file) => f.write_str(&self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
            Some(DamagedPart { chunk, offset, parts }) => {
                let (file, problem) = (&self.file, &self.problem);
                write!(f, "{file}: chunk {chunk} at {offset}: {problem}, in {}", parts.join(", "))
            }
        }
    }
}

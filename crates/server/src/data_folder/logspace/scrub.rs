//! `duramen logspace scrub`.
//!
//! In: a logspace, a rate. Out: damaged chunks. Limits: the rate; no key is needed.

use super::{
    error::VerbError,
    location::{Location, below},
};
use crate::terminal;
use clap::Args;
use logspace::{locate_segment, read_chain, scrub_file, segment_files};
use serde_json::json;
use std::{thread, time::Duration};

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

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let dir = options.location.dir()?;
    let files = segment_files(&dir).map_err(VerbError::reading(&dir))?;
    let chain = read_chain(&journal::OsDisk, &dir).map_err(VerbError::reading(&dir))?;
    let (mut good, count) = (true, files.len());
    let mut pause = |duration: Duration| {
        thread::sleep(duration);
        false
    };
    for path in files {
        let file = below(&path, &dir).to_string();
        let below = path.strip_prefix(&dir).unwrap_or(&path);
        let place = locate_segment(&dir, below, &chain);
        let Some(path) = place.file(&dir, below) else {
            good = false;
            if options.json {
                outln!(
                    "{}",
                    terminal::json(&json!({"file": file, "problem": place.why_unread()}).to_string())
                );
            } else {
                outln!("{file}: {}", place.why_unread());
            }
            continue;
        };
        let troubles = match scrub_file(&path, options.rate.saturating_mul(1 << 20), &mut pause) {
            Ok(troubles) => troubles,
            Err(error) => {
                good = false;
                if options.json {
                    outln!(
                        "{}",
                        terminal::json(&json!({"file": file, "problem": error.to_string()}).to_string())
                    );
                } else {
                    outln!("{error}");
                }
                continue;
            }
        };
        for trouble in troubles {
            good = false;
            let (place, parts) = (&trouble.place, trouble.parts.join(", "));
            if options.json {
                let row = json!({"file": file, "chunk": trouble.chunk, "offset": place.start, "problem": trouble.what, "parts": trouble.parts});
                outln!("{}", terminal::json(&row.to_string()));
            } else {
                outln!("{file}: chunk {} at {}: {}, in {parts}", trouble.chunk, place.start, trouble.what);
            }
        }
    }
    if !options.json {
        outln!("{}: {count} segments", if good { "good" } else { "NOT good" });
    }
    Ok(good)
}

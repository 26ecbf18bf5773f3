//! `duramen logspace rebuild-index`.
//!
//! In: a logspace, the first number of a segment. Out: a new file that replaces it. Limits: the server must be stopped.

use super::{super::author::now_us, error::VerbError, keys::KeyFiles, location::Location};
use crate::terminal;
use clap::Args;
use evidence::Recipient;
use logspace::RebuildIndex;
use serde_json::json;
use std::path::PathBuf;

/// Options of `rebuild-index`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    /// Number of the segment's first message, as `ls` shows it
    first: u64,
    #[command(flatten)]
    keys: KeyFiles,
    /// Recipient of an encrypted segment: the file of a certificate, or age1...
    #[arg(long)]
    recipient: Vec<String>,
    /// Private key that signs the chain, as in the configuration
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<bool, VerbError> {
    let dir = options.location.dir()?;
    let load = |text: &String| Recipient::load(text).map_err(VerbError::Recipient);
    let rebuild = RebuildIndex {
        keys: options.keys.load()?,
        recipients: options.recipient.iter().map(load).collect::<Result<_, _>>()?,
        sign_key: options.sign_key.clone(),
        now_us: now_us(),
    };
    let report = rebuild.run(&dir, options.first).map_err(VerbError::Rebuild)?;
    if options.json {
        outln!("{}", terminal::json(&json!({"first": options.first, "bytes": report.file}).to_string()));
    } else {
        outln!("rebuilt the index of segment {}: {} bytes", options.first, report.file);
    }
    Ok(true)
}

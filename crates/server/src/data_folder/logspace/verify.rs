//! `duramen logspace verify`.
//!
//! In: a logspace. Out: findings, then a summary. Exit status 1 when something is wrong, 3 when nothing is wrong with
//! the segments that could be read, but others are in an archive that is not attached.

use super::{
    error::VerbError,
    keys::KeyFiles,
    location::{Location, below},
};
use crate::terminal;
use clap::Args;
use evidence::{Digest, KeyError, PublicKey, StampRoots};
use logspace::{Audit, AuditReport, Finding, Verdict};
use lookup::CancelToken;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Options of `verify`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    location: Location,
    #[command(flatten)]
    keys: KeyFiles,
    /// Public key or certificate that must have signed the chain; may be given several times
    #[arg(long, value_name = "FILE")]
    trust: Vec<PathBuf>,
    /// Digest of a record that must be in the chain, from a copy kept elsewhere
    #[arg(long, value_name = "DIGEST")]
    head: Option<String>,
    /// Certificates (PEM) of the authorities that must have issued the time-stamping authority's certificate
    #[arg(long, value_name = "FILE")]
    tsa_ca: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Verifies, and prints the findings.
pub(super) fn run(options: &Options) -> Result<Verdict, VerbError> {
    let dir = options.location.dir()?;
    let head = options.head.as_deref().map(|text| Digest::parse(text).ok_or(VerbError::Head));
    let audit = Audit {
        keys: options.keys.load()?,
        trusted: trusted(&options.trust).map_err(VerbError::Trust)?,
        known_head: head.transpose()?,
        stamp_roots: options.tsa_ca.as_deref().map(roots).transpose()?,
    };
    let report = audit
        .run(&dir, &CancelToken::unlimited())
        .map_err(|source| VerbError::Audit { dir: dir.clone(), source })?;
    if options.json {
        outln!("{}", terminal::json(&to_json(&report, &dir).to_string()));
    } else {
        print(&report, &dir, KeySource::of(&options.trust));
    }
    Ok(report.verdict())
}

pub(super) fn roots(path: &Path) -> Result<StampRoots, VerbError> {
    StampRoots::load(path).map_err(|source| VerbError::StampRoots { path: path.to_owned(), source })
}

/// Loads the public keys of some files.
pub(crate) fn trusted(paths: &[PathBuf]) -> Result<Vec<PublicKey>, KeyError> {
    paths.iter().map(|path| PublicKey::load(path)).collect()
}

/// The keys that signatures are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeySource {
    /// Those of `--trust`.
    Trusted,
    /// Those beside the signatures: anyone who can change one can change both.
    Beside,
}

impl KeySource {
    /// Returns the source for the files of `--trust`.
    pub(crate) fn of(trust: &[PathBuf]) -> KeySource {
        if trust.is_empty() { KeySource::Beside } else { KeySource::Trusted }
    }
}

fn print(report: &AuditReport, dir: &Path, keys: KeySource) {
    for finding in &report.findings {
        outln!("{}", line(finding, dir));
    }
    outln!(
        "{}: {} segments ({} locked), {} messages read back, {} bytes, {} records, {} time-stamps",
        match report.verdict() {
            Verdict::Complete => "complete".to_owned(),
            Verdict::GoodForWhatIsHere => format!("good for what is here ({} away)", report.away),
            Verdict::NotGood => "NOT good".to_owned(),
        },
        report.segments,
        report.locked,
        report.messages,
        report.bytes,
        report.records,
        report.stamps,
    );
    outln!("head {}", report.head);
    if keys == KeySource::Beside && report.records > 0 {
        outln!("the keys of the signatures are those beside the chain; --trust FILE proves more");
    }
}

fn line(finding: &Finding, dir: &Path) -> String {
    let mut text = format!("{}: {}", finding.kind.name(), finding.text);
    if let Some(path) = &finding.path {
        text.push_str(&format!("; file {}", below(path, dir)));
    }
    if let Some(chunk) = finding.chunk {
        text.push_str(&format!("; chunk {chunk}"));
    }
    if let Some(offset) = finding.offset {
        text.push_str(&format!("; offset {offset}"));
    }
    if let Some(messages) = &finding.messages {
        text.push_str(&format!("; messages {} to {}", messages.start, messages.end.saturating_sub(1)));
    }
    text
}

fn to_json(report: &AuditReport, dir: &Path) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "kind": finding.kind.name(),
            "text": finding.text,
            "file": finding.path.as_ref().map(|path| below(path, dir).to_string()),
            "chunk": finding.chunk,
            "offset": finding.offset,
            "messages": finding.messages.as_ref().map(|messages| json!({"from": messages.start, "to": messages.end})),
        })
    };
    json!({
        "verdict": match report.verdict() {
            Verdict::Complete => "complete",
            Verdict::GoodForWhatIsHere => "good for what is here",
            Verdict::NotGood => "not good",
        },
        "good": report.verdict() == Verdict::Complete,
        "segments": report.segments,
        "locked": report.locked,
        "away": report.away,
        "messages": report.messages,
        "bytes": report.bytes,
        "records": report.records,
        "timestamps": report.stamps,
        "head": report.head.to_string(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

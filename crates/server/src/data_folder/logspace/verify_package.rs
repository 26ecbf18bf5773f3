//! `duramen verify-package`.
//!
//! In: a package; keys, a record and certificates known from elsewhere. Out: what it proves, what it
//! does not, and all errors. Exit status: 0 nothing is wrong, 1 something is wrong, 2 it cannot be read.

use super::{
    error::VerbError,
    location::time,
    status,
    verify::{roots, trusted},
};
use crate::terminal;
use clap::Args;
use evidence::{
    Digest,
    package::{PackageAudit, PackageReport, Question, View},
};
use serde_json::{Map, Value, json};
use std::{ops::Range, path::PathBuf, process::ExitCode};

/// Options of `verify-package`.
#[derive(Args, Debug)]
pub(crate) struct VerifyPackageOptions {
    /// Folder of the package
    package: PathBuf,
    /// Public key or certificate that must have signed the package; may be given several times
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

/// The authorities whose time-stamps count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Authorities {
    Any,
    /// Those of `--tsa-ca`.
    Named,
}

impl VerifyPackageOptions {
    fn authorities(&self) -> Authorities {
        if self.tsa_ca.is_some() { Authorities::Named } else { Authorities::Any }
    }
}

/// Runs `verify-package`.
pub(crate) fn verify_package(options: &VerifyPackageOptions) -> ExitCode {
    status(verify(options))
}

fn verify(options: &VerifyPackageOptions) -> Result<bool, VerbError> {
    let head = options.head.as_deref();
    let head = head.map(|text| Digest::parse(text).ok_or(VerbError::Head));
    let audit = PackageAudit {
        trusted: trusted(&options.trust).map_err(VerbError::Trust)?,
        known_head: head.transpose()?,
        stamp_roots: options.tsa_ca.as_deref().map(roots).transpose()?,
    };
    let report = audit.run(&options.package);
    let report = report.map_err(|source| VerbError::Package { package: options.package.clone(), source })?;
    if options.json {
        let mut row = to_json(&report);
        row["good"] = report.faults.is_empty().into();
        outln!("{}", terminal::json(&row.to_string()));
    } else {
        out!("{}", terminal::lines(&shown(&report, options.authorities())));
    }
    Ok(report.faults.is_empty())
}

/// Formats the report for a reader.
fn shown(report: &PackageReport, authorities: Authorities) -> String {
    let mut text: String = report.faults.iter().map(|fault| format!("{fault}\n")).collect();
    let verdict = if report.faults.is_empty() { "good" } else { "NOT good" };
    text.push_str(&format!(
        "{verdict}: {} messages of {} segments are those that were sealed\nsigned by {}\n",
        report.messages, report.segments, report.signer
    ));
    if let Some(question) = &report.question {
        text.push_str(&asked(question));
    }
    if report.parts.is_empty() {
        text.push_str(&part(report, authorities));
    }
    for (name, one) in &report.parts {
        text.push_str(&format!("{name}: {} messages\n{}", one.messages, part(one, authorities)));
    }
    for name in &report.never_sealed {
        text.push_str(&format!("{name}: nothing was sealed\n"));
    }
    if !report.is_trusted {
        text.push_str("compare the signer with what you know of it, or name its key with --trust\n");
    }
    text
}

fn asked(question: &Question) -> String {
    let what = if question.text.is_empty() { "everything" } else { &question.text };
    let from = question.from_us.map_or_else(|| "the beginning".to_owned(), time);
    let to = question.to_us.map_or_else(|| "the end".to_owned(), time);
    format!(
        "question: {what}; received from {from} to {to}; asked by {} at {}\n\
         that nothing else matched is the word of the signer\n",
        question.asked_by,
        time(question.at_us)
    )
}

/// Describes the length of a logspace's chain and the proofs of its messages.
fn part(report: &PackageReport, authorities: Authorities) -> String {
    let mut text = format!("chain up to record {}\n", report.head);
    if let Some(view) = &report.view {
        text.push_str(&format!("asked was {view}\n"));
    }
    text.push_str(&format!("sealed were messages 0 to {}; gaps: ", report.sealed_to.saturating_sub(1)));
    text.push_str(&ranges(&report.gaps));
    text.push_str(&format!(
        "\nnot read when it was made (the word of the signer): {}\n",
        ranges(&report.unread)
    ));
    let fields = &report.fields;
    text.push_str(&format!("fields: those of {} messages follow from the received bytes", fields.whole));
    if fields.host_is_peer > 0 {
        text.push_str(&format!("; the host of {} is the address that they came from", fields.host_is_peer));
    }
    text.push_str("\nfields that are the word of the signer: source and tags");
    for (name, count) in &fields.word {
        text.push_str(&format!(", {name} of {count}"));
    }
    if !fields.offsets_s.is_empty() {
        let hours: Vec<String> =
            fields.offsets_s.iter().map(|offset| format!("{:+}", *offset as f64 / 3600.0)).collect();
        text.push_str(&format!(", the time zone of times that tell none ({} h)", hours.join(", ")));
    }
    text.push('\n');
    for stamp in &report.stamps {
        text.push_str(&format!("time-stamp: record {} was there at {}\n", stamp.record, time(stamp.at_us)));
    }
    match report.stamps.is_empty() {
        true => text.push_str("there is no time-stamp\n"),
        false if authorities == Authorities::Any => {
            text.push_str("any authority counts for time-stamps; --tsa-ca FILE proves more\n")
        }
        false => {}
    }
    text
}

fn ranges(ranges: &[(Range<u64>, String)]) -> String {
    let one = |(range, why): &(Range<u64>, String)| {
        format!("{} to {} ({why})", range.start, range.end.saturating_sub(1))
    };
    match ranges.is_empty() {
        true => "none".to_owned(),
        false => ranges.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

fn to_json(report: &PackageReport) -> Value {
    let ranges = |ranges: &[(Range<u64>, String)]| {
        let one =
            |(range, why): &(Range<u64>, String)| json!({"from": range.start, "to": range.end, "why": why});
        ranges.iter().map(one).collect::<Vec<_>>()
    };
    let question = report.question.as_ref().map(|question| {
        json!({"text": question.text, "from_us": question.from_us, "to_us": question.to_us,
            "asked_by": question.asked_by, "at_us": question.at_us})
    });
    let fields = &report.fields;
    json!({
        "messages": report.messages,
        "segments": report.segments,
        "signer": report.signer,
        "trusted": report.is_trusted,
        "head": report.head.to_string(),
        "question": question,
        "sealed_to": report.sealed_to,
        "gaps": ranges(&report.gaps),
        "unread": ranges(&report.unread),
        "fields": {"whole": fields.whole, "word": fields.word, "host_is_peer": fields.host_is_peer,
            "offsets_s": fields.offsets_s},
        "timestamps": report.stamps.iter().map(|stamp| json!({"record": stamp.record, "at_us": stamp.at_us})).collect::<Vec<_>>(),
        "view": report.view.as_ref().map(View::to_string),
        "parts": report.parts.iter().map(|(name, part)| (name.clone(), to_json(part))).collect::<Map<_, _>>(),
        "never_sealed": report.never_sealed,
        "faults": report.faults,
    })
}

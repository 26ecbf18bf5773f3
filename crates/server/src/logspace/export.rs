//! `duramen logspace export` and `duramen verify-package`.
//!
//! In: a logspace and a question; a package. Out: a package; what it proves.
//! Limits: the package is signed with the logspace's key unless another is given.

use super::{
    cat::Selection,
    keys::KeyFiles,
    place::{Place, now_us, user},
    status,
    verify::trusted,
};
use clap::Args;
use serde_json::json;
use std::{path::PathBuf, process::ExitCode};
use store::{EVIDENCE_DIR, Question, SigningKey, export_package};

/// Options of `export`.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    keys: KeyFiles,
    #[command(flatten)]
    selection: Selection,
    /// New folder for the package
    #[arg(short, long)]
    output: PathBuf,
    /// Private key that signs the manifest; the logspace's own when left out
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<bool, String> {
    let dir = options.place.dir()?;
    let keys = options.keys.load()?;
    let sign_key = options.sign_key.clone().unwrap_or_else(|| dir.join(EVIDENCE_DIR).join("sign.key"));
    let signer = SigningKey::load(&sign_key).map_err(|error| error.to_string())?;
    let (from_us, to_us) = options.selection.range()?;
    let text = options.selection.query.clone();
    let question = Question { text, from_us, to_us, asked_by: user(), at_us: now_us() };
    let mut wanted = options.selection.matcher()?;
    options.place.note("export", &question.text, json!({"from_us": from_us, "to_us": to_us}))?;
    let exported = export_package(&dir, &options.output, &keys, &signer, &question, &mut wanted);
    let exported = exported.map_err(|error| format!("{}: {error}", options.output.display()))?;
    let details = json!({"messages": exported.messages, "manifest": exported.manifest.to_string()});
    options.place.note("exported", &question.text, details)?;
    let unread = exported.unread.iter();
    if options.json {
        let unread: Vec<_> =
            unread.map(|(range, why)| json!({"from": range.start, "to": range.end, "why": why})).collect();
        let row = json!({
            "messages": exported.messages,
            "segments": exported.segments,
            "manifest": exported.manifest.to_string(),
            "unread": unread,
        });
        println!("{row}");
    } else {
        for (range, why) in unread {
            println!("not read: messages {} to {}: {why}", range.start, range.end.saturating_sub(1));
        }
        println!(
            "{} messages of {} segments in {}, manifest {}",
            exported.messages,
            exported.segments,
            options.output.display(),
            exported.manifest
        );
    }
    Ok(exported.unread.is_empty())
}

/// Options of `verify-package`.
#[derive(Args, Debug)]
pub(crate) struct VerifyPackageOptions {
    /// Folder of the package
    package: PathBuf,
    /// Public key or certificate that must have signed it; may be given several times
    #[arg(long, value_name = "FILE")]
    trust: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `verify-package`.
pub(crate) fn verify_package(options: &VerifyPackageOptions) -> ExitCode {
    let verify = || {
        let report = store::verify_package(&options.package, &trusted(&options.trust)?);
        let report = report.map_err(|error| format!("{}: {error}", options.package.display()))?;
        let good = report.faults.is_empty();
        if options.json {
            let row = json!({
                "good": good,
                "messages": report.messages,
                "segments": report.segments,
                "signer": report.signer,
                "trusted": report.is_trusted,
                "head": report.head.to_string(),
                "faults": report.faults,
            });
            println!("{row}");
            return Ok(good);
        }
        report.faults.iter().for_each(|fault| println!("{fault}"));
        let verdict = if good { "good" } else { "NOT good" };
        println!(
            "{verdict}: {} messages of {} segments are those that were sealed",
            report.messages, report.segments
        );
        println!("signed by {}, chain up to record {}", report.signer, report.head);
        if !report.is_trusted {
            println!("compare the signer with what you know of it, or name its key with --trust");
        }
        Ok(good)
    };
    status(verify())
}

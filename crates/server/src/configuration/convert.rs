//! `duramen convert rsyslog`: converts a configuration of another program into one of ours, with a report.
//!
//! In: a file. Out: the configuration on standard output or in a file; the outcome of every statement on standard
//! error or, as JSON, in a file. Exit status 0 when everything is in the configuration, 1 when something is left out,
//! 2 when nothing could be converted.

use super::check;
use crate::{assemble, terminal};
use clap::{Args, Subcommand};
use config::{
    Disk, Memory,
    rsyslog::{self, Conversion, Finding, Outcome},
};
use serde_json::{Value, json};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Options of `convert`.
#[derive(Args, Debug)]
pub(crate) struct ConvertOptions {
    #[command(subcommand)]
    from: From,
}

#[derive(Subcommand, Debug)]
enum From {
    /// A configuration of rsyslog: selectors, $ directives, RainerScript
    Rsyslog(RsyslogOptions),
}

#[derive(Args, Debug)]
struct RsyslogOptions {
    /// The configuration, such as /etc/rsyslog.conf; its includes are read as well
    file: PathBuf,
    /// Write the converted configuration to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what became of each statement to a file, as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Exit status when nothing could be converted.
const NOTHING: u8 = 2;

/// The reasons why there is no converted configuration.
#[derive(Debug)]
enum ConvertError {
    /// The configuration cannot be converted.
    Convert(rsyslog::ConvertError),
    /// A result cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        source: io::Error,
    },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Convert(error) => error.fmt(f),
            ConvertError::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for ConvertError {}

/// Runs the verb.
pub(crate) fn run(options: &ConvertOptions) -> ExitCode {
    let From::Rsyslog(options) = &options.from;
    match convert(options) {
        Ok(conversion) if conversion.findings.iter().all(|one| one.outcome != Outcome::Unsupported) => {
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::from(NOTHING)
        }
    }
}

fn convert(options: &RsyslogOptions) -> Result<Conversion, ConvertError> {
    let conversion = rsyslog::convert(&options.file, &Disk::default(), judge);
    let conversion = conversion.map_err(ConvertError::Convert)?;
    let write = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|source| ConvertError::Write { path: path.to_owned(), source })
    };
    let reports_to_output = options.report.as_deref() == Some(Path::new("-"));
    match &options.output {
        Some(path) => write(path, &conversion.text)?,
        None if reports_to_output => {}
        None => terminal::print_exactly(&conversion.text),
    }
    match &options.report {
        Some(_) if reports_to_output => {
            outln!("{}", terminal::json(&format!("{:#}", report(&conversion))));
        }
        Some(path) => write(path, &format!("{:#}\n", report(&conversion)))?,
        None => {
            let changed = conversion.findings.iter().filter(|one| one.outcome != Outcome::Kept);
            changed.for_each(|finding| errln!("{finding}"));
        }
    }
    let counts: Vec<String> = OUTCOMES
        .iter()
        .map(|outcome| format!("{} {}", count(&conversion, *outcome), outcome.word()))
        .collect();
    errln!("{}: {}", options.file.display(), counts.join(", "));
    if let Some(path) = &options.output {
        let checked = assemble::check(path, &Disk::default());
        terminal::complain_styled(&check::rendered(&checked));
    }
    Ok(conversion)
}

/// Returns the first error that our own check finds in a converted configuration.
fn judge(text: &str) -> Option<String> {
    let file = "converted.conf";
    let checked = assemble::check(Path::new(file), &Memory::default().file(file, text));
    let error = checked.report.errors().next();
    error.map(|error| error.message.clone())
}

const OUTCOMES: [Outcome; 3] = [Outcome::Kept, Outcome::Changed, Outcome::Unsupported];

fn count(conversion: &Conversion, outcome: Outcome) -> usize {
    conversion.findings.iter().filter(|finding| finding.outcome == outcome).count()
}

/// Returns the findings as JSON.
fn report(conversion: &Conversion) -> Value {
    let one = |finding: &Finding| {
        json!({
            "file": &*finding.place.file,
            "line": finding.place.line,
            "statement": finding.words,
            "outcome": finding.outcome.word(),
            "notes": finding.notes,
        })
    };
    let statements: Vec<Value> = conversion.findings.iter().map(one).collect();
    let counts =
        OUTCOMES.map(|outcome| (outcome.word().replace(' ', "_"), json!(count(conversion, outcome))));
    json!({ "counts": Value::Object(counts.into_iter().collect()), "statements": statements })
}

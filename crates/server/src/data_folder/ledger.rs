//! `duramen ledger`: lists log-ins, searches and exports, and verifies that the list is complete.
//!
//! In: the data folder. Out: entries as text or JSON; findings. Exit status: 0 nothing is wrong, 1 something
//! is wrong, 2 it cannot be read. Works with and without a running server.

use super::{
    layout::{LEDGER, LOGSPACES},
    logspace::{KeySource, status, trusted},
};
use crate::terminal;
use clap::{Args, Subcommand};
use evidence::{Chain, Digest, Entry, KeyError, Ledger, LedgerAudit, LedgerReport, PublicKey};
use logspace::{EVIDENCE_DIR, read_chain};
use serde_json::json;
use std::{
    fmt, fs,
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Options of `ledger`.
#[derive(Args, Debug)]
pub(crate) struct LedgerOptions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List entries, the oldest first
    Ls(ListOptions),
    /// Compare the ledger with its own chain, its signed head and the seals of the logspaces
    Verify(VerifyOptions),
}

#[derive(Args, Debug)]
struct ListOptions {
    /// The server's data folder
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
    /// Only entries from this time on, such as 2026-11-21T10:00:00Z
    #[arg(long)]
    from: Option<String>,
    /// Only entries before this time
    #[arg(long)]
    to: Option<String>,
    /// Only entries of this user
    #[arg(long)]
    user: Option<String>,
    /// Only entries of this kind, such as search, login, login-failed, export; may be given several times
    #[arg(long, visible_alias = "kind")]
    action: Vec<String>,
    /// Only entries about this logspace
    #[arg(long)]
    logspace: Option<String>,
    /// Print the entries as stored in the file, one JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct VerifyOptions {
    /// The server's data folder
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
    /// Public key or certificate that must have signed the ledger; may be given several times
    #[arg(long, value_name = "FILE")]
    trust: Vec<PathBuf>,
    /// Digest of an entry that must be in the ledger, from a copy kept elsewhere
    #[arg(long, value_name = "DIGEST")]
    head: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The reasons why the ledger is neither listed nor verified.
#[derive(Debug)]
enum LedgerError {
    /// There is neither a ledger nor a chain of a logspace.
    NoLedger { data: PathBuf },
    /// A file or folder cannot be read.
    Read { path: PathBuf, source: io::Error },
    /// Standard output cannot be written.
    Print(io::Error),
    /// A word of the command line is no time.
    Time { text: String },
    /// `--head` is no digest.
    Head,
    /// A trusted key cannot be used.
    Trust(KeyError),
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LedgerError::NoLedger { data } => write!(f, "there is no ledger in {}", data.display()),
            LedgerError::Read { path, source } => write!(f, "{}: {source}", path.display()),
            LedgerError::Print(error) => write!(f, "cannot write: {error}"),
            LedgerError::Time { text } => write!(f, "{text} is not a time such as 2026-11-21T10:00:00Z"),
            LedgerError::Head => f.write_str("--head takes 64 hexadecimal digits"),
            LedgerError::Trust(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LedgerError {}

/// Runs the verb.
pub(crate) fn run(options: &LedgerOptions) -> ExitCode {
    status(match &options.verb {
        Verb::Ls(options) => list(options),
        Verb::Verify(options) => verify(options),
    })
}

/// Returns the ledger of a data folder.
fn ledger(data: &Path) -> Ledger {
    Ledger::at(&data.join(LEDGER))
}

fn list(options: &ListOptions) -> Result<bool, LedgerError> {
    let ledger = ledger(&options.data);
    let failed = |source| LedgerError::Read { path: ledger.path().to_owned(), source };
    let time = |text: &Option<String>| text.as_deref().map(parse_time).transpose();
    let (from, to) = (time(&options.from)?, time(&options.to)?);
    let mut out = BufWriter::new(terminal::output());
    for entry in ledger.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let at_us = entry.at_us();
        let is_wanted = from.is_none_or(|from| at_us >= from)
            && to.is_none_or(|to| at_us < to)
            && options.user.as_deref().is_none_or(|user| entry.text("user") == user)
            && options.logspace.as_deref().is_none_or(|logspace| entry.text("logspace") == logspace)
            && (options.action.is_empty()
                || options.action.iter().any(|action| entry.text("action") == action));
        if !is_wanted {
            continue;
        }
        let line =
            if options.json { terminal::json(&entry.value.to_string()).into_owned() } else { shown(&entry) };
        match writeln!(out, "{line}") {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(true),
            written => written.map_err(LedgerError::Print)?,
        }
    }
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(LedgerError::Print(error)),
        _ => Ok(true),
    }
}

fn parse_time(text: &str) -> Result<i64, LedgerError> {
    let time = text.parse::<jiff::Timestamp>().map(|time| time.as_microsecond());
    time.map_err(|_| LedgerError::Time { text: text.to_owned() })
}

/// Formats number, time, user, action, and the other fields of an entry.
fn shown(entry: &Entry) -> String {
    let Some(number) = entry.number() else { return "a line that is no entry".to_owned() };
    let at = jiff::Timestamp::from_microsecond(entry.at_us()).unwrap_or_default();
    let mut text = format!("{number}\t{at:.3}\t{}\t{}", entry.text("user"), entry.text("action"));
    for (name, value) in [("logspace", entry.text("logspace")), ("question", entry.text("question"))] {
        if !value.is_empty() {
            text.push_str(&format!("\t{name}={value}"));
        }
    }
    for (name, value) in
        entry.value["details"].as_object().into_iter().flatten().filter(|(_, value)| !value.is_null())
    {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("\t{name}={value}"));
    }
    terminal::line(&text).into_owned()
}

fn verify(options: &VerifyOptions) -> Result<bool, LedgerError> {
    let ledger = ledger(&options.data);
    let (chains, beside) = evidence(&options.data)?;
    let head = options.head.as_deref();
    let known = head.map(|text| Digest::parse(text).ok_or(LedgerError::Head)).transpose()?;
    let source = KeySource::of(&options.trust);
    let keys = match source {
        KeySource::Beside => beside,
        KeySource::Trusted => trusted(&options.trust).map_err(LedgerError::Trust)?,
    };
    if !ledger.exists() && chains.iter().all(|(_, chain)| chain.records().is_empty()) {
        return Err(LedgerError::NoLedger { data: options.data.clone() });
    }
    let audit = LedgerAudit { keys, chains, known };
    let failed = |source| LedgerError::Read { path: ledger.path().to_owned(), source };
    let report = audit.run(&ledger).map_err(failed)?;
    if options.json {
        outln!("{}", terminal::json(&to_json(&report).to_string()));
    } else {
        print(&report, source);
    }
    Ok(report.is_good())
}

/// Chains by logspace, and the public keys found with them.
type Evidence = (Vec<(String, Chain)>, Vec<PublicKey>);

/// Reads the chains of the logspaces in a data folder, and their public keys.
fn evidence(data: &Path) -> Result<Evidence, LedgerError> {
    let folder = data.join(LOGSPACES);
    let failed = |path: &Path, source: io::Error| LedgerError::Read { path: path.to_owned(), source };
    let (mut chains, mut keys) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((chains, keys)),
        entries => entries.map_err(|error| failed(&folder, error))?,
    };
    for entry in entries {
        let dir = entry.map_err(|error| failed(&folder, error))?.path();
        if !dir.is_dir() {
            continue;
        }
        let chain = read_chain(&journal::OsDisk, &dir).map_err(|error| failed(&dir, error))?;
        chains.push((dir.file_name().unwrap_or_default().to_string_lossy().into_owned(), chain));
        for key in fs::read_dir(dir.join(EVIDENCE_DIR)).into_iter().flatten().flatten() {
            if key.path().extension().is_some_and(|ending| ending == "pem") {
                keys.extend(PublicKey::load(&key.path()).ok());
            }
        }
    }
    chains.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok((chains, keys))
}

fn print(report: &LedgerReport, keys: KeySource) {
    for finding in &report.findings {
        outln!("{}", terminal::line(&finding.text));
    }
    let verdict = if report.is_good() { "good" } else { "NOT good" };
    outln!("{verdict}: {} entries, the last one {}", report.entries, report.last);
    let unsigned = report.entries.saturating_sub(report.signed);
    match report.signer.as_str() {
        "" => outln!("no entry is signed: there is no logspace whose key could"),
        signer => outln!("the first {} are signed by {signer}", report.signed),
    }
    outln!("the first {} are named by a seal of a logspace", report.sealed);
    if unsigned > 0 {
        outln!("the last {unsigned} are chained only: that they or some of them were cut would not show");
    }
    if keys == KeySource::Beside && !report.signer.is_empty() {
        outln!("the keys of the signatures are those beside the chains; --trust FILE proves more");
    }
}

fn to_json(report: &LedgerReport) -> serde_json::Value {
    let findings = report.findings.iter();
    json!({
        "good": report.is_good(),
        "entries": report.entries,
        "last": report.last.to_string(),
        "signed": report.signed,
        "signer": report.signer,
        "sealed": report.sealed,
        "findings": findings.map(|finding| json!({"entry": finding.entry, "text": finding.text})).collect::<Vec<_>>(),
    })
}

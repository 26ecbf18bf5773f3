//! `duramen support-bundle`: the facts that a supporter needs, without messages and secrets.
//!
//! In: a running server's control socket, the data folder, this machine. Out: a tar.gz that only its owner may read.
//! It contains neither messages nor secrets: only the structure of the configuration, names and sizes of files, and
//! statistics that name no host or file of a message. Holds the bundle in memory. Limits: [`LINES_MAX`] lines per
//! file, [`DEPTH_MAX`] folders deep.

mod redact;

use super::version;
use crate::control::{ANSWER_TIMEOUT, Reply, ask};
use clap::Args;
use config::{Disk, parse};
use flate2::{Compression, write::GzEncoder};
use std::{
    fmt::{self, Write as _},
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Most lines of a file of the bundle; the first ones are kept.
const LINES_MAX: usize = 20_000;
/// Deepest folder of the data folder that is listed: a logspace's days.
const DEPTH_MAX: usize = 6;
/// Most lines of the server's own messages.
const MESSAGES_MAX: &str = "2000";

/// Entries of the data folder that are listed. Other files there may be outputs, whose names may come from messages.
const LISTED: &[&str] = &[
    "alerts",
    "disk-buffers",
    "duramen.ctl",
    "factors.key",
    "identity",
    "logspaces",
    "objects",
    "positions",
    "rows.key",
    "scratch",
    "searches.ledger",
    "sessions.json",
    "token-uses.json",
    "users.json",
];

/// Components whose instance is an address or a name of the configuration. Instances of others may come from messages.
const PLAIN_COMPONENTS: &[&str] =
    &["src.network", "src.syslog", "src.internal", "dst.logspace", "dst.network", "dst.syslog"];

const README: &str = "A support bundle of Duramen.

version.json     the program
machine.txt      the system, its memory and file systems, limits of control groups
process.txt      the running server: memory, threads, open files, limits
health.txt       what troubles the server, without addresses
config.txt       the structure of the configuration in use; texts and words are replaced by their length, comments are gone
files.txt        the files that the configuration was read from
statistics.csv   counters; names that may come from messages are left out
data.txt         names and sizes of the server's own files
messages.txt     the server's own messages, when the system's journal has them

There are no messages, keys, passwords, users, addresses of destinations or queries in it. Read it before you send it.
";

/// Options of `support-bundle`.
#[derive(Args, Debug)]
pub(super) struct SupportOptions {
    /// The server's control socket
    #[arg(short = 'c', long, default_value = "/var/lib/duramen/duramen.ctl", env = "DURAMEN_CONTROL")]
    control: PathBuf,
    /// Configuration to use when no server answers
    #[arg(short = 'f', long, default_value = "/etc/duramen/duramen.conf")]
    config: PathBuf,
    /// The server's data folder
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
    /// The service whose messages are read from the system's journal
    #[arg(long, default_value = "duramen.service")]
    unit: String,
    /// The file to write; it must not exist
    #[arg(short = 'o', long, value_name = "FILE", default_value = "duramen-support.tar.gz")]
    output: PathBuf,
}

/// The reasons for which there is no bundle.
#[derive(Debug)]
struct WriteBundleError {
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for WriteBundleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cannot write {}: {}", self.path.display(), self.source)
    }
}

/// Writes the bundle, and prints its path.
pub(super) fn run(options: &SupportOptions) -> ExitCode {
    match write(options) {
        Ok(()) => {
            outln!(
                "{}: read it before you send it; README.txt in it says what is there",
                options.output.display()
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(options: &SupportOptions) -> Result<(), WriteBundleError> {
    let failed = |source| WriteBundleError { path: options.output.clone(), source };
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&options.output);
    let mut archive = tar::Builder::new(GzEncoder::new(file.map_err(failed)?, Compression::default()));
    for (name, text) in files(options) {
        let text: String = text.split_inclusive('\n').take(LINES_MAX).collect();
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o600);
        header.set_size(text.len() as u64);
        archive
            .append_data(&mut header, format!("duramen-support/{name}"), text.as_bytes())
            .map_err(failed)?;
    }
    let mut file = archive.into_inner().and_then(GzEncoder::finish).map_err(failed)?;
    file.flush().map_err(failed)
}

fn files(options: &SupportOptions) -> Vec<(&'static str, String)> {
    vec![
        ("README.txt", README.to_owned()),
        ("version.json", format!("{}\n", version::facts())),
        ("machine.txt", machine(&options.data)),
        ("process.txt", process(&options.control)),
        ("health.txt", answer(options, "HEALTHCHECK", without_texts)),
        ("config.txt", configuration(options)),
        ("files.txt", answer(options, "LISTFILES", str::to_owned)),
        ("statistics.csv", answer(options, "STATS CSV", statistics)),
        ("data.txt", data(&options.data)),
        ("messages.txt", messages(&options.unit)),
    ]
}

/// Returns the running server's answer to a command, redacted.
fn answer(options: &SupportOptions, command: &str, redacted: impl Fn(&str) -> String) -> String {
    match ask(&options.control, command, ANSWER_TIMEOUT) {
        Ok(Reply::Done(text)) => redacted(&text),
        Ok(Reply::Failed(text)) => format!("it failed:\n{}", redacted(&text)),
        Err(error) => format!("no server answers: {error}\n"),
    }
}

/// The structure of the configuration in use, or of the file when no server answers.
fn configuration(options: &SupportOptions) -> String {
    if let Ok(Reply::Done(text)) = ask(&options.control, "CONFIG GET PREPROCESSED", ANSWER_TIMEOUT) {
        return redact::configuration(&text);
    }
    // Secrets are recognized by where quoted texts end, which is certain only in a configuration without errors.
    let (_, report) = parse(&options.config, &Disk::default());
    match fs::read_to_string(&options.config) {
        Ok(text) if report.is_usable() => redact::configuration(&text),
        Ok(_) => "it has errors: `duramen check` lists them\n".to_owned(),
        Err(error) => format!("cannot read {}: {error}\n", options.config.display()),
    }
}

/// Returns the lines up to the reason: the text after a colon may quote addresses and answers of others.
fn without_texts(health: &str) -> String {
    let kept = |line: &str| match line.split_once(": ") {
        Some((before, _)) => format!("{}: [...]\n", before.split(" (").next().unwrap_or_default()),
        None => format!("{line}\n"),
    };
    health.lines().map(kept).collect()
}

/// The rows of the statistics, with an instance only where it comes from the configuration.
fn statistics(csv: &str) -> String {
    let row = |line: &str| {
        let mut fields = line.splitn(3, ';');
        let (component, id, rest) = (fields.next()?, fields.next()?, fields.next()?);
        let mut numbers = rest.rsplitn(4, ';');
        let (number, kind, state, instance) =
            (numbers.next()?, numbers.next()?, numbers.next()?, numbers.next()?);
        let is_shown = PLAIN_COMPONENTS.contains(&component) || component == "SourceName";
        let instance = if is_shown && !instance.contains(['@', '"']) { instance } else { "-" };
        Some(format!("{component};{id};{instance};{state};{kind};{number}\n"))
    };
    csv.lines().filter_map(row).collect()
}

/// Describes the system, in its own words.
fn machine(data: &Path) -> String {
    let mut text = String::new();
    for file in [
        "/etc/os-release",
        "/proc/version",
        "/proc/loadavg",
        "/proc/meminfo",
        "/proc/pressure/memory",
        "/proc/pressure/io",
    ] {
        section(&mut text, file, fs::read_to_string(file));
    }
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "processors: {cpus}\n");
    for (name, path) in [("data", data), ("root", Path::new("/"))] {
        let _ = match rustix::fs::statvfs(path) {
            Ok(space) => writeln!(
                text,
                "file system of {name}: {} bytes, {} free, {} of {} files free",
                space.f_blocks.saturating_mul(space.f_frsize),
                space.f_bavail.saturating_mul(space.f_frsize),
                space.f_ffree,
                space.f_files
            ),
            Err(error) => writeln!(text, "file system of {name}: {error}"),
        };
    }
    text
}

/// The process behind the control socket.
fn process(control: &Path) -> String {
    let Ok(peer) = std::os::unix::net::UnixStream::connect(control) else {
        return "no server answers\n".to_owned();
    };
    let pid = match rustix::net::sockopt::socket_peercred(&peer) {
        Ok(credentials) => credentials.pid.as_raw_nonzero(),
        Err(error) => return format!("the system does not say which process it is: {error}\n"),
    };
    let folder = PathBuf::from(format!("/proc/{pid}"));
    let mut text = String::new();
    for file in ["status", "limits", "io", "smaps_rollup", "cgroup", "schedstat"] {
        section(&mut text, file, fs::read_to_string(folder.join(file)));
    }
    let open = fs::read_dir(folder.join("fd")).map(|files| format!("{}\n", files.count()));
    section(&mut text, "open files", open);
    text
}

fn section(text: &mut String, name: &str, content: io::Result<String>) {
    // Writing to a string cannot fail.
    let _ = match content {
        Ok(content) => writeln!(text, "== {name}\n{content}"),
        Err(error) => writeln!(text, "== {name}\n({error})\n"),
    };
}

/// Names, modes and sizes of the server's own files.
fn data(folder: &Path) -> String {
    let mut text = String::new();
    for name in LISTED {
        list(folder, Path::new(name), &mut text, 0);
    }
    if text.is_empty() {
        text = format!("nothing is in {}, or it cannot be read\n", folder.display());
    }
    text
}

fn list(folder: &Path, name: &Path, text: &mut String, depth: usize) {
    let path = folder.join(name);
    let Ok(found) = fs::symlink_metadata(&path) else { return };
    let mode = found.permissions().mode();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{mode:o} {} {} {}", found.uid(), found.len(), name.display());
    if !found.is_dir() || depth == DEPTH_MAX {
        return;
    }
    let mut inside: Vec<_> =
        fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    inside.sort();
    inside.iter().for_each(|entry| list(folder, &name.join(entry), text, depth + 1));
}

/// The server's own messages: lines with its stamp. Commands of the configuration write to the same place.
fn messages(unit: &str) -> String {
    let mut journal = Command::new("journalctl");
    journal.args(["--no-pager", "--output=cat", "--lines", MESSAGES_MAX, "--unit", unit]);
    match journal.output() {
        Ok(done) => own_messages(&String::from_utf8_lossy(&done.stdout)),
        Err(error) => format!("journalctl cannot be run: {error}\n"),
    }
}

fn own_messages(text: &str) -> String {
    let is_own = |line: &&str| {
        line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).is_some_and(|(stamp, _)| {
            stamp.len() == 26 && stamp.bytes().all(|byte| byte.is_ascii_digit() || b"-T:.".contains(&byte))
        })
    };
    text.lines().filter(is_own).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests;

//! The programs that scripts know: `syslog-ng`, `syslog-ng-ctl`, `loggen`, `dqtool`, `pdbtool`, `slogkey` and its kin.
//!
//! In: their command lines. Out: the output and exit status of those programs. Options that only make sense
//! for the old program (`--module-path`, `--seed`, ...) are accepted and have no effect, as their help here
//! says; unsupported options are refused.

use super::{
    ctl::{self, Caller, CtlOptions},
    http_address::{HttpAddressError, http_address},
    process::{ProcessError, ProcessOptions},
};
use crate::{
    configuration::check,
    daemon::{self, Level, Levels},
    data_folder::queue,
    loggen,
    patterndb::{self, PatterndbOptions},
    slog::{self, SlogOptions},
};
use clap::{ArgAction, Parser};
use std::{ffi::OsString, fmt, path::PathBuf, process::ExitCode};

/// The version of syslog-ng whose language and programs we replace.
pub(crate) const LANGUAGE: &str = "4.8";

/// syslog-ng's own options.
#[derive(Parser, Debug)]
#[command(name = "syslog-ng", disable_version_flag = true)]
struct SyslogNg {
    /// Configuration
    #[arg(short = 'f', long, default_value = "/etc/syslog-ng/syslog-ng.conf")]
    cfgfile: PathBuf,
    /// File of the read positions; logspaces are stored next to it
    #[arg(short = 'R', long, default_value = "/var/lib/syslog-ng/syslog-ng.persist")]
    persist_file: PathBuf,
    /// File for the process id
    #[arg(short = 'p', long)]
    pidfile: Option<PathBuf>,
    /// Control socket
    #[arg(short = 'c', long, default_value = "/var/lib/syslog-ng/syslog-ng.ctl")]
    control: PathBuf,
    /// Check the configuration only
    #[arg(short = 's', long)]
    syntax_only: bool,
    /// Write the configuration to a file, with includes and blocks expanded, and stop
    #[arg(long, value_name = "FILE")]
    preprocess_into: Option<PathBuf>,
    /// Stay in the foreground (it always does)
    #[arg(short = 'F', long)]
    foreground: bool,
    /// Print the server's own messages on standard error (it always does)
    #[arg(short = 'e', long)]
    stderr: bool,
    /// Log more about the server itself
    #[arg(short = 'v', long)]
    verbose: bool,
    /// Log much more
    #[arg(short = 'd', long)]
    debug: bool,
    /// Log everything
    #[arg(short = 't', long)]
    trace: bool,
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,
    /// Address of the web page; there is none when left out
    #[arg(long, default_value = "none")]
    http: String,
    /// Start without the drivers, options and statements that are not supported, and list them
    #[arg(long)]
    skip_unsupported: bool,
    #[command(flatten)]
    process: ProcessOptions,
    /// No effect
    #[arg(long)]
    startup_debug: bool,
    /// No effect: there are no modules
    #[arg(long, value_name = "PATH", action = ArgAction::Append)]
    module_path: Vec<PathBuf>,
    /// No effect: everything needed is built in
    #[arg(long, value_name = "LIST")]
    default_modules: Option<String>,
    /// No effect: random numbers come from the system
    #[arg(short = 'S', long)]
    seed: bool,
    /// Threads that read sources; one for each core when left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    worker_threads: Option<u16>,
    /// foreground; other modes are refused
    #[arg(long, value_name = "MODE")]
    process_mode: Option<String>,
    /// Refused: there is no interactive debugger
    #[arg(short = 'i', long)]
    interactive: bool,
}

/// Runs as `syslog-ng`.
pub(crate) fn syslog_ng(words: &[OsString]) -> ExitCode {
    let options = SyslogNg::parse_from(words);
    if options.version {
        outln!("syslog-ng {LANGUAGE} (duramen {})", env!("CARGO_PKG_VERSION"));
        outln!("Config version: {LANGUAGE}");
        return ExitCode::SUCCESS;
    }
    if options.syntax_only || options.preprocess_into.is_some() {
        let checking = check::Checking {
            preprocess_into: options.preprocess_into,
            syntax_only: true,
            ..check::Checking::default()
        };
        return check::run(&options.cfgfile, &checking);
    }
    let http = startable(&options).and_then(|()| http_address(&options.http).map_err(StartOptionError::Http));
    let http = match http {
        Ok(http) => http,
        Err(error) => {
            errln!("syslog-ng: {error}");
            return ExitCode::from(2);
        }
    };
    let levels = Levels::at(level(&options));
    // A bare name has an empty parent: it is the folder that we are in.
    let folder = options.persist_file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let data = folder.map_or_else(|| PathBuf::from("."), PathBuf::from);
    daemon::run(daemon::Settings {
        name: "syslog-ng",
        config: options.cfgfile,
        data,
        positions: options.persist_file,
        http,
        control: options.control,
        pidfile: options.pidfile,
        quickstart: false,
        levels,
        worker_threads: options.worker_threads.map(usize::from),
        skip_unsupported: options.skip_unsupported,
    })
}

/// Returns the level of `--verbose`, `--debug` and `--trace`.
fn level(options: &SyslogNg) -> Level {
    match (options.trace, options.debug, options.verbose) {
        (true, _, _) => Level::Trace,
        (false, true, _) => Level::Debug,
        (false, false, true) => Level::Verbose,
        (false, false, false) => Level::Default,
    }
}

/// The option that prevents a server from starting.
#[derive(Debug)]
enum StartOptionError {
    /// It would put itself into the background.
    Background {
        /// The word of `--process-mode`.
        mode: String,
    },
    /// A word that `--process-mode` does not have.
    ProcessMode(String),
    /// `--interactive`: there is no debugger.
    Interactive,
    /// Rights or limits cannot be applied.
    Process(ProcessError),
    /// The address of the page.
    Http(HttpAddressError),
}

impl fmt::Display for StartOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartOptionError::Background { mode } => write!(
                f,
                "--process-mode={mode} is not supported: it stays in the foreground, and a service manager (Type=notify) \
                 or a shell's `&` puts it into the background"
            ),
            StartOptionError::ProcessMode(other) => {
                write!(f, "--process-mode takes foreground, background or safe-background, not {other}")
            }
            StartOptionError::Interactive => f.write_str(
                "--interactive is not supported: `duramen explain` and `duramen ctl tap` show what becomes of a message",
            ),
            StartOptionError::Process(error) => error.fmt(f),
            StartOptionError::Http(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartOptionError {}

/// Refuses options that we do not support, and applies the others to the process. No other thread runs yet:
/// rights and limits apply to this thread and to all that it starts.
fn startable(options: &SyslogNg) -> Result<(), StartOptionError> {
    match options.process_mode.as_deref() {
        None | Some("foreground") => {}
        Some(mode @ ("background" | "safe-background")) => {
            return Err(StartOptionError::Background { mode: mode.to_owned() });
        }
        Some(other) => {
            return Err(StartOptionError::ProcessMode(other.to_owned()));
        }
    }
    if options.interactive {
        return Err(StartOptionError::Interactive);
    }
    options.process.apply().map_err(StartOptionError::Process)
}

/// The command line of syslog-ng-ctl: that of `ctl`, with another default socket.
#[derive(Parser, Debug)]
#[command(name = "syslog-ng-ctl")]
struct SyslogNgCtl {
    #[command(flatten)]
    options: CtlOptions,
}

/// Runs as `syslog-ng-ctl`.
pub(crate) fn syslog_ng_ctl(words: &[OsString]) -> ExitCode {
    ctl::run(&SyslogNgCtl::parse_from(words).options, Caller::OldName)
}

/// dqtool's command line: that of `queue`, on folders of our own format and on files of syslog-ng.
#[derive(Parser, Debug)]
#[command(name = "dqtool")]
struct Dqtool {
    #[command(flatten)]
    options: queue::QueueOptions,
}

/// Runs as `dqtool`.
pub(crate) fn dqtool(words: &[OsString]) -> ExitCode {
    if let Some(verb) = words.get(1).and_then(|word| word.to_str())
        && matches!(verb, "assign" | "relocate")
    {
        return refused(
            "dqtool",
            &format!(
                "{verb} changes syslog-ng's persist file, and there is none here: a queue is found in the folder \
                 that disk-buffer(dir(...)) names. With the server stopped, duramen queue {verb} moves it"
            ),
        );
    }
    queue::run(&Dqtool::parse_from(words).options)
}

/// The command line of slogkey, slogencrypt and slogverify: the verbs of `slog`.
#[derive(Parser, Debug)]
struct Slog {
    #[command(flatten)]
    options: SlogOptions,
}

/// Runs as `slogkey`, `slogencrypt` or `slogverify`, which are verbs of `slog`.
pub(crate) fn slog(name: &'static str, verb: &str, words: &[OsString]) -> ExitCode {
    let rest = words.iter().skip(1).cloned();
    let words = [OsString::from(name), OsString::from(verb)].into_iter().chain(rest);
    slog::run(&Slog::parse_from(words).options)
}

/// Runs as `persist-tool`: there is no file for it to work on.
pub(crate) fn persist_tool() -> ExitCode {
    refused(
        "persist-tool",
        "there is no persist file of syslog-ng here: read positions are in a file of this program's own format, which \
         no tool changes. Where a followed file starts is said with read-old-records()",
    )
}

fn refused(name: &str, why: &str) -> ExitCode {
    errln!("{name}: {why}");
    ExitCode::from(2)
}

/// loggen's command line.
#[derive(Parser, Debug)]
#[command(name = "loggen")]
struct Loggen {
    #[command(flatten)]
    options: loggen::Options,
}

/// Runs as `loggen`.
pub(crate) fn loggen(words: &[OsString]) -> ExitCode {
    loggen::run(&Loggen::parse_from(words).options)
}

/// pdbtool's command line is that of `patterndb`.
#[derive(Parser, Debug)]
#[command(name = "pdbtool")]
struct Pdbtool {
    #[command(flatten)]
    options: PatterndbOptions,
}

/// Runs as `pdbtool`.
pub(crate) fn pdbtool(words: &[OsString]) -> ExitCode {
    patterndb::run(&Pdbtool::parse_from(words).options)
}

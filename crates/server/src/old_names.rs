//! The programs that scripts know: `syslog-ng`, `syslog-ng-ctl`, `loggen`, `dqtool`.
//!
//! In: their command lines. Out: what those programs would print and return. Options that only make sense for the
//! old program (`--module-path`, `--no-caps`, ...) are taken and have no effect, as their help here says.

use crate::{
    check,
    command::{CtlOptions, http_address, run_ctl},
    daemon::{self, Levels},
    loggen,
    patterndb::{self, PatterndbOptions},
    queue,
};
use clap::{ArgAction, Parser};
use std::{ffi::OsString, path::PathBuf, process::ExitCode};

/// The version of syslog-ng's language and programs that we stand in for.
pub(crate) const LANGUAGE: &str = "4.8";

/// syslog-ng's own options.
#[derive(Parser, Debug)]
#[command(name = "syslog-ng", disable_version_flag = true)]
struct SyslogNg {
    /// Configuration
    #[arg(short = 'f', long, default_value = "/etc/syslog-ng/syslog-ng.conf")]
    cfgfile: PathBuf,
    /// Where read positions are kept; logspaces live beside it
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
    /// Write the configuration to a file, with includes and blocks in their places, and stop
    #[arg(long, value_name = "FILE")]
    preprocess_into: Option<PathBuf>,
    /// Stay in the foreground (it always does)
    #[arg(short = 'F', long)]
    foreground: bool,
    /// Print messages of its own on standard error (it always does)
    #[arg(short = 'e', long)]
    stderr: bool,
    /// Say more
    #[arg(short = 'v', long)]
    verbose: bool,
    /// Say much more
    #[arg(short = 'd', long)]
    debug: bool,
    /// Say everything
    #[arg(short = 't', long)]
    trace: bool,
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,
    /// Address of the page; none when left out
    #[arg(long, default_value = "none")]
    http: String,
    /// Start without the drivers, options and statements that are not supported, and say what is not running
    #[arg(long)]
    skip_unsupported: bool,
    /// No effect: capabilities are not changed
    #[arg(long)]
    no_caps: bool,
    /// No effect: see ulimit -c
    #[arg(long)]
    enable_core: bool,
    /// No effect
    #[arg(long)]
    startup_debug: bool,
    /// No effect: there are no modules
    #[arg(long, value_name = "PATH", action = ArgAction::Append)]
    module_path: Vec<PathBuf>,
    /// No effect: one thread a core reads
    #[arg(long, value_name = "N")]
    worker_threads: Option<u32>,
    /// No effect: it stays in the foreground
    #[arg(long, value_name = "MODE")]
    process_mode: Option<String>,
}

/// Runs as `syslog-ng`.
pub(crate) fn syslog_ng(words: &[OsString]) -> ExitCode {
    let options = SyslogNg::parse_from(words);
    if options.version {
        println!("syslog-ng {LANGUAGE} (duramen {})", env!("CARGO_PKG_VERSION"));
        println!("Config version: {LANGUAGE}");
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
    let http = match http_address(&options.http) {
        Ok(http) => http,
        Err(error) => {
            eprintln!("syslog-ng: {error}");
            return ExitCode::from(2);
        }
    };
    let data = options.persist_file.parent().map_or_else(|| PathBuf::from("."), PathBuf::from);
    daemon::run(daemon::Settings {
        name: "syslog-ng",
        config: options.cfgfile,
        data,
        positions: options.persist_file,
        http,
        control: options.control,
        pidfile: options.pidfile,
        quickstart: false,
        levels: Levels::new(options.verbose, options.debug || options.trace),
        skip_unsupported: options.skip_unsupported,
    })
}

/// syslog-ng-ctl's command line is that of `ctl`, but for the socket's default place.
#[derive(Parser, Debug)]
#[command(name = "syslog-ng-ctl")]
struct SyslogNgCtl {
    #[command(flatten)]
    options: CtlOptions,
}

/// Runs as `syslog-ng-ctl`.
pub(crate) fn syslog_ng_ctl(words: &[OsString]) -> ExitCode {
    run_ctl(&SyslogNgCtl::parse_from(words).options)
}

/// dqtool's command line: that of `queue`, on folders of our own format.
#[derive(Parser, Debug)]
#[command(name = "dqtool")]
struct Dqtool {
    #[command(flatten)]
    options: queue::QueueOptions,
}

/// Runs as `dqtool`.
pub(crate) fn dqtool(words: &[OsString]) -> ExitCode {
    queue::run(&Dqtool::parse_from(words).options)
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

//! The command line: `duramen VERB`, and the old programs' names.
//!
//! In: words. Out: the verb's exit status. Called as `syslog-ng`, `syslog-ng-ctl` or `loggen`, it behaves as
//! that program.

mod ctl;
mod http_address;
mod old_names;
mod pages;
mod process;
mod support;
mod tap;
mod version;

#[cfg(test)]
mod tests;

use crate::{
    ask::{
        self, AlertsOptions, ChannelOptions, ExportOptions, ObjectsOptions, SearchOptions, SilenceOptions,
        TailOptions,
    },
    configuration::{
        check,
        convert::{self, ConvertOptions},
        explain::{self, ExplainOptions},
    },
    daemon,
    data_folder::{
        ledger::{self, LedgerOptions},
        logspace::{self, LogspaceOptions, VerifyPackageOptions},
        queue::{self, QueueOptions},
        rules::{self, RulesOptions},
        user::{self, UserOptions},
    },
    loggen,
    patterndb::{self, PatterndbOptions},
    slog::{self, SlogOptions},
};
use clap::{Args, CommandFactory, Parser, Subcommand};
use ctl::Caller;
use http_address::http_address;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Central log server: collects, processes, stores and searches syslog messages.
#[derive(Parser)]
#[command(name = "duramen", version, disable_help_subcommand = true, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run the server in the foreground
    Run(RunOptions),
    /// Read a configuration and report every error in it
    Check(CheckOptions),
    /// Show step by step what a configuration does with a message
    Explain(ExplainOptions),
    /// Convert another program's configuration into Duramen's
    Convert(ConvertOptions),
    /// Control or query a running server
    Ctl(ctl::CtlOptions),
    /// Search messages
    Search(SearchOptions),
    /// Show messages as they arrive
    Tail(TailOptions),
    /// Write all messages that match a query to a file
    Export(ExportOptions),
    /// List and acknowledge alerts of a running server
    Alerts(AlertsOptions),
    /// Mute alerts of a running server for a time
    Silence(SilenceOptions),
    /// Try the channels over which a running server notifies people
    Channel(ChannelOptions),
    /// Keep saved objects of a running server in files: plan, apply, export
    Objects(ObjectsOptions),
    /// Send messages at a rate (the options of syslog-ng's loggen)
    Loggen(loggen::Options),
    /// Inspect disk queues that no server has open
    Queue(QueueOptions),
    /// Encrypt and verify logs line by line, as syslog-ng's secure logging does
    Slog(SlogOptions),
    /// Try, test and create pattern databases (the verbs of syslog-ng's pdbtool)
    Patterndb(PatterndbOptions),
    /// Manage users and their rights
    User(UserOptions),
    /// Inspect logspaces on disk: verify, list, print, export, scrub, unlock
    Logspace(LogspaceOptions),
    /// Check rules that watch messages, and try them on the messages of a logspace
    Rules(RulesOptions),
    /// Inspect the ledger of log-ins, searches and exports, and check that it is complete
    Ledger(LedgerOptions),
    /// Verify an evidence package from its own files, without a server
    VerifyPackage(VerifyPackageOptions),
    /// Collect the data that support needs in one file, without messages and secrets
    SupportBundle(support::SupportOptions),
    /// Print the version; with --json also the binary's target and libraries
    Version(version::VersionOptions),
    /// Print a script that completes this command line in a shell
    Completions(pages::CompletionsOptions),
    /// Print the manual page, or write those of all verbs to a folder
    Man(pages::ManOptions),
}

/// Options of `run`.
#[derive(Args, Debug)]
struct RunOptions {
    /// Configuration, in syslog-ng's language
    #[arg(short = 'f', long, default_value = "/etc/duramen/duramen.conf")]
    config: PathBuf,
    /// Folder for logspaces, users and read positions
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
    /// Address of the web page and the API; `none` disables both
    #[arg(long, default_value = "127.0.0.1:8514")]
    http: String,
    /// Control socket; in the data folder when left out
    #[arg(short = 'c', long)]
    control: Option<PathBuf>,
    /// File for the process id
    #[arg(short = 'p', long)]
    pidfile: Option<PathBuf>,
    /// Print the next steps for a first run
    #[arg(long)]
    quickstart: bool,
    /// Start without the drivers, options and statements that are not supported, and list them
    #[arg(long)]
    skip_unsupported: bool,
}

/// Options of `check`.
#[derive(Args, Debug)]
struct CheckOptions {
    /// Configuration, in syslog-ng's language
    #[arg(default_value = "/etc/duramen/duramen.conf")]
    config: PathBuf,
    /// Write the configuration to a file, with includes and blocks expanded
    #[arg(long, value_name = "FILE")]
    preprocess_into: Option<PathBuf>,
    /// Report undefined names as warnings, because the file is only a part of a configuration
    #[arg(long)]
    syntax_only: bool,
    /// Exit with 1 when there are warnings
    #[arg(long)]
    strict: bool,
    /// List the parts that `run --skip-unsupported` would leave out, and whether it would start
    #[arg(long, conflicts_with_all = ["preprocess_into", "syntax_only"])]
    skip_unsupported: bool,
}

impl CheckOptions {
    fn run(self) -> ExitCode {
        let CheckOptions { config, preprocess_into, syntax_only, strict, skip_unsupported } = self;
        check::run(&config, &check::Checking { preprocess_into, syntax_only, strict, skip_unsupported })
    }
}

/// Runs the verb of a command line, whose first word is the name of the program.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    let name = words.first().map(Path::new).and_then(Path::file_name).and_then(|name| name.to_str());
    match name {
        Some("syslog-ng") => old_names::syslog_ng(words),
        Some("syslog-ng-ctl") => old_names::syslog_ng_ctl(words),
        Some("loggen") => old_names::loggen(words),
        Some("dqtool") => old_names::dqtool(words),
        Some("pdbtool") => old_names::pdbtool(words),
        Some("slogkey") => old_names::slog("slogkey", "key", words),
        Some("slogencrypt") => old_names::slog("slogencrypt", "encrypt", words),
        Some("slogverify") => old_names::slog("slogverify", "verify", words),
        Some("persist-tool") => old_names::persist_tool(),
        _ => match CommandLine::parse_from(words).verb {
            Verb::Run(options) => serve(options),
            Verb::Check(options) => options.run(),
            Verb::Explain(options) => explain::run(&options),
            Verb::Convert(options) => convert::run(&options),
            Verb::Ctl(options) => ctl::run(&options, Caller::Ctl),
            Verb::Search(options) => ask::search(&options),
            Verb::Tail(options) => ask::tail(&options),
            Verb::Export(options) => ask::export(&options),
            Verb::Alerts(options) => ask::alerts(&options),
            Verb::Silence(options) => ask::silence(&options),
            Verb::Channel(options) => ask::channel(&options),
            Verb::Objects(options) => ask::objects(&options),
            Verb::Loggen(options) => loggen::run(&options),
            Verb::Queue(options) => queue::run(&options),
            Verb::Slog(options) => slog::run(&options),
            Verb::Patterndb(options) => patterndb::run(&options),
            Verb::User(options) => user::run(&options),
            Verb::Logspace(options) => logspace::run(&options),
            Verb::Rules(options) => rules::run(&options),
            Verb::Ledger(options) => ledger::run(&options),
            Verb::VerifyPackage(options) => logspace::verify_package(&options),
            Verb::SupportBundle(options) => support::run(&options),
            Verb::Version(options) => version::run(&options),
            Verb::Completions(options) => pages::completions(&options, CommandLine::command()),
            Verb::Man(options) => pages::man(&options, CommandLine::command()),
        },
    }
}

fn serve(options: RunOptions) -> ExitCode {
    let http = match http_address(&options.http) {
        Ok(http) => http,
        Err(error) => {
            errln!("duramen: {error}");
            return ExitCode::from(2);
        }
    };
    daemon::run(daemon::Settings {
        name: "duramen",
        control: options.control.unwrap_or_else(|| options.data.join("duramen.ctl")),
        positions: options.data.join("positions"),
        config: options.config,
        data: options.data,
        http,
        pidfile: options.pidfile,
        quickstart: options.quickstart,
        levels: daemon::Levels::default(),
        worker_threads: None,
        skip_unsupported: options.skip_unsupported,
    })
}

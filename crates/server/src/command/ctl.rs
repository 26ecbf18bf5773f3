//! `duramen ctl`: controls or queries a running server over its control socket.
//!
//! In: a verb. Out: the server's answer; exit status 1 when it refuses.

use super::tap::TapOptions;
use crate::{
    control::{ANSWER_TIMEOUT, Reply, ask},
    terminal,
};
use clap::{Args, Subcommand};
use std::{fmt, io, path::PathBuf, process::ExitCode, time::Duration};

/// Options of `ctl`.
#[derive(Args, Debug)]
pub(crate) struct CtlOptions {
    /// The server's control socket
    #[arg(
        short = 'c',
        long,
        default_value = "/var/lib/duramen/duramen.ctl",
        env = "DURAMEN_CONTROL",
        global = true
    )]
    pub(crate) control: PathBuf,
    #[command(subcommand)]
    pub(crate) verb: CtlVerb,
}

/// The verbs of `ctl`.
#[derive(Subcommand, Debug)]
pub(crate) enum CtlVerb {
    /// Print the statistics
    Stats(StatsOptions),
    /// Print single counters by name, with * and ? as wildcards
    Query {
        #[command(subcommand)]
        verb: QueryVerb,
    },
    /// Check the configuration and switch to it
    Reload,
    /// Reopen output files, for example after log rotation
    Reopen,
    /// Shut the server down cleanly
    Stop,
    /// Check whether the server is healthy
    Healthcheck {
        /// Seconds to wait for an answer before the server counts as failed
        #[arg(short, long)]
        timeout: Option<u64>,
    },
    /// Print the configuration in use
    Config(ConfigOptions),
    /// Enter the passwords of private keys, and list the missing ones
    Credentials {
        #[command(subcommand)]
        verb: CredentialsVerb,
    },
    /// Show messages live as they pass a source, a log path or a destination
    Tap(TapOptions),
    /// Print or set the level of the server's own log: default, verbose, debug, trace
    LogLevel {
        /// The level to set; prints the current one when left out
        level: Option<String>,
    },
    /// Print the licence of the program
    ShowLicenseInfo,
    /// Print the files that the configuration in use was read from
    ListFiles,
    /// Print the graph of the configuration in use, as JSON
    ExportConfigGraph,
    /// Print or set whether the server logs more about itself
    Verbose(SwitchOptions),
    /// Print or set whether the server logs much more
    Debug(SwitchOptions),
    /// Print or set whether the server logs everything
    Trace(SwitchOptions),
}

/// On or off, in every spelling of syslog-ng-ctl.
#[derive(Args, Debug)]
pub(crate) struct SwitchOptions {
    /// on or off; prints the state when left out
    state: Option<String>,
    /// on or off
    #[arg(short, long, conflicts_with = "state")]
    set: Option<String>,
    /// On
    #[arg(long, conflicts_with_all = ["state", "set"])]
    on: bool,
    /// Off
    #[arg(long, conflicts_with_all = ["state", "set", "on"])]
    off: bool,
}

impl SwitchOptions {
    fn command(&self, word: &str) -> Result<String, CtlOptionsError> {
        let written = self.state.as_deref().or(self.set.as_deref());
        let state = match (written.map(str::to_ascii_lowercase).as_deref(), self.on, self.off) {
            (Some("on" | "1"), _, _) | (None, true, _) => " ON",
            (Some("off" | "0"), _, _) | (None, _, true) => " OFF",
            (None, false, false) => "",
            (Some(other), _, _) => return Err(CtlOptionsError::Switch(other.to_owned())),
        };
        Ok(format!("LOG {word}{state}"))
    }
}

/// The verbs of `ctl credentials`.
#[derive(Subcommand, Debug)]
pub(crate) enum CredentialsVerb {
    /// Enter the password of a key file; prompts for it when it is left out
    Add {
        /// The key file, as written in the configuration
        key: Option<PathBuf>,
        /// The password
        secret: Option<String>,
        /// The key file, in the form of syslog-ng-ctl
        #[arg(short = 'i', long = "id", conflicts_with = "key")]
        id: Option<PathBuf>,
        /// The password, in the form of syslog-ng-ctl
        #[arg(short = 's', long = "secret", conflicts_with = "secret")]
        word: Option<String>,
    },
    /// List the key files whose password was entered, and those that wait for one
    Status,
}

/// Options of `stats`.
#[derive(Args, Debug)]
pub(crate) struct StatsOptions {
    /// csv, prometheus, or balance: an account of the messages in each row
    format: Option<String>,
    /// Set the totals to zero
    #[arg(short = 'r', long)]
    reset: bool,
    /// Remove counters of objects that the configuration no longer has
    #[arg(short = 'o', long)]
    remove_orphans: bool,
    /// Leave out objects that the configuration no longer has
    #[arg(long)]
    without_orphaned: bool,
    /// No effect: there are no other names
    #[arg(short = 'm', long)]
    with_legacy_metrics: bool,
}

impl StatsOptions {
    /// Returns the rows to print: without those of removed objects, whose state is `o`, in the third column
    /// from the end.
    fn shown(&self, text: &str) -> String {
        let is_gone = |line: &str| self.without_orphaned && line.rsplit(';').nth(2) == Some("o");
        text.split_inclusive('\n').filter(|line| !is_gone(line)).collect()
    }
}

/// The verbs of `ctl query`.
#[derive(Subcommand, Debug)]
pub(crate) enum QueryVerb {
    /// Print counters with their values
    Get {
        /// Print only the sum of the values
        #[arg(long)]
        sum: bool,
        /// Set the printed totals to zero
        #[arg(long)]
        reset: bool,
        /// Name with * and ?
        #[arg(required = true)]
        patterns: Vec<String>,
    },
    /// Names
    List {
        /// Name with * and ?
        #[arg(default_value = "*")]
        patterns: Vec<String>,
    },
}

/// Options of `config`.
#[derive(Args, Debug)]
pub(crate) struct ConfigOptions {
    /// Print the identifier of the configuration in use
    #[arg(short = 'i', long)]
    id: bool,
    /// Print it as one text, with includes and blocks expanded
    #[arg(short = 'p', long)]
    preprocessed: bool,
    /// Check the configuration file in its current state, without switching to it
    #[arg(short = 'V', long)]
    verify: bool,
    /// Print the parts that `--skip-unsupported` left out and that are not running
    #[arg(long)]
    skipped: bool,
}

/// The conventions that the output follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Caller {
    /// `duramen ctl`: failures go to standard error.
    Ctl,
    /// `syslog-ng-ctl`: everything goes to standard output, without the `OK` in front.
    OldName,
}

impl Caller {
    fn answer(self, text: &str) -> &str {
        match self {
            Caller::Ctl => text,
            Caller::OldName => text.strip_prefix("OK ").unwrap_or(text),
        }
    }

    fn refusal(self, text: &str) {
        match self {
            Caller::Ctl => terminal::complain_styled(text),
            Caller::OldName => out!("{text}"),
        }
    }
}

/// The options that make no command.
#[derive(Debug)]
enum CtlOptionsError {
    /// A switch is neither on nor off.
    Switch(String),
    /// A password without a key file.
    NoKeyFile,
    /// No password can be read from the terminal.
    Password(io::Error),
}

impl fmt::Display for CtlOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CtlOptionsError::Switch(other) => write!(f, "{other} is neither on nor off"),
            CtlOptionsError::NoKeyFile => f.write_str("which key file? ctl credentials add FILE [PASSWORD]"),
            CtlOptionsError::Password(error) => write!(f, "cannot read a password: {error}"),
        }
    }
}

impl std::error::Error for CtlOptionsError {}

/// Sends the verb's commands.
pub(crate) fn run(options: &CtlOptions, caller: Caller) -> ExitCode {
    if let CtlVerb::Tap(tap) = &options.verb {
        return tap.run(&options.control);
    }
    let commands = match commands(&options.verb) {
        Ok(commands) => commands,
        Err(error) => {
            errln!("duramen: {error}");
            return ExitCode::from(2);
        }
    };
    for command in commands {
        match ask(&options.control, &command, answer_within(&options.verb)) {
            Ok(Reply::Done(text)) => match &options.verb {
                CtlVerb::Stats(stats) => out!("{}", stats.shown(caller.answer(&text))),
                CtlVerb::Config(_) => terminal::print_exactly(caller.answer(&text)),
                _ => out!("{}", caller.answer(&text)),
            },
            Ok(Reply::Failed(text)) => {
                caller.refusal(&text);
                return ExitCode::FAILURE;
            }
            Err(error) => {
                errln!("duramen: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Returns the longest wait for the server's answer.
fn answer_within(verb: &CtlVerb) -> Duration {
    match verb {
        CtlVerb::Healthcheck { timeout: Some(seconds) } => Duration::from_secs((*seconds).max(1)),
        _ => ANSWER_TIMEOUT,
    }
}

/// The commands of the control protocol.
fn commands(verb: &CtlVerb) -> Result<Vec<String>, CtlOptionsError> {
    Ok(match verb {
        // This verb has a connection of its own, see `run`.
        CtlVerb::Tap(_) => Vec::new(),
        CtlVerb::Credentials { verb } => vec![credentials(verb)?],
        CtlVerb::Stats(options) if options.reset => vec!["RESET_STATS".into()],
        CtlVerb::Stats(options) if options.remove_orphans => vec!["REMOVE_ORPHANED_STATS".into()],
        CtlVerb::Stats(options) => {
            vec![format!("STATS {}", options.format.as_deref().unwrap_or("csv").to_uppercase())]
        }
        CtlVerb::Query { verb: QueryVerb::Get { sum, reset, patterns } } => {
            let word = match (sum, reset) {
                (false, false) => "GET",
                (false, true) => "GET_RESET",
                (true, false) => "GET_SUM",
                (true, true) => "GET_SUM_RESET",
            };
            patterns.iter().map(|pattern| format!("QUERY {word} {pattern}")).collect()
        }
        CtlVerb::Query { verb: QueryVerb::List { patterns } } => {
            patterns.iter().map(|pattern| format!("QUERY LIST {pattern}")).collect()
        }
        CtlVerb::Reload => vec!["RELOAD".into()],
        CtlVerb::Reopen => vec!["REOPEN".into()],
        CtlVerb::Stop => vec!["STOP".into()],
        CtlVerb::Healthcheck { .. } => vec!["HEALTHCHECK".into()],
        CtlVerb::Config(options) if options.id => vec!["CONFIG ID".into()],
        CtlVerb::Config(options) if options.verify => vec!["CONFIG VERIFY".into()],
        CtlVerb::Config(options) if options.skipped => vec!["CONFIG SKIPPED".into()],
        CtlVerb::Config(options) if options.preprocessed => vec!["CONFIG GET PREPROCESSED".into()],
        CtlVerb::ListFiles => vec!["LISTFILES".into()],
        CtlVerb::ShowLicenseInfo => vec!["LICENSE".into()],
        CtlVerb::ExportConfigGraph => vec!["EXPORT_CONFIG_GRAPH".into()],
        CtlVerb::Verbose(options) => vec![options.command("VERBOSE")?],
        CtlVerb::Debug(options) => vec![options.command("DEBUG")?],
        CtlVerb::Trace(options) => vec![options.command("TRACE")?],
        CtlVerb::Config(_) => vec!["CONFIG GET ORIGINAL".into()],
        CtlVerb::LogLevel { level: Some(level) } => vec![format!("LOG LEVEL {}", level.to_uppercase())],
        CtlVerb::LogLevel { level: None } => vec!["LOG LEVEL".into()],
    })
}

fn credentials(verb: &CredentialsVerb) -> Result<String, CtlOptionsError> {
    let CredentialsVerb::Add { key, secret, id, word } = verb else { return Ok("PWD STATUS".into()) };
    let key = key.as_ref().or(id.as_ref()).ok_or(CtlOptionsError::NoKeyFile)?;
    let secret = match secret.as_ref().or(word.as_ref()) {
        Some(secret) => secret.clone(),
        None => rpassword::prompt_password(format!("Password of {}: ", key.display()))
            .map_err(CtlOptionsError::Password)?,
    };
    // A line of the protocol: the password is the rest of it, blanks and all.
    Ok(format!("PWD ADD {} {secret}", key.display()))
}

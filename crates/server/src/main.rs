//! Duramen: the one binary. It assembles a configuration into running parts, and asks a running server.
//!
//! In: a command line. Out: a server, or one answer. Called by an old name (`loggen`, `syslog-ng`,
//! `syslog-ng-ctl`) it takes that program's options.

mod assemble;
mod loggen;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Central log server: collects, processes, keeps and finds syslog messages.
#[derive(Parser)]
#[command(name = "duramen", version, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Send messages at a rate (the options of syslog-ng's loggen)
    Loggen(loggen::Options),
}

fn main() -> ExitCode {
    match CommandLine::parse().verb {
        Verb::Loggen(options) => loggen::run(&options),
    }
}

//! `duramen rules`: checks rules that watch messages, tries them on the history of a logspace, shows their state.
//!
//! In: files of rules, a logspace. Out: what is wrong with the rules; what they would have reported. Exit status 0
//! when nothing is wrong, 1 when something is, 2 when a file or a logspace cannot be read.

mod backtest;
mod check;
mod files;
mod import;
mod show;
mod state;

use super::logspace::status;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Options of `rules`.
#[derive(Args, Debug)]
pub(crate) struct RulesOptions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Read files of rules and report every error in them
    Check(check::Options),
    /// Import rules of the Sigma project: writes a file of rules, and names those that cannot be expressed; exit
    /// status 1 when there are such
    Import(import::Options),
    /// Show how far the rules of the server have come, which messages they have missed, and what fires; exit status 1
    /// when there are messages that they have missed
    State(state::Options),
    /// Show what rules would have reported over the sealed messages of a logspace; exit status 1 when some of them
    /// cannot be read
    Test(backtest::Options),
}

/// Runs the verb.
pub(crate) fn run(options: &RulesOptions) -> ExitCode {
    match &options.verb {
        Verb::Check(options) => status(check::run(options)),
        Verb::Import(options) => status(import::run(options)),
        Verb::State(options) => status(state::run(options)),
        Verb::Test(options) => status(backtest::run(options)),
    }
}

#[cfg(test)]
mod tests;

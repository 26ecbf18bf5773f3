//! `duramen patterndb`, and `pdbtool`: tries, tests and makes pattern databases.
//!
//! In: a command line in pdbtool's terms. Out: text and an exit status as pdbtool's. Holds nothing.
//! Limits: `--module` and `--module-path` are accepted and ignored: everything is built in.

mod database;
mod matching;
mod merging;
mod patternizing;
mod testing;

use clap::{Args, Subcommand};
use database::{DatabaseOptions, load};
use pipeline::patterndb::Dictionary;
use std::process::ExitCode;

/// Options of `patterndb`.
#[derive(Args, Debug)]
pub(crate) struct PatterndbOptions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Match a message against the pattern database
    Match(matching::Options),
    /// Test pattern databases with their examples
    Test(testing::Options),
    /// Merge pattern databases
    Merge(merging::Options),
    /// Dump the tree of patterns
    Dump(DumpOptions),
    /// Create a pattern database from logs
    Patternize(patternizing::Options),
    /// List the names of values, or the tags
    Dictionary(DictionaryOptions),
}

#[derive(Args, Debug)]
struct DumpOptions {
    #[command(flatten)]
    database: DatabaseOptions,
    /// Program name ($PROGRAM) to dump
    #[arg(short = 'P', long)]
    program: Option<String>,
    /// Dump the program ($PROGRAM) tree
    #[arg(short = 'T', long)]
    program_tree: bool,
}

#[derive(Args, Debug)]
struct DictionaryOptions {
    #[command(flatten)]
    database: DatabaseOptions,
    /// Program name ($PROGRAM) to dump
    #[arg(short = 'P', long)]
    program: Option<String>,
    /// Dump the tags in the rules instead of the value names
    #[arg(short = 'T', long)]
    dump_tags: bool,
}

/// Runs a verb.
pub(crate) fn run(options: &PatterndbOptions) -> ExitCode {
    match &options.verb {
        Verb::Match(options) => matching::run(options),
        Verb::Test(options) => testing::run(options),
        Verb::Merge(options) => merging::run(options),
        Verb::Dump(options) => dump(options),
        Verb::Patternize(options) => patternizing::run(options),
        Verb::Dictionary(options) => dictionary(options),
    }
}

fn dump(options: &DumpOptions) -> ExitCode {
    let path = &options.database.pdb;
    let Some(database) = load(path) else { return ExitCode::FAILURE };
    let file = path.display().to_string();
    match (&options.program, options.program_tree) {
        (_, true) => out!("{}", database.dump_programs(&file)),
        (Some(program), _) => out!("{}", database.dump_rules(program, &file).unwrap_or_default()),
        _ => errln!("Neither --program-tree nor --program was specified, doing nothing"),
    }
    ExitCode::SUCCESS
}

fn dictionary(options: &DictionaryOptions) -> ExitCode {
    let Some(database) = load(&options.database.pdb) else { return ExitCode::FAILURE };
    let kind = if options.dump_tags { Dictionary::Tags } else { Dictionary::Values };
    for name in database.dictionary(options.program.as_deref(), kind) {
        outln!("{name}");
    }
    ExitCode::SUCCESS
}

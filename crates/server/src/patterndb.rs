//! `duramen patterndb`, and `pdbtool`: tries, tests and makes pattern databases.
//!
//! In: a command line in pdbtool's terms. Out: text and an exit status as pdbtool's. Holds nothing.
//! Limits: `--module` and `--module-path` are read and mean nothing: everything is built in.

mod matching;
mod merging;
mod patternizing;
mod testing;

use crate::assemble::read_database;
use clap::{Args, Subcommand};
use pipeline::{
    Definitions,
    patterndb::{Database, Dictionary},
};
use std::{path::PathBuf, process::ExitCode};
use template::Version;

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

/// The database, and options that every verb of pdbtool takes.
#[derive(Args, Debug)]
struct DatabaseOptions {
    /// Name of the patterndb file
    #[arg(short, long, default_value = "/var/lib/syslog-ng/patterndb.xml")]
    pdb: PathBuf,
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Args, Debug)]
struct CommonOptions {
    /// Say more
    #[arg(short, long)]
    verbose: bool,
    /// Accepted for compatibility
    #[arg(short = 'd', hide = true)]
    diagnose: bool,
    /// Accepted for compatibility
    #[arg(short = 't', long, hide = true)]
    trace: bool,
    /// Accepted for compatibility
    #[arg(long, hide = true)]
    module: Option<String>,
    /// Accepted for compatibility
    #[arg(long, hide = true)]
    module_path: Option<String>,
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

/// Reads a database; complaints go to the standard error.
fn load(path: &std::path::Path) -> Option<Database> {
    match read_database(path, "", &Definitions::new(Version::CURRENT)) {
        Ok(database) => {
            for finding in &database.findings {
                errln!("{}:{}:{}: {}", path.display(), finding.line, finding.column, finding.reason);
            }
            Some(database)
        }
        Err(error) => {
            errln!("Error parsing pattern database file; filename='{}', error='{error}'", path.display());
            None
        }
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

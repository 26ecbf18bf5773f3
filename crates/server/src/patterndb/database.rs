//! The database of a verb, read from its file.
//!
//! In: the options that name it. Out: a database; on standard error its faults. Holds nothing.

use crate::assemble::read_database;
use clap::Args;
use pipeline::{Definitions, patterndb::Database};
use std::path::{Path, PathBuf};
use template::Version;

/// The database, and options that every verb of pdbtool takes.
#[derive(Args, Debug)]
pub(super) struct DatabaseOptions {
    /// Name of the patterndb file
    #[arg(short, long, default_value = "/var/lib/syslog-ng/patterndb.xml")]
    pub(super) pdb: PathBuf,
    #[command(flatten)]
    pub(super) common: CommonOptions,
}

/// Options that mean little here, which scripts may give.
#[derive(Args, Debug)]
pub(super) struct CommonOptions {
    /// Say more
    #[arg(short, long)]
    pub(super) verbose: bool,
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

/// Reads a database; complaints go to the standard error.
pub(super) fn load(path: &Path) -> Option<Database> {
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

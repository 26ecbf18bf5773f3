//! `patterndb merge`: one database of the files of a folder.
//!
//! In: a folder. Out: a file. Limits: after a file that is not well-formed nothing is written.

use super::database::CommonOptions;
use clap::Args;
use jiff::Zoned;
use pipeline::patterndb::{LoadError, merge};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// Name of the patterndb output file
    #[arg(short, long, default_value = "/var/lib/syslog-ng/patterndb.xml")]
    pdb: PathBuf,
    /// Recurse into subdirectories
    #[arg(short, long)]
    recursive: bool,
    /// Filenames to consider for merging
    #[arg(short = 'G', long, value_name = "PATTERN")]
    glob: Option<String>,
    /// Directory to merge pattern databases from
    #[arg(short = 'D', long)]
    directory: Option<PathBuf>,
    /// Sort files during merge (alphabetic order, files first, directories after); they always are
    #[arg(short, long)]
    sort: bool,
    #[command(flatten)]
    common: CommonOptions,
}

/// The reasons why databases are not merged.
#[derive(Debug)]
enum MergeError {
    /// `--glob` is not a pattern.
    Pattern { text: String, source: glob::PatternError },
    /// A folder cannot be listed.
    List { folder: PathBuf, source: io::Error },
    /// A database cannot be read.
    Read { file: PathBuf, source: io::Error },
    /// A database is not well-formed.
    Parse { file: PathBuf, source: LoadError },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Pattern { text, source } => write!(f, "wrong pattern {text}: {source}"),
            MergeError::List { folder, source } => {
                write!(f, "error getting filenames: {}: {source}", folder.display())
            }
            MergeError::Read { file, source } => {
                let file = file.display();
                write!(f, "Error reading pattern database file; filename='{file}', error='{source}'")
            }
            MergeError::Parse { file, source } => {
                let file = file.display();
                write!(f, "Error parsing pattern database file; filename='{file}', error='{file}:{source}'")
            }
        }
    }
}

impl std::error::Error for MergeError {}

/// The folders that files are collected from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Depth {
    /// The named folder alone.
    OneFolder,
    /// All folders below it too.
    AllBelow,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let Some(directory) = &options.directory else {
        errln!("No directory is specified to merge from");
        return ExitCode::FAILURE;
    };
    match merged(directory, options) {
        Ok(text) => match fs::write(&options.pdb, text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                errln!("Error storing patterndb; filename='{}', error='{error}'", options.pdb.display());
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            errln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn merged(directory: &Path, options: &Options) -> Result<String, MergeError> {
    let glob = match &options.glob {
        Some(text) => {
            let failed = |source| MergeError::Pattern { text: text.clone(), source };
            Some(glob::Pattern::new(text).map_err(failed)?)
        }
        None => None,
    };
    let mut files = Vec::new();
    let depth = if options.recursive { Depth::AllBelow } else { Depth::OneFolder };
    collect(directory, depth, glob.as_ref(), &mut files)?;
    let date = Zoned::now().strftime("%Y-%m-%d").to_string();
    let mut out =
        format!("<?xml version='1.0' encoding='UTF-8'?>\n<patterndb version='6' pub_date='{date}'>");
    for file in files {
        let read = fs::read_to_string(&file);
        let text = read.map_err(|source| MergeError::Read { file: file.clone(), source })?;
        merge(&text, &mut out).map_err(|source| MergeError::Parse { file, source })?;
    }
    out.push_str("</patterndb>\n");
    Ok(out)
}

/// Collects the files of a folder by name, then those of its folders.
fn collect(
    directory: &Path,
    depth: Depth,
    glob: Option<&glob::Pattern>,
    files: &mut Vec<PathBuf>,
) -> Result<(), MergeError> {
    let failed = |source| MergeError::List { folder: directory.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    let (folders, plain): (Vec<PathBuf>, Vec<PathBuf>) = entries.into_iter().partition(|path| path.is_dir());
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        glob.is_none_or(|glob| glob.matches(&name))
    };
    files.extend(plain.into_iter().filter(is_wanted));
    for folder in folders.iter().filter(|_| depth == Depth::AllBelow) {
        collect(folder, depth, glob, files)?;
    }
    Ok(())
}

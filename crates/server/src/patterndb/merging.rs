//! `patterndb merge`: one database of the files of a folder.
//!
//! In: a folder. Out: a file. Limits: a file that is not well-formed ends it; nothing is written then.

use super::CommonOptions;
use clap::Args;
use jiff::Zoned;
use pipeline::patterndb::merge;
use std::{
    fs,
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

fn merged(directory: &Path, options: &Options) -> Result<String, String> {
    let glob = match &options.glob {
        Some(text) => {
            Some(glob::Pattern::new(text).map_err(|error| format!("wrong pattern {text}: {error}"))?)
        }
        None => None,
    };
    let mut files = Vec::new();
    collect(directory, options.recursive, glob.as_ref(), &mut files)?;
    let date = Zoned::now().strftime("%Y-%m-%d").to_string();
    let mut out =
        format!("<?xml version='1.0' encoding='UTF-8'?>\n<patterndb version='6' pub_date='{date}'>");
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| {
            format!("Error reading pattern database file; filename='{}', error='{error}'", file.display())
        })?;
        merge(&text, &mut out).map_err(|error| {
            let file = file.display();
            format!("Error parsing pattern database file; filename='{file}', error='{file}:{error}'")
        })?;
    }
    out.push_str("</patterndb>\n");
    Ok(out)
}

/// The files of a folder by name, then those of its folders.
fn collect(
    directory: &Path,
    recursive: bool,
    glob: Option<&glob::Pattern>,
    files: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let told = |error: std::io::Error| format!("error getting filenames: {}: {error}", directory.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(told)? {
        entries.push(entry.map_err(told)?.path());
    }
    entries.sort();
    let (folders, plain): (Vec<PathBuf>, Vec<PathBuf>) = entries.into_iter().partition(|path| path.is_dir());
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        glob.is_none_or(|glob| glob.matches(&name))
    };
    files.extend(plain.into_iter().filter(is_wanted));
    for folder in folders.iter().filter(|_| recursive) {
        collect(folder, recursive, glob, files)?;
    }
    Ok(())
}

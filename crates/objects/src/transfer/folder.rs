//! Files of objects in a folder, as bytes: read for an import, written by an export.
//!
//! In: a folder. Out: its files, or the problems of those that cannot be read. Holds nothing.
//! Limits: those of the folder of objects, and [`FILES_BYTES_MAX`] for all files together.

use crate::{
    file::ObjectFile,
    limits::{FILES_BYTES_MAX, FILES_MAX},
    provisioned::{Problem, ProblemReason, bytes_of, files},
};
use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The reasons why a folder cannot be read or written.
#[derive(Debug)]
pub enum FolderError {
    /// The folder or a file in it cannot be used.
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Files have faults: all of them are named.
    Files(Vec<Problem>),
    /// All files together are too large.
    Size {
        /// The folder.
        path: PathBuf,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderError::Io { path, source } => write!(f, "cannot use {}: {source}", path.display()),
            FolderError::Files(problems) => {
                let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            FolderError::Size { path } => {
                write!(f, "the files of {} have more than {FILES_BYTES_MAX} bytes", path.display())
            }
        }
    }
}

impl std::error::Error for FolderError {}

/// Reads the files of a folder that end in `.json`, sorted by name. Folders inside are not read.
pub fn read_folder(folder: &Path) -> Result<Vec<ObjectFile>, FolderError> {
    let failed = |source| FolderError::Io { path: folder.to_owned(), source };
    let (mut read, mut problems, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (number, path) in files(folder).map_err(failed)?.into_iter().enumerate() {
        if number == FILES_MAX {
            problems.push(Problem { path, reason: ProblemReason::Count });
            break;
        }
        match bytes_of(&path) {
            Ok(found) => {
                bytes += found.len();
                if bytes > FILES_BYTES_MAX {
                    return Err(FolderError::Size { path: folder.to_owned() });
                }
                read.push(ObjectFile { path, bytes: found });
            }
            Err(reason) => problems.push(Problem { path, reason }),
        }
    }
    if problems.is_empty() { Ok(read) } else { Err(FolderError::Files(problems)) }
}

/// Writes files into a folder, which is made when it is not there. Returns the paths of other files of objects in it, which
/// stay as they are.
pub fn write_folder(folder: &Path, written: &[ObjectFile]) -> Result<Vec<PathBuf>, FolderError> {
    let failed = |path: &Path, source| FolderError::Io { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let mut paths = Vec::new();
    for file in written {
        // Only the name counts: a file is written into this folder and nowhere else.
        let name =
            file.path.file_name().ok_or_else(|| failed(&file.path, io::ErrorKind::InvalidInput.into()))?;
        let path = folder.join(name);
        replace(&path, &file.bytes).map_err(|source| failed(&path, source))?;
        paths.push(path);
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| failed(folder, source))?;
    paths.sort_unstable();
    let mut others = files(folder).map_err(|source| failed(folder, source))?;
    others.retain(|path| paths.binary_search(path).is_err());
    Ok(others)
}

/// Replaces a file in one step; one that is the same stays.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if bytes_of(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let fresh = path.with_extension("new");
    // Queries may name people: others need not read them.
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o640).open(&fresh)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&fresh, path)
}

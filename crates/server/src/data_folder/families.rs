//! The folders of logspaces whose name has macros, a family. Each has a file that says which family it belongs to, and its number in it.
//!
//! In: names. Out: folders, found again at a start. Holds nothing.
//! Limits: a folder without that file, or with that of another family, is never used.

use std::{
    fmt, fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The file that names the family: the logspace's number in it, and the name with macros, a line each.
const FAMILY: &str = "family";
/// Longest such file that is read.
const FAMILY_BYTES_MAX: u64 = 4096;

/// The reasons why a folder is not made.
#[derive(Debug)]
pub(crate) enum MakeFolderError {
    /// A folder of this name is there and belongs to nobody or to others.
    Taken { path: PathBuf },
    /// The disk.
    Io { path: PathBuf, source: io::Error },
}

impl fmt::Display for MakeFolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MakeFolderError::Taken { path } => write!(f, "{} belongs to another logspace", path.display()),
            MakeFolderError::Io { path, source } => write!(f, "cannot make {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for MakeFolderError {}

/// Returns the numbers and the names of the logspaces of a family, in the order in which they were made.
pub(crate) fn found(root: &Path, template: &str) -> io::Result<Vec<(u64, String)>> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        if let Some((number, of)) = family_of(&entry.path())?
            && of == template
        {
            found.push((number, name));
        }
    }
    found.sort();
    Ok(found)
}

/// Makes the folder of a logspace, or finds one that was made for it before.
pub(crate) fn make(root: &Path, name: &str, template: &str, number: u64) -> Result<(), MakeFolderError> {
    let path = root.join(name);
    let failed = |source| MakeFolderError::Io { path: path.clone(), source };
    if fs::symlink_metadata(&path).is_ok() {
        return match family_of(&path).map_err(failed)? {
            Some((_, of)) if of == template => Ok(()),
            _ => Err(MakeFolderError::Taken { path }),
        };
    }
    // The folder appears under its name only with the file in it.
    let new = root.join(format!(".new-{name}"));
    let make = || {
        if fs::symlink_metadata(&new).is_ok() {
            fs::remove_dir_all(&new)?;
        }
        journal::make_private_folders(&new)?;
        let mut file = fs::OpenOptions::new();
        let mut file = file.write(true).create_new(true).mode(0o600).open(new.join(FAMILY))?;
        write!(file, "{number}\n{template}\n")?;
        file.sync_all()?;
        fs::File::open(&new)?.sync_all()?;
        fs::rename(&new, &path)?;
        fs::File::open(root)?.sync_all()
    };
    make().map_err(failed)
}

/// Returns the number of a logspace in its family, and the family's name; `None` for one that belongs to none.
pub(crate) fn family_of(folder: &Path) -> io::Result<Option<(u64, String)>> {
    let path = folder.join(FAMILY);
    match fs::metadata(&path) {
        Ok(data) if data.is_file() && data.len() <= FAMILY_BYTES_MAX => {}
        Ok(_) => return Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let text = fs::read(&path)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.split_once('\n').and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
    Ok(lines.map(|(number, rest)| (number, rest.strip_suffix('\n').unwrap_or(rest).to_owned())))
}

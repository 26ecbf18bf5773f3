//! Private files that are replaced in one step.
//!
//! In: a path, bytes. Out: a file that only its owner may read, with the old bytes or the new ones and never half of
//! them, also after a crash; its bytes; a lock for those who read a file and then replace it. Holds nothing.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Locks the folder of a file against other processes and threads that change its files, until the result is dropped. The
/// folder is made when it is not there. A lock file of its own would belong to the user who made it first.
pub fn lock(path: &Path) -> io::Result<File> {
    let folder = File::open(made_folder(path)?)?;
    folder.lock()?;
    Ok(folder)
}

/// The folder of a file, which is made when it is not there.
fn made_folder(path: &Path) -> io::Result<&Path> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    Ok(folder)
}

/// Returns at most this many bytes of a file; `None` when it is not there.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(most_bytes).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(bytes))
}

/// Replaces a file, durably; its folder is made when it is not there.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = made_folder(path)?;
    let fresh = path.with_extension("new");
    // A leftover file may be readable for others, or a link.
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut out = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&fresh)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    //! A file that is there, one that is not, and leftovers.

    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_file_is_replaced_and_stays_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inner/a.json");
        for text in ["one", "two, and longer"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "untouched").unwrap();
        symlink(&elsewhere, path.with_extension("new")).unwrap();
        replace(&path, b"three").unwrap();
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!path.with_extension("new").exists());
        fs::create_dir(path.with_extension("new")).unwrap();
        let error = replace(&path, b"four").unwrap_err();
        assert_ne!(error.kind(), io::ErrorKind::AlreadyExists, "what is in the way is named: {error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    }
}

//! Files and folders that only their owner may read: they hold messages, keys, or who may see them.
//!
//! In: paths. Out: the same with modes that do not depend on the umask. Holds: nothing.
//! Limits: existing files keep their mode until [`tighten`] is called.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

/// Mode of such files.
const FILE_MODE: u32 = 0o600;
/// Mode of such folders.
const FOLDER_MODE: u32 = 0o700;
/// Permissions of all but the owner.
const OTHERS: u32 = 0o077;
/// Most levels that [`tighten`] descends: a logspace has year, day and file.
const DEPTH_MAX: usize = 8;

/// Returns options that create files for their owner only.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(FILE_MODE);
    options
}

/// Creates an empty file for its owner only, or empties one that exists.
pub fn create_private(path: &Path) -> io::Result<File> {
    private_file().write(true).create(true).truncate(true).open(path)
}

/// Makes a folder and those above it that are missing, for their owner only.
pub fn make_private_folders(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)
}

/// Takes the permissions of others from a file, or from a folder and all that is in it; links are left alone and not
/// followed. Returns how many had any.
pub fn tighten(path: &Path) -> io::Result<u64> {
    tighten_below(path, DEPTH_MAX)
}

fn tighten_below(path: &Path, depth: usize) -> io::Result<u64> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        found => found?,
    };
    if !found.is_dir() && !found.is_file() {
        return Ok(0);
    }
    let mut count = 0;
    let mode = found.permissions().mode();
    if mode & OTHERS != 0 {
        fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))?;
        count += 1;
    }
    if found.is_dir() && depth > 0 {
        for entry in fs::read_dir(path)? {
            count += tighten_below(&entry?.path(), depth - 1)?;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn m1_only_the_owner_reads_what_is_made_and_what_was_there() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("one/two");
        make_private_folders(&folder).unwrap();
        let file = folder.join("file");
        drop(create_private(&file).unwrap());
        assert_eq!((mode(&root.path().join("one")), mode(&folder), mode(&file)), (0o700, 0o700, 0o600));
        assert_eq!(tighten(&root.path().join("one")).unwrap(), 0);
        let outside = root.path().join("outside");
        fs::write(&outside, "").unwrap();
        for (path, mode) in [(&folder, 0o755), (&file, 0o644), (&outside, 0o644)] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink(&outside, folder.join("link")).unwrap();
        assert_eq!(tighten(&root.path().join("one")).unwrap(), 2);
        assert_eq!((mode(&folder), mode(&file), mode(&outside)), (0o700, 0o600, 0o644));
        assert_eq!(tighten(&root.path().join("nothing")).unwrap(), 0);
        assert!(tighten(&file.join("below")).is_err(), "a file holds no file");
        fs::write(&file, "old").unwrap();
        drop(create_private(&file).unwrap());
        assert_eq!(fs::metadata(&file).unwrap().len(), 0);
    }

    #[test]
    fn folders_are_tightened_to_a_depth() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = root.path().join("0");
        let mut folders = Vec::new();
        for level in 0..=DEPTH_MAX + 1 {
            fs::create_dir(&folder).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
            folders.push(folder.clone());
            folder.push((level + 1).to_string());
        }
        assert_eq!(tighten(&folders[0]).unwrap(), DEPTH_MAX as u64 + 1);
        let modes: Vec<u32> = folders.iter().map(|folder| mode(folder)).collect();
        assert_eq!(modes[..=DEPTH_MAX], [0o700; DEPTH_MAX + 1]);
        assert_eq!(modes[DEPTH_MAX + 1..], [0o750]);
    }
}

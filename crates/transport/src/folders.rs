//! Owner and mode of created files, and creation of the folders that they need.
//!
//! In: a path, owner and mode. Out: its folders exist. Holds: nothing. Limits: existing folders are unchanged.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt, chown},
    path::Path,
};

/// Owner and mode of created files; `None` leaves the system's choice.
#[derive(Clone, Debug, Default)]
pub struct FilePermissions {
    /// `owner()` as a number.
    pub owner: Option<u32>,
    /// `group()` as a number.
    pub group: Option<u32>,
    /// `perm()`; syslog-ng creates files with 0600.
    pub mode: Option<u32>,
}

/// Mode of created folders, as syslog-ng's.
const FOLDER_MODE: u32 = 0o700;

/// Makes a folder and those above it, with owner and mode as `wanted`. An existing one is unchanged.
pub fn create(folder: &Path, wanted: &FilePermissions) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create(parent, wanted)?;
    }
    match DirBuilder::new().mode(wanted.mode.unwrap_or(FOLDER_MODE)).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    }
    if wanted.owner.is_some() || wanted.group.is_some() {
        chown(folder, wanted.owner, wanted.group)?;
    }
    match wanted.mode {
        Some(mode) => fs::set_permissions(folder, Permissions::from_mode(mode)),
        None => Ok(()),
    }
}

/// Makes the folders of a path; `None`: they are not to be made.
pub fn create_above(path: &Path, wanted: Option<&FilePermissions>) -> io::Result<()> {
    match (wanted, path.parent()) {
        (Some(wanted), Some(folder)) => create(folder, wanted),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;

//! Opening a file for appending, with its folders, owner and mode.
//!
//! In: a path. Out: an open file. Holds: nothing.
//! Limits: a name with parts from messages is never followed through a link at its end, and must be a
//! regular file; a name from the configuration alone may be a link or a device (`/dev/tty10`).

use crate::options::{FileTarget, Rotation};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown, symlink},
    path::{Path, PathBuf},
};
use transport::{FilePermissions, folders};

/// Mode of created files, as syslog-ng's.
const FILE_MODE: u32 = 0o600;

/// Opens for appending.
pub(super) fn append(path: &Path, target: &FileTarget) -> io::Result<File> {
    if target.create_folders {
        folders::create(folder(path), &target.folder_permissions)?;
    }
    let constant = target.name.constant().is_some();
    let mut flags = libc::O_NOCTTY;
    if !constant {
        flags |= libc::O_NOFOLLOW | libc::O_NONBLOCK;
    }
    let mode = target.permissions.mode.unwrap_or(FILE_MODE);
    let file = OpenOptions::new().append(true).create(true).mode(mode).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !constant && !metadata.is_file() {
        return Err(io::Error::from_raw_os_error(libc::ELOOP));
    }
    if metadata.is_file() {
        set_permissions(&file, &target.permissions)?;
        if let Some(age) = target.overwrite_if_older
            && metadata.modified()?.elapsed().is_ok_and(|elapsed| elapsed > age)
        {
            file.set_len(0)?;
        }
    }
    if let Some(link) = &target.link {
        point(link, path)?;
    }
    Ok(file)
}

/// File systems of other machines or other processes: a write there may take arbitrarily long.
const REMOTE: [u32; 8] = [
    0x0000_6969, // NFS
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB
    0x6573_5546, // FUSE
    0x00C3_6400, // Ceph
    0x0102_1997, // 9P
    0x5346_414F, // AFS
    0x0BD0_0BD0, // Lustre
];

/// Returns whether it is a regular file on a disk of this machine, or in its memory.
pub(super) fn is_local(file: &File) -> bool {
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    // The field's width differs between machines; the numbers have 32 bits.
    is_regular && rustix::fs::fstatfs(file).is_ok_and(|system| !REMOTE.contains(&(system.f_type as u32)))
}

/// Returns how many bytes go into an open file before it is large enough to be put aside; a file that is not
/// regular never is.
pub(super) fn room(metadata: &Metadata, rotation: &Rotation) -> usize {
    if !metadata.is_file() {
        return usize::MAX;
    }
    usize::try_from(rotation.bytes.saturating_sub(metadata.len())).unwrap_or(usize::MAX)
}

/// Returns true when a path still leads to an open file: someone else may have removed it or put it aside.
pub(super) fn is_there(open: &Metadata, path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(named) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
        // An error when checking does not mean that it is gone.
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Rotates a file: `NAME` becomes `NAME.1`, that becomes `NAME.2`, and so on.
pub(super) fn put_aside(path: &Path, kept: u32) -> io::Result<()> {
    for number in (1..kept.max(1)).rev() {
        match fs::rename(aside(path, number), aside(path, number + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, aside(path, 1))
}

/// The folder of a path, for messages.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn aside(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// Points a link to a file, atomically. Anything else with the link's name is left alone.
fn point(link: &Path, path: &Path) -> io::Result<()> {
    let target = std::path::absolute(path)?;
    match fs::symlink_metadata(link) {
        Ok(metadata) if !metadata.is_symlink() => {
            let reason = format!("symlink-as(): {} is there and is no link", link.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, reason));
        }
        Ok(_) if fs::read_link(link).is_ok_and(|known| known == target) => return Ok(()),
        _ => {}
    }
    let mut fresh = link.as_os_str().to_owned();
    fresh.push(".new");
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => symlink(target, &fresh)?,
    }
    fs::rename(fresh, link)
}

/// Returns true when retrying cannot help: the fault is in the name, not in the disk.
pub(super) fn is_final(error: &io::Error) -> bool {
    let codes = [
        libc::EACCES,
        libc::EPERM,
        libc::EISDIR,
        libc::ENOTDIR,
        libc::ELOOP,
        libc::ENAMETOOLONG,
        libc::ENOENT,
        libc::EINVAL,
        libc::EILSEQ,
        libc::ENXIO,
    ];
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

fn set_permissions(file: &File, wanted: &FilePermissions) -> io::Result<()> {
    if wanted.owner.is_some() || wanted.group.is_some() {
        fchown(file, wanted.owner, wanted.group)?;
    }
    match wanted.mode {
        Some(mode) => file.set_permissions(Permissions::from_mode(mode)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

//! The archive: sealed segments in a directory of another file system, with a link to each in its old place.
//!
//! In: segments, a directory. Out: the same segments elsewhere, or back again. While the directory is attached, they
//! are searched, verified and exported through their links; while it is not, they are away, and said to be.
//! Limits: a move is copied, synced, compared byte by byte and recorded before anything is taken away: a power cut
//! leaves one whole copy in its place, at times two.

use super::{layout::TEMPORARY_ENDING, sealer::sync_folder};
use crate::Digest;
use aws_lc_rs::digest::{Context, SHA256};
use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// Says which logspace a directory is the archive of; where it is not, the archive is not attached.
pub(crate) const MARKER: &str = "duramen-archive";
/// Folders between an archive and its files: the year and the day.
const DEPTH: usize = 3;
/// Bytes copied at once.
const COPY_BYTES: usize = 1 << 20;

/// Where the file of a segment is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    /// In the logspace's directory.
    Here,
    /// In an archive that is attached.
    Archived(PathBuf),
    /// In an archive that is not attached.
    Away(PathBuf),
    /// Nowhere.
    Gone,
}

/// Where the file of a path is.
pub(crate) fn locate(path: &Path) -> Where {
    match fs::symlink_metadata(path) {
        Err(_) => Where::Gone,
        Ok(found) if !found.is_symlink() => Where::Here,
        Ok(_) => {
            let Ok(target) = fs::read_link(path) else { return Where::Gone };
            let is_attached = target.ancestors().nth(DEPTH).is_some_and(|root| root.join(MARKER).exists());
            match (is_attached, target.exists()) {
                (true, true) => Where::Archived(target),
                (true, false) => Where::Gone,
                (false, _) => Where::Away(target),
            }
        }
    }
}

/// Makes a directory the archive of a logspace, or finds that it is.
pub(crate) fn claim(root: &Path, logspace: &str) -> io::Result<()> {
    make_folders(root)?;
    let marker = root.join(MARKER);
    match fs::read_to_string(&marker) {
        Ok(text) if text.trim() == logspace => Ok(()),
        Ok(_) => Err(io::Error::other(format!("{} is the archive of another logspace", root.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut file = fs::File::create(&marker)?;
            file.write_all(format!("{logspace}\n").as_bytes())?;
            file.sync_all()?;
            sync_folder(root)
        }
        Err(error) => Err(error),
    }
}

/// Copies a file to a new place, durably, and compares the two; gives the digest of the file.
pub(crate) fn copy(source: &Path, target: &Path) -> io::Result<Digest> {
    let folder = target.parent().unwrap_or(target);
    make_folders(folder)?;
    let temporary = target.with_extension(TEMPORARY_ENDING);
    // Left of a copy that a crash cut short.
    let _ = fs::remove_file(&temporary);
    let mut out = fs::File::create_new(&temporary)?;
    let wanted = pass(&mut fs::File::open(source)?, &mut out)?;
    out.sync_all()?;
    drop(out);
    let found = pass(&mut fs::File::open(&temporary)?, &mut io::sink())?;
    if found != wanted {
        let _ = fs::remove_file(&temporary);
        return Err(io::Error::other(format!("{} does not read back as it was written", target.display())));
    }
    fs::rename(&temporary, target)?;
    sync_folder(folder)?;
    Ok(found)
}

/// Puts a link in the place of a file, in one step.
pub(crate) fn link(path: &Path, target: &Path) -> io::Result<()> {
    let temporary = path.with_extension(TEMPORARY_ENDING);
    let _ = fs::remove_file(&temporary);
    symlink(target, &temporary)?;
    fs::rename(&temporary, path)?;
    sync_folder(path.parent().unwrap_or(path))
}

/// Removes a segment's file, in the archive as well.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match locate(path) {
        Where::Gone if fs::symlink_metadata(path).is_err() => Ok(()),
        Where::Here | Where::Gone => fs::remove_file(path),
        Where::Archived(target) => {
            fs::remove_file(target)?;
            fs::remove_file(path)
        }
        Where::Away(target) => {
            Err(io::Error::other(format!("{} is in an archive that is not attached", target.display())))
        }
    }
}

fn pass(source: &mut fs::File, target: &mut dyn Write) -> io::Result<Digest> {
    let mut context = Context::new(&SHA256);
    let mut bytes = vec![0; COPY_BYTES];
    loop {
        let count = source.read(&mut bytes)?;
        if count == 0 {
            let digest = context.finish();
            return Digest::parse(&crate::hex(digest.as_ref())).ok_or_else(|| io::Error::other("no digest"));
        }
        let part = bytes.get(..count).unwrap_or_default();
        context.update(part);
        target.write_all(part)?;
    }
}

/// Makes folders, each durable in its parent.
fn make_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir_all(folder)?;
        if let Some(parent) = folder.parent() {
            sync_folder(parent)?;
        }
    }
    Ok(())
}

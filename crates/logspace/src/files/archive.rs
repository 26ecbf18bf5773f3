//! The archive: sealed segments in a directory of another file system, with a link to each at its old path.
//!
//! In: segments, a directory. Out: the same segments elsewhere, or back again. While the directory is attached,
//! they are searched, verified and exported through their links; while it is not, they are away and reported as
//! such.
//! Limits: a moved file is copied, synced, compared byte by byte and recorded before the original is removed: after
//! a power cut there is always one whole copy, and sometimes two.

use super::layout::{TEMPORARY_ENDING, sync_folder};
use aws_lc_rs::digest::{Context, SHA256};
use evidence::{Chain, Digest, Event};
use journal::{create_private, make_private_folders, private_file};
use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

/// Name of the file that says which logspace a directory is the archive of; without it, the archive is not
/// attached.
pub(crate) const MARKER: &str = "duramen-archive";
/// Folders between an archive and its files: the year and the day.
const DEPTH: usize = 3;
/// Bytes copied at once.
const COPY_BYTES: usize = 1 << 20;

/// Location of the file of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SegmentPlace {
    /// In the logspace's directory.
    Here,
    /// In an archive that is attached.
    Archived(PathBuf),
    /// In an archive that is not attached.
    Away(PathBuf),
    /// Nowhere.
    Gone,
    /// Something else is at its path: a link that no record of an archive explains, a folder, a device. It is never
    /// opened.
    Foreign,
}

impl SegmentPlace {
    /// Returns the file to open for the segment at a path below the logspace's directory; none when there is none
    /// to read.
    pub fn file(&self, dir: &Path, path: &Path) -> Option<PathBuf> {
        match self {
            SegmentPlace::Here => Some(dir.join(path)),
            SegmentPlace::Archived(target) => Some(target.clone()),
            _ => None,
        }
    }

    /// Returns the reason why there is no file to open; empty when there is one.
    pub fn why_unread(&self) -> &'static str {
        match self {
            SegmentPlace::Here | SegmentPlace::Archived(_) => "",
            SegmentPlace::Away(_) => "it is in an archive that is not attached",
            SegmentPlace::Gone => "it is not there",
            SegmentPlace::Foreign => {
                "in its place is a link that no record of an archive explains, or no file"
            }
        }
    }
}

/// Locates the file of the segment at a path below a logspace's directory. A link is followed only when the chain
/// says that the segment went exactly there: no other link leads out of the directory.
pub fn locate(dir: &Path, path: &Path, chain: &Chain) -> SegmentPlace {
    let whole = dir.join(path);
    let Ok(found) = fs::symlink_metadata(&whole) else { return SegmentPlace::Gone };
    if found.is_file() {
        return if folders_are_real(dir, path) { SegmentPlace::Here } else { SegmentPlace::Foreign };
    }
    let first = first_of(path);
    let place = first.and_then(|first| chain.archive_place(first));
    let target = found.is_symlink().then(|| fs::read_link(&whole).ok()).flatten();
    let Some((target, first)) = target.filter(|target| Some(target) == place.as_ref()).zip(first) else {
        return SegmentPlace::Foreign;
    };
    match locate_archived(&target) {
        // It was brought back: only a copy that a crash left may still be read there.
        SegmentPlace::Away(_) if !matches!(chain.last_move(first), Some(Event::Archive(_))) => {
            SegmentPlace::Foreign
        }
        place => place,
    }
}

/// Locates a segment that, according to the chain, is at this path of the archive.
pub(crate) fn locate_archived(target: &Path) -> SegmentPlace {
    let root = target.ancestors().nth(DEPTH);
    let Some(root) = root.filter(|root| root.join(MARKER).exists()) else {
        return SegmentPlace::Away(target.to_owned());
    };
    let is_inside = || target.strip_prefix(root).is_ok_and(|path| folders_are_real(root, path));
    match fs::symlink_metadata(target) {
        Err(_) => SegmentPlace::Gone,
        Ok(found) if found.is_file() && is_inside() => SegmentPlace::Archived(target.to_owned()),
        Ok(_) => SegmentPlace::Foreign,
    }
}

/// Returns the sequence number in the name of a segment's file.
pub(crate) fn first_of(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Returns true when no folder between a directory and a file in it is a link.
fn folders_are_real(dir: &Path, path: &Path) -> bool {
    let mut folder = dir.to_owned();
    let above = path.parent().into_iter().flatten();
    above.into_iter().all(|part| {
        folder.push(part);
        fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir())
    })
}

/// Marks a directory as the archive of a logspace, unless it is marked already.
pub(crate) fn claim(root: &Path, logspace: &str) -> io::Result<()> {
    make_folders(root)?;
    let marker = root.join(MARKER);
    match fs::read_to_string(&marker) {
        Ok(text) if text.trim() == logspace => Ok(()),
        Ok(_) => Err(io::Error::other(format!("{} is the archive of another logspace", root.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut file = create_private(&marker)?;
            file.write_all(format!("{logspace}\n").as_bytes())?;
            file.sync_all()?;
            sync_folder(root)
        }
        Err(error) => Err(error),
    }
}

/// Copies a file, durably, compares the two, and returns the digest of the file.
pub(crate) fn copy(source: &Path, target: &Path) -> io::Result<Digest> {
    assert_ne!(source, target, "a file copied onto itself");
    let folder = target.parent().unwrap_or(target);
    make_folders(folder)?;
    let temporary = target.with_extension(TEMPORARY_ENDING);
    // What is left of a copy that a crash interrupted.
    let _ = fs::remove_file(&temporary);
    let mut out = private_file().write(true).create_new(true).open(&temporary)?;
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

/// Replaces a file by a link, in one step.
pub(crate) fn link(path: &Path, target: &Path) -> io::Result<()> {
    let temporary = path.with_extension(TEMPORARY_ENDING);
    let _ = fs::remove_file(&temporary);
    symlink(target, &temporary)?;
    fs::rename(&temporary, path)?;
    sync_folder(path.parent().unwrap_or(path))
}

/// Removes a segment's file, in the archive as well. A file that is not the segment's stays.
pub(crate) fn remove(dir: &Path, path: &Path, chain: &Chain) -> io::Result<()> {
    let whole = dir.join(path);
    match locate(dir, path, chain) {
        // Including a link to a file that is gone from the archive.
        SegmentPlace::Gone if fs::symlink_metadata(&whole).is_err() => Ok(()),
        SegmentPlace::Here | SegmentPlace::Gone => fs::remove_file(whole),
        SegmentPlace::Archived(target) => {
            fs::remove_file(target)?;
            fs::remove_file(whole)
        }
        SegmentPlace::Away(target) => {
            Err(io::Error::other(format!("{} is in an archive that is not attached", target.display())))
        }
        SegmentPlace::Foreign => {
            Err(io::Error::other(format!("{} is not the segment's file", whole.display())))
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
            return Digest::parse(&evidence::hex(digest.as_ref()))
                .ok_or_else(|| io::Error::other("no digest"));
        }
        let part = bytes.get(..count).unwrap_or_default();
        context.update(part);
        target.write_all(part)?;
    }
}

/// Creates folders, each durable in its parent.
fn make_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    for folder in missing.into_iter().rev() {
        make_private_folders(folder)?;
        if let Some(parent) = folder.parent() {
            sync_folder(parent)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

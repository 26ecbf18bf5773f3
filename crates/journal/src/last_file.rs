//! The file that a journal writes to.
//!
//! In: staged bytes. Out: the same at the end of the file, all of them or none.
//! Holds: the file and the length of its valid part. Limits: none of its own.

use crate::{
    disk::{Disk, DiskFile},
    file::{FileHistory, HEADER_BYTES, JournalFile, encode_header},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Error of making staged records durable. They stay staged: call [`crate::Journal::commit`] again.
#[derive(Debug)]
pub struct CommitError {
    /// The file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

impl std::fmt::Display for CommitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for CommitError {}

/// The last file of a journal.
pub(crate) struct LastFile {
    file: Box<dyn DiskFile>,
    /// Name, and where the next write goes.
    entry: JournalFile,
    /// The header, until it and the directory entry are kept.
    header: Option<[u8; HEADER_BYTES as usize]>,
    /// Bytes after the end may be left from a failed write.
    dirty: bool,
}

impl LastFile {
    /// Starts a new file, or one that will be written over.
    pub(crate) fn begun(
        file: Box<dyn DiskFile>,
        entry: JournalFile,
        salt: u32,
        history: FileHistory,
    ) -> LastFile {
        let header = Some(encode_header(entry.first, salt, history));
        LastFile { file, entry: JournalFile { length: HEADER_BYTES, ..entry }, header, dirty: false }
    }

    /// Continues an existing file.
    pub(crate) fn reopened(file: Box<dyn DiskFile>, entry: &JournalFile) -> LastFile {
        LastFile { file, entry: entry.clone(), header: None, dirty: false }
    }

    /// Returns the name and the kept length.
    pub(crate) fn entry(&self) -> JournalFile {
        self.entry.clone()
    }

    /// Writes after the kept bytes. Follow with [`LastFile::keep`] or [`LastFile::give_up`].
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.dirty {
            self.file.set_len(self.entry.length)?;
        }
        debug_assert!(self.entry.length >= HEADER_BYTES, "a record in the header");
        self.dirty = true;
        if let Some(header) = &self.header {
            self.file.write_at(0, header)?;
        }
        self.file.write_at(self.entry.length, bytes)
    }

    /// Makes what was written durable, and the name of a new file too.
    pub(crate) fn sync(&self, disk: &dyn Disk, dir: &Path) -> io::Result<()> {
        self.file.sync()?;
        if self.header.is_some() { disk.sync_dir(dir) } else { Ok(()) }
    }

    /// Accepts the bytes just written.
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.entry.length += bytes as u64;
        self.header = None;
        self.dirty = false;
    }

    /// Cuts off the bytes after the end of a file that was written over.
    pub(crate) fn trim(&self) -> io::Result<()> {
        self.file.set_len(self.entry.length)
    }

    /// Removes what arrived of a failed write; if even that fails, the next write tries again.
    pub(crate) fn give_up(&mut self, source: io::Error) -> CommitError {
        self.dirty = self.file.set_len(self.entry.length).is_err();
        CommitError { path: self.entry.path.clone(), source }
    }
}

//! The inputs of opening a logspace.
//!
//! In: a directory, the chain, the journal. Out: files that may be segments, with their outlines; errors.
//! Holds: references.

use super::error::OpenLogspaceError;
use crate::{
    evidence_log::EvidenceLog,
    files::{
        archive::{self, SegmentPlace},
        journal_cipher::JournalCipher,
    },
    options::Notices,
    segments::{Outline, Segments},
};
use evidence::Keys;
use journal::{Disk, Journal};
use lookup::{ReadError, SegmentView};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The parts of a logspace that is being opened.
pub(crate) struct Opening<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) segments: &'a dyn Segments,
    pub(crate) keys: &'a Keys,
    pub(crate) evidence_log: &'a mut EvidenceLog,
    pub(crate) journal: &'a Journal,
    pub(crate) cipher: &'a JournalCipher,
    pub(crate) dir: &'a Path,
    pub(crate) now_us: i64,
    pub(crate) notices: &'a dyn Notices,
}

impl Opening<'_> {
    /// Locates a file and reads its outline.
    pub(super) fn look_at(&self, path: PathBuf) -> Candidate {
        let place = archive::locate(self.dir, &path, self.evidence_log.chain());
        let outline = place.file(self.dir, &path).map(|file| self.segments.outline(&file));
        Candidate { path, place, outline }
    }

    /// Opens the segment in a file; none while it is locked.
    pub(super) fn open(&self, file: &Path) -> Result<Option<Arc<dyn SegmentView>>, ReadError> {
        match self.segments.open(file, self.keys) {
            Err(ReadError::Locked { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }
}

/// A file that may be a segment of the logspace.
pub(crate) struct Candidate {
    /// Path relative to the logspace's directory.
    pub(crate) path: PathBuf,
    pub(crate) place: SegmentPlace,
    /// Its outline; none when there is no file to read.
    pub(crate) outline: Option<Result<Outline, ReadError>>,
}

/// A reason why the segments cannot be found.
#[derive(Debug)]
pub(crate) enum FindError {
    Io(io::Error),
    Journal(journal::ReadError),
    /// A newer version of the program wrote a file.
    Newer(PathBuf),
}

impl FindError {
    /// Converts to the reason why the logspace in a directory cannot be opened.
    pub(crate) fn of(self, dir: &Path) -> OpenLogspaceError {
        match self {
            FindError::Io(source) => OpenLogspaceError::Io { path: dir.to_owned(), source },
            FindError::Journal(error) => OpenLogspaceError::Replay(error),
            FindError::Newer(path) => OpenLogspaceError::Newer { path },
        }
    }
}

impl From<io::Error> for FindError {
    fn from(error: io::Error) -> FindError {
        FindError::Io(error)
    }
}

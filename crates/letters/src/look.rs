//! Lists dead letters for users, in stores that no server uses.
//!
//! In: folders, filters. Out: letters. Holds: the lock of a store while it is read.
//! Limits: a store that a running server uses is refused; ask the server.

use crate::{
    letter::Letter,
    store::{CURSOR, DeadLetterOptions, DeadLetters, StoreError},
};
use message::RecordId;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::{Counters, DeadReason};

/// Chooses letters. Fields that are not set match all.
#[derive(Clone, Debug, Default)]
pub struct DeadFilter {
    /// Only those that died for this reason.
    pub reason: Option<DeadReason>,
    /// Only those for this table, topic or index.
    pub group: Option<String>,
    /// Only the one with this id.
    pub id: Option<RecordId>,
    /// Only those that died before this time, microseconds since 1970.
    pub before_us: Option<i64>,
}

impl DeadFilter {
    /// Returns whether a letter is chosen.
    pub fn chooses(&self, letter: &Letter) -> bool {
        self.reason.is_none_or(|reason| reason == letter.reason)
            && self.group.as_ref().is_none_or(|group| *group == letter.group)
            && self.id.is_none_or(|id| id == letter.id)
            && self.before_us.is_none_or(|before| letter.died_us < before)
    }
}

/// Returns the stores below a folder, by name.
pub fn dead_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join(CURSOR).exists() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Opens the store of a folder that no server uses.
pub fn look_at_dead(folder: &Path) -> Result<DeadLetters, StoreError> {
    if !folder.join(CURSOR).exists() {
        let source = io::Error::new(io::ErrorKind::NotFound, "it has no dead letters");
        return Err(StoreError::Io { folder: folder.to_owned(), source });
    }
    DeadLetters::open(DeadLetterOptions::new(folder.to_owned()), Arc::new(Counters::default()))
}

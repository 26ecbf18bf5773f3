//! Lists dead letters for users, in stores that no server uses.
//!
//! In: folders. Out: stores. Holds: the lock of a store while it is read.
//! Limits: a store that a running server uses is refused; ask the server.

use crate::store::{CURSOR, DeadLetterOptions, DeadLetters, StoreError};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::Counters;

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

//! The state of the rules of a logspace in a file: what a restart goes on from.
//!
//! In: the state of an evaluator, the sequence number and the mark that it has reached. Out: the same. Holds nothing. The
//! file is written beside the old one and put in its place; its name has the generation of the rules.
//! Limits: those of the evaluator.

use journal::{Disk, read_whole, write_whole};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const MAGIC: &[u8; 4] = b"DAS\x01";
const HEAD_BYTES: usize = 20;

/// The state of the rules at a sequence number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SavedState {
    /// Sequence number of the next message.
    pub(crate) cursor: u64,
    /// Number of the last mark that was evaluated.
    pub(crate) mark: u64,
    /// The evaluator's own bytes.
    pub(crate) evaluator: Vec<u8>,
}

/// The path of the file of a generation.
pub(crate) fn path(folder: &Path, logspace: &str, generation: u64) -> PathBuf {
    folder.join(format!("{logspace}.{generation}.state"))
}

impl SavedState {
    /// Writes it.
    pub(crate) fn write(&self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + self.evaluator.len());
        bytes.extend(MAGIC);
        bytes.extend(self.cursor.to_le_bytes());
        bytes.extend(self.mark.to_le_bytes());
        bytes.extend(&self.evaluator);
        write_whole(disk, path, &bytes)
    }

    /// Reads it; none when there is no such file, or when it is damaged: then nothing can go on from it.
    pub(crate) fn read(disk: &dyn Disk, path: &Path) -> io::Result<Option<SavedState>> {
        match read_whole(disk, path) {
            Ok(bytes) => Ok(bytes.as_deref().and_then(SavedState::decode)),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn decode(bytes: &[u8]) -> Option<SavedState> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (cursor, rest) = rest.split_first_chunk::<8>()?;
        let (mark, evaluator) = rest.split_first_chunk::<8>()?;
        let (cursor, mark) = (u64::from_le_bytes(*cursor), u64::from_le_bytes(*mark));
        Some(SavedState { cursor, mark, evaluator: evaluator.to_vec() })
    }
}

/// Removes the files of other generations than this one; none: all of them. What remains only takes space.
pub(crate) fn remove_others(folder: &Path, logspace: &str, generation: Option<u64>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let numbered = name.strip_suffix(".state").and_then(|stem| stem.rsplit_once('.'));
        let is_other = numbered.is_some_and(|(of, number)| {
            of == logspace && number.parse::<u64>().is_ok_and(|number| Some(number) != generation)
        });
        if is_other {
            let _ = fs::remove_file(&path);
        }
    }
}

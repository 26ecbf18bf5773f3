//! A recoded segment on its way from the recoder to the sealer.
//!
//! In: a file that was written. Out: its final path and a record of it in the chain; the result.

use crate::segments::Recoded;
use lookup::ReadError;
use segment::{RecodeError, RecodeReport};
use std::{fmt, io, path::PathBuf, sync::mpsc};

/// A recoded segment that waits for its record and its final path.
pub(crate) struct Draft {
    /// Sequence number of its first message.
    pub(crate) first: u64,
    /// The path of its segment, relative to the logspace's directory.
    pub(crate) path: PathBuf,
    /// Path of the draft's own file.
    pub(crate) temporary: PathBuf,
    pub(crate) file: Box<dyn Recoded>,
    /// Receives the result.
    pub(crate) done: mpsc::SyncSender<Result<RecodeReport, PlaceError>>,
}

/// A reason why a recoded segment did not replace the old one.
#[derive(Debug)]
pub(crate) enum PlaceError {
    /// The chain of evidence does not have the segment.
    Unknown,
    /// Retention removed the segment meanwhile.
    Removed,
    /// The segment went to the archive meanwhile.
    Archived,
    /// Its messages are not those that were sealed.
    OtherMessages,
    /// Its file cannot be completed.
    Finish(RecodeError),
    /// The record could not be signed.
    Unsigned,
    /// Its file cannot be read back.
    Read(ReadError),
    /// No loaded key opens it.
    Locked,
    /// Its file cannot be renamed.
    Io { path: PathBuf, source: io::Error },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Unknown => f.write_str("the chain of evidence does not have the segment"),
            PlaceError::Removed => f.write_str("the segment was removed"),
            PlaceError::Archived => f.write_str("the segment was archived"),
            PlaceError::OtherMessages => {
                f.write_str("its messages are not those that the chain of evidence says were sealed")
            }
            PlaceError::Finish(error) => error.fmt(f),
            PlaceError::Unsigned => f.write_str("the record cannot be signed"),
            PlaceError::Read(error) => error.fmt(f),
            PlaceError::Locked => f.write_str("no key is there that opens the recoded segment"),
            PlaceError::Io { path, source } => write!(f, "cannot make {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for PlaceError {}

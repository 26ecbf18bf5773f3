//! A recoded segment on its way from the recoder to the sealer.
//!
//! In: a file that was written. Out: its place, and a record of it in the chain; how that went.

use crate::segments::Recoded;
use segment::RecodeReport;
use std::{path::PathBuf, sync::mpsc};

/// A recoded segment that waits for its record and its place.
pub(crate) struct Draft {
    /// Sequence number of its first message.
    pub(crate) first: u64,
    /// The path of its segment, below the logspace's directory.
    pub(crate) path: PathBuf,
    /// Its own path.
    pub(crate) temporary: PathBuf,
    pub(crate) file: Box<dyn Recoded>,
    /// Hears how it went.
    pub(crate) done: mpsc::SyncSender<Result<RecodeReport, String>>,
}

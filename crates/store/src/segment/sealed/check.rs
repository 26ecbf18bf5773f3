//! Whether a segment file is whole, and its index made anew.
//!
//! In: an open segment. Out: counts, or what is damaged; a new file. Limits: reads the whole file.

use super::Sealed;
use crate::{
    Active, ReadError, SegmentView, Watch,
    segment::seal::{SealError, SealReport},
};
use std::path::Path;

/// What a check saw.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VerifyReport {
    /// Messages read back.
    pub documents: u64,
    /// Bytes of their frames.
    pub frame_bytes: u64,
    /// Blocks.
    pub blocks: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}

/// Why a segment could not be made anew.
#[derive(Debug)]
pub enum RebuildError {
    /// The old file could not be read.
    Read(ReadError),
    /// The new one could not be written.
    Seal(SealError),
}

impl Sealed {
    /// Compares all checksums and reads every message back.
    pub fn verify(&self, watch: &Watch) -> Result<VerifyReport, ReadError> {
        self.file.check_all().map_err(|damage| self.corrupt(damage))?;
        let mut report =
            VerifyReport { blocks: self.blocks() as u64, file_bytes: self.size(), ..VerifyReport::default() };
        self.read(&mut (0..self.len()), watch, &mut |_, document| {
            report.documents += 1;
            report.frame_bytes += document.raw.len() as u64;
            true
        })?;
        Ok(report)
    }

    /// Makes a new file from the messages alone: words, postings and templates are found again.
    pub fn rebuild(&self, path: &Path, watch: &Watch) -> Result<SealReport, RebuildError> {
        let mut active = Active::new(self.first_sequence(), None);
        self.read(&mut (0..self.len()), watch, &mut |_, document| {
            active.append_document(document);
            true
        })
        .map_err(RebuildError::Read)?;
        active.seal(path).map_err(RebuildError::Seal)
    }
}

impl std::fmt::Display for RebuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RebuildError::Read(error) => error.fmt(f),
            RebuildError::Seal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RebuildError {}

//! Checks that a segment file is intact, and rebuilds its index.
//!
//! In: an open segment. Out: counts, or what is damaged; a new file. Limits: reads the whole file.

use super::{
    Sealed,
    inspector::{DamagedChunk, damaged_chunk},
    prove::leaf_of,
};
use crate::{
    Active,
    format::{
        Damage,
        file::{BadChunk, Section},
    },
    seal::{SealError, SealReport},
    sealing::Sealing,
};
use evidence::{Digest, merkle::Tree};
use lookup::{CancelToken, ReadError, SegmentView};
use std::{ops::Range, path::Path};

/// Result of a check.
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
    /// Root of the tree over the messages, computed from what was read.
    pub messages: Digest,
}

/// The reason why a segment could not be made again.
#[derive(Debug)]
pub enum RebuildError {
    /// The old file could not be read.
    Read(ReadError),
    /// The new one could not be written.
    Seal(SealError),
}

impl Sealed {
    /// Compares all checksums and reads every message back.
    pub fn verify(&self, cancel: &CancelToken) -> Result<VerifyReport, ReadError> {
        for chunk in 0..self.file.chunks() {
            cancel.check()?;
            let damage = |bad: BadChunk| self.corrupt(Damage { offset: bad.place.start, what: bad.what });
            self.file.examine(chunk).map_err(damage)?;
        }
        let mut report =
            VerifyReport { blocks: self.blocks() as u64, file_bytes: self.size(), ..VerifyReport::default() };
        let (mut tree, mut buffer) = (Tree::default(), Vec::new());
        self.read(&mut (0..self.len()), cancel, &mut |_, document| {
            report.documents += 1;
            report.frame_bytes += document.raw.len() as u64;
            tree.push(leaf_of(document, &mut buffer));
            true
        })?;
        report.messages = tree.finish().0;
        if self.stored_root()?.is_some_and(|stored| stored != report.messages) {
            let offset = self.file.extent(Section::Hashes).offset as u64;
            return Err(self.corrupt(Damage { offset, what: "the messages are not those that were hashed" }));
        }
        Ok(report)
    }

    /// Returns every damaged chunk, with the messages that cannot be read because of it.
    pub fn troubles(&self, cancel: &CancelToken) -> Result<Vec<DamagedChunk>, ReadError> {
        let mut troubles = Vec::new();
        for chunk in 0..self.file.chunks() {
            cancel.check()?;
            let Err(bad) = self.file.examine(chunk) else { continue };
            let mut damaged_chunk = damaged_chunk(&self.file, bad);
            damaged_chunk.messages = self.messages_of(&damaged_chunk);
            troubles.push(damaged_chunk);
        }
        Ok(troubles)
    }

    /// The messages that need a chunk to be read back.
    fn messages_of(&self, damaged_chunk: &DamagedChunk) -> Range<u64> {
        let whole = self.first_sequence()..self.first_sequence() + u64::from(self.len());
        let is_part_of = |section: Section| {
            let extent = self.file.extent(section);
            let (start, end) = (extent.offset as u64, (extent.offset + extent.length) as u64);
            start < damaged_chunk.place.end && end > damaged_chunk.place.start
        };
        let needed = [
            Section::Meta,
            Section::Compression,
            Section::BlockIndex,
            Section::Columns,
            Section::GroupIndex,
            Section::Skeletons,
        ];
        if needed.into_iter().any(is_part_of) {
            return whole;
        }
        let blocks = if self.is_recoded() { Section::Groups } else { Section::Blocks };
        if !is_part_of(blocks) {
            // Words, templates and hashes can be rebuilt from the messages.
            return whole.start..whole.start;
        }
        let start = self.file.extent(blocks).offset as u64;
        let _pin = self.file.pin();
        let mut found = whole.end..whole.start;
        for block in 0..self.blocks() {
            let Ok((documents, bytes)) = self.block_range(block) else { return whole };
            if start + bytes.start < damaged_chunk.place.end && start + bytes.end > damaged_chunk.place.start
            {
                found.start = found.start.min(whole.start + u64::from(documents.start));
                found.end = found.end.max(whole.start + u64::from(documents.end));
            }
        }
        if found.start < found.end { found } else { whole.start..whole.start }
    }

    /// Makes a new file from the messages alone: words, postings and templates are rebuilt.
    pub fn rebuild(
        &self,
        path: &Path,
        sealing: &Sealing<'_>,
        cancel: &CancelToken,
    ) -> Result<SealReport, RebuildError> {
        let mut active = Active::new(self.first_sequence(), None);
        self.read(&mut (0..self.len()), cancel, &mut |_, document| {
            active.append_document(document);
            true
        })
        .map_err(RebuildError::Read)?;
        active.seal_as(path, sealing).map_err(RebuildError::Seal)
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

//! A segment file from outside: the parts that can be read and checked without its key.
//!
//! In: a path. Out: its numbers and times, its record, who can open it, which chunks are damaged; the segment, when
//! it can be read. Limits: which messages a damaged chunk affects is known only with the key.

use super::{Sealed, corrupt};
use crate::format::file::{BadChunk, Encryption, Header, RECODED_VERSION, Section, SegmentFile};
use evidence::{Digest, Keys, Record};
use lookup::ReadError;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// Reads what can be known about a segment file without its key.
pub struct SegmentInspector {
    pub(super) path: PathBuf,
    pub(super) file: SegmentFile,
}

/// The form of a sealed segment. Each form is smaller than the previous one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SegmentForm {
    /// As it was sealed.
    Sealed,
    /// Recoded, by log template.
    Recoded,
    /// Aged, after it was recoded: its rare words take longer to find.
    Aged,
}

/// A chunk of a segment file that is not what was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DamagedChunk {
    /// Its number, from 0.
    pub chunk: usize,
    /// Its range in the file, bytes.
    pub place: Range<u64>,
    /// The damage, in words.
    pub what: &'static str,
    /// Names of the sections that it overlaps.
    pub parts: Vec<&'static str>,
    /// Sequence numbers of the messages that cannot be read back; the whole segment's when that cannot be determined.
    pub messages: Range<u64>,
}

impl SegmentInspector {
    /// Opens a segment file; reads header and footer only.
    pub fn open(path: &Path, keys: &Keys) -> Result<SegmentInspector, ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let file = SegmentFile::open(path, keys).map_err(io)?;
        Ok(SegmentInspector { path: path.to_owned(), file: file.map_err(|damage| corrupt(path, damage))? })
    }

    /// The same of bytes in memory.
    pub fn from_bytes(bytes: Vec<u8>, keys: &Keys) -> Result<SegmentInspector, ReadError> {
        let path = Path::new("memory");
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let file = SegmentFile::from_bytes(bytes, keys).map_err(io)?;
        Ok(SegmentInspector { path: path.to_owned(), file: file.map_err(|damage| corrupt(path, damage))? })
    }

    /// The segment, to be searched; fails when it is locked.
    pub fn read(self) -> Result<Sealed, ReadError> {
        Sealed::of(&self.path, self.file)
    }

    /// Returns true when it is encrypted and the key is not there.
    pub fn is_locked(&self) -> bool {
        self.file.is_locked()
    }

    /// Returns true when it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.file.header().encryption != Encryption::None
    }

    /// Sequence number of the first message, number of messages, and received times of the first and the last; `None`
    /// for the first version of the format, which keeps them inside.
    pub fn extent(&self) -> Option<(u64, u64, (i64, i64))> {
        let Header { first, count, received_us, .. } = self.file.header();
        self.file.has_facts().then(|| (*first, u64::from(*count), *received_us))
    }

    /// Returns how far it was made smaller.
    pub fn form(&self) -> SegmentForm {
        if self.file.header().version < RECODED_VERSION {
            SegmentForm::Sealed
        } else if self.file.extent(Section::Aging).length == 0 {
            SegmentForm::Recoded
        } else {
            SegmentForm::Aged
        }
    }

    /// The id that was drawn when it was sealed.
    pub fn id(&self) -> [u8; 16] {
        self.file.header().id
    }

    /// The record it was sealed with; `None` when it has none, or none that can be read.
    pub fn record(&self) -> Option<Record> {
        std::str::from_utf8(self.file.record()).ok().and_then(Record::parse)
    }

    /// Digest of header and footer, and thereby of everything but the record.
    pub fn contents(&self) -> Digest {
        self.file.contents()
    }

    /// The recipients that can open it.
    pub fn recipients(&self) -> Vec<String> {
        let lines = String::from_utf8_lossy(self.file.envelope()).into_owned();
        lines.lines().filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect()
    }

    /// Size of the file.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.file.chunks()
    }

    /// Compares a chunk with its checksum, its hash and, with the key, its tag.
    pub fn examine(&self, chunk: usize) -> Result<(), DamagedChunk> {
        self.file.examine(chunk).map_err(|bad| damaged_chunk(&self.file, bad))
    }
}

/// Describes a damaged chunk; its messages are those of the whole segment.
pub(super) fn damaged_chunk(file: &SegmentFile, bad: BadChunk) -> DamagedChunk {
    let Header { first, count, .. } = file.header();
    let parts = file.sections_of(&bad.place).into_iter().map(part).collect();
    let messages = *first..first.saturating_add(u64::from(*count));
    DamagedChunk { chunk: bad.chunk, place: bad.place, what: bad.what, parts, messages }
}

fn part(section: u16) -> &'static str {
    const PARTS: [(Section, &str); 16] = [
        (Section::Meta, "counts and directory of columns"),
        (Section::Compression, "compression dictionary"),
        (Section::Blocks, "messages"),
        (Section::BlockIndex, "index of blocks"),
        (Section::Columns, "columns"),
        (Section::Terms, "terms"),
        (Section::Postings, "postings"),
        (Section::Templates, "templates"),
        (Section::Hashes, "hashes"),
        (Section::Groups, "messages"),
        (Section::GroupIndex, "index of groups"),
        (Section::Skeletons, "templates of messages"),
        (Section::PackedTerms, "terms"),
        (Section::Aging, "how terms were aged"),
        (Section::CharFilters, "character filters of terms"),
        (Section::Adjacency, "adjacency of terms"),
    ];
    PARTS
        .iter()
        .find(|(known, _)| *known as u16 == section)
        .map_or("a part of a newer version", |(_, name)| name)
}

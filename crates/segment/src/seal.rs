//! Seals a segment: writes the contents of a builder to one file.
//!
//! In: a builder to which nothing is added any more. Out: a synced file; how large each part is.
//! Holds: the postings, sorted once more: about 100 bytes per message while it works.
//! Limits: one thread; about half a microsecond per message.

mod adjacency;
mod columns;
mod terms;

pub(crate) use terms::document_bytes;

use crate::memory::recycle;
use crate::{
    active::{Active, builder::Builder},
    format::file::{Encryption, FileWriter, Header, Section, VERSION, private_file},
    sealing::Sealing,
};
use aws_lc_rs::rand;
use evidence::{Digest, Facts, Lock};
use std::{
    cell::Cell,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Bytes given to the file at once.
const WRITE_BYTES: usize = 1 << 20;

/// The reason why a segment could not be sealed.
#[derive(Debug)]
pub struct SealError {
    /// The file that could not be made.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl std::fmt::Display for SealError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot make {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for SealError {}

/// Sizes of a sealed segment in bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct SealReport {
    /// The whole file.
    pub file: u64,
    /// Frames, compressed, with their dictionary and index.
    pub blocks: u64,
    /// Columns.
    pub columns: u64,
    /// Terms, with the documents of those seen once.
    pub terms: u64,
    /// Documents of the other terms and of templates.
    pub postings: u64,
    /// Frequent tokens and templates.
    pub templates: u64,
}

impl Active {
    /// Writes the segment to a new file and syncs it. The caller renames the file and syncs the directory. Views
    /// may be in use meanwhile; the owner makes sure that nothing is appended.
    pub fn seal(&self, path: &Path) -> Result<SealReport, SealError> {
        self.seal_as(path, &Sealing::default())
    }

    /// Does the same, encrypted and with a record according to `sealing`.
    pub fn seal_as(&self, path: &Path, sealing: &Sealing<'_>) -> Result<SealReport, SealError> {
        seal(&self.complete(), path, sealing)
    }
}

/// Writes a new file and syncs it.
fn seal(builder: &Builder, path: &Path, sealing: &Sealing<'_>) -> Result<SealReport, SealError> {
    let write = || {
        let file = private_file().write(true).create_new(true).open(path)?;
        let (out, report) = write(builder, BufWriter::with_capacity(WRITE_BYTES, file), sealing)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(report)
    };
    write().map_err(|source| SealError { path: path.to_owned(), source })
}

/// Writes the file's bytes.
pub(crate) fn write<W: Write>(
    builder: &Builder,
    out: W,
    sealing: &Sealing<'_>,
) -> io::Result<(W, SealReport)> {
    let received = &builder.columns.times.received;
    assert_eq!(received.len(), builder.length as usize, "a received time for each message");
    debug_assert!(received.is_sorted(), "messages in the order of arrival");
    let (header, lock) = begin(builder, sealing)?;
    let mut file = FileWriter::begin(out, &header, lock)?;
    let mut report = SealReport::default();
    let blocks = &builder.blocks;
    file.section(Section::Compression, [blocks.dictionary()])?;
    file.section(Section::Blocks, [blocks.bytes.as_slice()])?;
    let mut index = Vec::new();
    for stored in &blocks.stored {
        index.extend_from_slice(&stored.first.to_le_bytes());
        index.extend_from_slice(&stored.stored_bytes.to_le_bytes());
        index.extend_from_slice(&stored.offset.to_le_bytes());
        index.extend_from_slice(&stored.plain_bytes.to_le_bytes());
    }
    file.section(Section::BlockIndex, [index.as_slice()])?;
    report.blocks = (blocks.dictionary().len() + blocks.bytes.len() + index.len()) as u64;

    let (directory, data) = columns::encode(builder);
    file.section(Section::Columns, [data.as_slice()])?;
    report.columns = (data.len() + directory.len()) as u64;
    recycle(data);

    let words = terms::encode(&builder.index, builder.length);
    file.section(Section::Terms, words.dictionary.iter().map(Vec::as_slice))?;
    file.section(Section::CharFilters, [words.filters.as_slice()])?;
    file.section(Section::Adjacency, [words.adjacency.as_slice()])?;
    file.section(Section::Postings, [words.postings.as_slice()])?;
    file.section(Section::Templates, [words.templates.as_slice()])?;
    let beside = words.filters.len() + words.adjacency.len();
    report.terms = (words.dictionary.iter().map(Vec::len).sum::<usize>() + beside) as u64;
    report.postings = words.postings.len() as u64;
    report.templates = words.templates.len() as u64;

    let (messages, nodes) = blocks.tree.finish();
    file.section(Section::Hashes, [nodes.as_slice()])?;
    file.section(Section::Meta, [meta(builder).as_slice(), &directory])?;
    let Header { id, first, count, received_us, .. } = header;
    let facts = |contents| Facts { id, first, count: u64::from(count), received_us, messages, contents };
    let (out, size) = finish(file, sealing, facts)?;
    report.file = size;
    Ok((out, report))
}

/// The header, and the lock of a segment that is sealed for someone.
fn begin(builder: &Builder, sealing: &Sealing<'_>) -> io::Result<(Header, Option<Lock>)> {
    let mut id = [0; 16];
    rand::fill(&mut id).map_err(|_| io::Error::other("no randomness"))?;
    let received = &builder.columns.times.received;
    let encryption = if sealing.recipients.is_empty() { Encryption::None } else { Encryption::Aes256Gcm };
    let header = Header {
        version: VERSION,
        encryption,
        id,
        first: builder.first_sequence,
        count: builder.length,
        received_us: (received.first().copied().unwrap_or(0), received.last().copied().unwrap_or(0)),
    };
    if encryption == Encryption::None {
        return Ok((header, None));
    }
    let lock = Lock::draw(id, sealing.recipients);
    Ok((header, Some(lock.ok_or_else(|| io::Error::other("the segment's key cannot be wrapped"))?)))
}

/// Writes the footer, with the record of the notary when there is one.
fn finish<W: Write>(
    file: FileWriter<W>,
    sealing: &Sealing<'_>,
    facts: impl Fn(Digest) -> Facts,
) -> io::Result<(W, u64)> {
    let refused = Cell::new(false);
    let record = |contents| {
        let Some(notary) = sealing.notary else { return Vec::new() };
        let record = notary(facts(contents));
        refused.set(record.is_none());
        record.unwrap_or_default().into_bytes()
    };
    let finished = file.finish(&record)?;
    if refused.get() { Err(io::Error::other("the record cannot be signed")) } else { Ok(finished) }
}

/// Counts and times.
fn meta(builder: &Builder) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&builder.first_sequence.to_le_bytes());
    out.extend_from_slice(&builder.length.to_le_bytes());
    let received = &builder.columns.times.received;
    for us in [received.first(), received.last()] {
        out.extend_from_slice(&us.copied().unwrap_or(0).to_le_bytes());
    }
    out
}

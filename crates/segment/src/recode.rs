//! Recodes a sealed segment: the same messages, columns and postings, in a file of three quarters of the size.
//!
//! In: a sealed segment that can be read. Out: a file that lacks only its record; sizes. Every message and every term
//! of the new file was read back and compared with the old one's, and the messages with the root of their tree.
//! Holds: one group of messages. Limits: a message above 64 MiB keeps its segment from being recoded.

mod aging;
mod draft;
mod learn;

pub use draft::Draft;

use super::{
    format::{
        Damage, dictionary,
        file::{Encryption, FileWriter, Header, RECODED_VERSION, Section, private_file},
    },
    packed::{Group, Packer, Skeletons, Splitter, encode_skeletons},
    sealed::Sealed,
};
use crate::terms::{char_filters, frequent::Frequent};
use aws_lc_rs::rand;
use evidence::{Keys, Lock, Recipient};
use lookup::{CancelToken, ReadError, SegmentView};
use std::{
    fs::File,
    io::{self, BufWriter},
    path::Path,
};

/// Bytes given to the file at once.
const WRITE_BYTES: usize = 1 << 20;
/// Messages between two calls of the pace function.
const DOCUMENTS_A_LOOK: u32 = 4096;

/// Sizes of a recoded segment in bytes.
#[derive(Clone, Copy, Default, Debug)]
pub struct RecodeReport {
    /// Messages.
    pub messages: u64,
    /// The whole file.
    pub file: u64,
    /// The old file.
    pub before: u64,
    /// Groups of messages with their dictionary, index and templates.
    pub groups: u64,
    /// Columns.
    pub columns: u64,
    /// Terms, with the documents of those seen once.
    pub terms: u64,
    /// Documents of the other terms and of templates.
    pub postings: u64,
    /// Frequent tokens and templates of the index.
    pub templates: u64,
}

/// The reason why a segment was not recoded. The old file is unchanged.
#[derive(Debug)]
pub enum RecodeError {
    /// The old file, or what was written, cannot be read.
    Read(ReadError),
    /// The new file cannot be written.
    Write(io::Error),
    /// Bytes that were read back are not those that were written.
    Differs {
        /// The kind of data that differs.
        what: &'static str,
        /// The message or the term, counted from 0.
        number: u64,
    },
}

impl std::fmt::Display for RecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecodeError::Read(error) => error.fmt(f),
            RecodeError::Write(error) => write!(f, "cannot write the recoded segment: {error}"),
            RecodeError::Differs { what, number } => {
                write!(f, "the recoded segment would not be the same: {what} {number}")
            }
        }
    }
}

impl std::error::Error for RecodeError {}

impl From<io::Error> for RecodeError {
    fn from(error: io::Error) -> RecodeError {
        RecodeError::Write(error)
    }
}

impl From<ReadError> for RecodeError {
    fn from(error: ReadError) -> RecodeError {
        RecodeError::Read(error)
    }
}

/// The parameters of recoding.
pub struct Recoding<'a> {
    /// Recipients of the new file; when empty, it is not encrypted.
    pub recipients: &'a [Recipient],
    /// Keys that open it, to read it back.
    pub keys: &'a Keys,
    /// Stops the work.
    pub cancel: &'a CancelToken,
    /// Called every few milliseconds of work: may sleep.
    pub pace: &'a mut dyn FnMut(),
}

impl Sealed {
    /// Writes a new file at `path`, reads it back and compares. [`Draft::finish`] adds the record.
    pub fn recode(&self, path: &Path, recoding: &mut Recoding<'_>) -> Result<Draft, RecodeError> {
        let _pin = self.file().pin();
        let root = self.stored_root()?.ok_or_else(|| self.outdated())?;
        let mut report =
            RecodeReport { messages: u64::from(self.len()), before: self.size(), ..RecodeReport::default() };
        let out = private_file().read(true).write(true).create_new(true).open(path)?;
        let (header, lock) = self.begin(recoding.recipients)?;
        let mut file = FileWriter::begin(BufWriter::with_capacity(WRITE_BYTES, out), &header, lock)?;
        report.groups = self.put_groups(&mut file, recoding)?;
        report.terms = self.put_terms(&mut file)?;
        let copied =
            [Section::Columns, Section::Postings, Section::Templates, Section::Hashes, Section::Meta];
        for section in copied {
            let part = self.file().section(section).map_err(|damage| self.damaged(damage))?;
            file.section(section, [part.bytes])?;
            match section {
                Section::Columns | Section::Meta => report.columns += part.bytes.len() as u64,
                Section::Postings => report.postings = part.bytes.len() as u64,
                Section::Templates => report.templates = part.bytes.len() as u64,
                _ => {}
            }
        }
        let draft = Draft::new(path, file.end()?, header, root, report)?;
        let new = Sealed::unlock(path, recoding.keys)?;
        self.compare(&new, root, recoding)?;
        Ok(draft)
    }

    fn outdated(&self) -> ReadError {
        self.damaged(Damage { offset: 0, what: "a segment of the first version has no tree of hashes" })
    }

    fn begin(&self, recipients: &[Recipient]) -> io::Result<(Header, Option<Lock>)> {
        let mut id = [0; 16];
        rand::fill(&mut id).map_err(|_| io::Error::other("no randomness"))?;
        let encryption = if recipients.is_empty() { Encryption::None } else { Encryption::Aes256Gcm };
        let header = Header { version: RECODED_VERSION, encryption, id, ..self.file().header().clone() };
        if recipients.is_empty() {
            return Ok((header, None));
        }
        let lock = Lock::draw(id, recipients);
        Ok((header, Some(lock.ok_or_else(|| io::Error::other("the segment's key cannot be wrapped"))?)))
    }

    /// Writes the messages; returns the bytes that they took.
    fn put_groups(
        &self,
        file: &mut FileWriter<BufWriter<File>>,
        recoding: &mut Recoding<'_>,
    ) -> Result<u64, RecodeError> {
        let frequent = self.frequent_tokens(recoding)?;
        let dictionary = self.train(&frequent, recoding)?;
        file.section(Section::Compression, [dictionary.as_slice()])?;
        let mut packer = Packer::new(&dictionary)?;
        let mut skeletons = Skeletons::default();
        let (mut index, mut offset) = (Vec::new(), 0u64);
        file.section_of(Section::Groups, |put| {
            self.pack(0..self.len(), &frequent, recoding, &mut |group, first| {
                let mut bytes = Vec::new();
                let (stored, plain) = group.finish(&mut skeletons, &mut packer, &mut bytes)?;
                index.extend_from_slice(&first.to_le_bytes());
                index.extend_from_slice(&(stored as u32).to_le_bytes());
                index.extend_from_slice(&(plain as u32).to_le_bytes());
                index.extend_from_slice(&offset.to_le_bytes());
                offset += bytes.len() as u64;
                Ok(put(&bytes)?)
            })
        })?;
        let skeletons = encode_skeletons(&skeletons.list)?;
        file.section(Section::GroupIndex, [index.as_slice()])?;
        file.section(Section::Skeletons, [skeletons.as_slice()])?;
        Ok((dictionary.len() + index.len() + skeletons.len()) as u64 + offset)
    }

    /// Passes the messages of a range to `end`, group by group, with the number of the first.
    fn pack(
        &self,
        range: std::ops::Range<u32>,
        frequent: &Frequent,
        recoding: &mut Recoding<'_>,
        end: &mut dyn FnMut(&mut Group<'_>, u32) -> Result<(), RecodeError>,
    ) -> Result<(), RecodeError> {
        let mut group = Group::new(Splitter::new(frequent));
        let mut first = range.start;
        let mut ended = Ok(());
        let (cancel, pace) = (recoding.cancel, &mut *recoding.pace);
        self.read_placed(&mut range.clone(), cancel, &mut |number, document, text| {
            group.push(document, text);
            if number % DOCUMENTS_A_LOOK == 0 {
                pace();
            }
            if group.is_full() {
                ended = end(&mut group, first);
                first = number + 1;
            }
            ended.is_ok()
        })?;
        ended?;
        if group.len() > 0 { end(&mut group, first) } else { Ok(()) }
    }

    /// Copies the terms unchanged, so that searches stay as fast as they were. Returns their size in bytes.
    fn put_terms(&self, file: &mut FileWriter<BufWriter<File>>) -> Result<u64, RecodeError> {
        let terms = self.file().section(Section::Terms).map_err(|damage| self.damaged(damage))?;
        file.section(Section::Terms, [terms.bytes])?;
        // Older segments have none.
        let mut filters = char_filters::Encoder::new(dictionary::BLOCK);
        self.each_term(&mut |term, _| {
            filters.push(term);
            Ok(())
        })?;
        let filters = filters.finish();
        file.section(Section::CharFilters, [filters.as_slice()])?;
        let adjacency = self.file().section(Section::Adjacency).map_err(|damage| self.damaged(damage))?;
        file.section(Section::Adjacency, [adjacency.bytes])?;
        Ok((terms.bytes.len() + filters.len() + adjacency.bytes.len()) as u64)
    }
}

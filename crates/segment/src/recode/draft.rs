//! A recoded segment that was read back and lacks only its record.
//!
//! In: the file's chunks; a notary. Out: the finished file, synced. Holds: the contents of the footer. Limits: the
//! caller names the file; a draft that is dropped leaves a file behind that its owner removes.

use super::{RecodeError, RecodeReport, Recoding};
use crate::{
    format::{
        Damage,
        file::{Footless, Header},
    },
    packed::dictionary::PostingsLocation,
    sealed::{Sealed, leaf_of},
};
use evidence::{Digest, Facts, merkle::Tree};
use lookup::{Document, ReadError, SegmentView};
use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Messages that are read of either file before they are compared.
const COMPARED: u32 = 4096;

/// A recoded segment without its record.
pub struct Draft {
    path: PathBuf,
    file: Footless<BufWriter<File>>,
    header: Header,
    messages: Digest,
    report: RecodeReport,
}

impl Draft {
    /// Ends the file with a footer that has no record, so that it can be read back.
    pub(super) fn new(
        path: &Path,
        file: Footless<BufWriter<File>>,
        header: Header,
        messages: Digest,
        report: RecodeReport,
    ) -> io::Result<Draft> {
        let mut draft = Draft { path: path.to_owned(), file, header, messages, report };
        draft.put_footer(&|_| Vec::new())?;
        Ok(draft)
    }

    fn put_footer(&mut self, record: &dyn Fn(Digest) -> Vec<u8>) -> io::Result<()> {
        let footer = self.file.footer(record);
        let at = self.file.footer_at();
        self.file.out.seek(SeekFrom::Start(at))?;
        self.file.out.write_all(&footer)?;
        self.file.out.flush()?;
        self.report.file = at + footer.len() as u64;
        self.file.out.get_ref().set_len(self.report.file)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sizes, those of the record not counted.
    pub fn report(&self) -> &RecodeReport {
        &self.report
    }

    /// Returns the root of the tree over its messages.
    pub fn messages(&self) -> Digest {
        self.messages
    }

    /// Adds the record that `notary` makes from the segment's facts, and syncs the file.
    pub fn finish(mut self, notary: &dyn Fn(Facts) -> Option<String>) -> io::Result<RecodeReport> {
        let Header { id, first, count, received_us, .. } = self.header;
        let messages = self.messages;
        let refused = std::cell::Cell::new(false);
        self.put_footer(&|contents| {
            let record =
                notary(Facts { id, first, count: u64::from(count), received_us, messages, contents });
            refused.set(record.is_none());
            record.unwrap_or_default().into_bytes()
        })?;
        if refused.get() {
            return Err(io::Error::other("the record cannot be signed"));
        }
        self.file.out.get_ref().sync_all()?;
        Ok(self.report)
    }
}

impl Sealed {
    /// Compares every message and every term with those of the recoded segment.
    pub(super) fn compare(
        &self,
        new: &Sealed,
        root: Digest,
        recoding: &mut Recoding<'_>,
    ) -> Result<(), RecodeError> {
        let (mut tree, mut buffer) = (Tree::default(), Vec::new());
        let mut old: Vec<Document> = Vec::new();
        for start in (0..self.len()).step_by(COMPARED as usize) {
            (recoding.pace)();
            let range = start..self.len().min(start + COMPARED);
            old.clear();
            self.read(&mut range.clone(), recoding.cancel, &mut |_, document| {
                old.push(document.clone());
                true
            })?;
            let mut differs = None;
            let mut olds = old.iter();
            new.read(&mut range.clone(), recoding.cancel, &mut |number, document| {
                tree.push(leaf_of(document, &mut buffer));
                let same = olds.next().is_some_and(|old| *old == *document);
                differs = (!same).then_some(u64::from(number));
                same
            })?;
            if let Some(number) = differs {
                return Err(RecodeError::Differs { what: "message", number });
            }
        }
        if tree.finish().0 != root {
            return Err(RecodeError::Differs {
                what: "the root over messages",
                number: self.first_sequence(),
            });
        }
        self.compare_terms(new)
    }

    fn compare_terms(&self, new: &Sealed) -> Result<(), RecodeError> {
        let mut known: Vec<(Vec<u8>, PostingsLocation)> = Vec::new();
        new.each_term(&mut |term, location| {
            known.push((term.to_vec(), *location));
            Ok(())
        })?;
        let mut number = 0u64;
        let mut differs = None;
        self.each_term(&mut |term, location| {
            let same = known
                .get(number as usize)
                .is_some_and(|(known, at)| (known.as_slice(), at) == (term, location));
            if !same && differs.is_none() {
                differs = Some(number);
            }
            number += 1;
            Ok(())
        })?;
        let differs = differs.or((number != known.len() as u64).then_some(number));
        match differs {
            Some(number) => Err(RecodeError::Differs { what: "term", number }),
            None => Ok(()),
        }
    }

    /// Returns the error for damage in this file.
    pub(super) fn damaged(&self, damage: Damage) -> ReadError {
        ReadError::Corrupt { path: self.path().to_owned(), offset: damage.offset, what: damage.what }
    }
}

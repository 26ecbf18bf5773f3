//! Reads a journal from a sequence number on, while it is being written or after a crash.
//!
//! In: files. Out: records in order, each once; damage, reported and skipped; the end of what is durable so far.
//! Holds: its position. Limits: none of its own.

use crate::{
    disk::Disk,
    file::JournalFile,
    record::RecordHeader,
    scan::{Scan, ScanStep},
};
use std::{
    io,
    ops::Range,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// A stored record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The first sequence number that it covers. The first record read may start below the requested number.
    pub sequence: u64,
    /// Number of sequence numbers that it covers.
    pub count: u32,
    /// Its bytes.
    pub payload: &'a [u8],
}

/// Bytes that can no longer be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// Offset in the file of the first damaged byte.
    pub offset: u64,
    /// Number of bytes that were skipped.
    pub bytes: u64,
    /// The sequence numbers that were lost with them, as far as known.
    pub lost: Range<u64>,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Damage { path, offset, bytes, lost } = self;
        let (path, count) = (path.display(), lost.end - lost.start);
        write!(f, "{path} is damaged at offset {offset}: {bytes} bytes skipped, {count} messages lost")
    }
}

/// One step of a reader.
#[derive(Debug)]
pub enum Read<'a> {
    /// The next record.
    Record(Record<'a>),
    /// Records are missing before the next one.
    Damage(Damage),
    /// Nothing more is durable now; there may be more later.
    End,
}

/// Error of reading.
#[derive(Debug)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for ReadError {}

/// The state that the writer and the readers share: the files, and how much of each is durable.
#[derive(Default)]
pub(crate) struct Published {
    pub(crate) files: Vec<JournalFile>,
}

/// A reader of a journal.
pub struct Reader {
    disk: Arc<dyn Disk>,
    published: Arc<Mutex<Published>>,
    salt: u32,
    /// The next sequence number to return.
    next: u64,
    open: Option<(JournalFile, Scan)>,
    /// Damage not reported yet: the next record says which sequence numbers it cost.
    skipped: Option<Damage>,
    /// A record that was read and comes after the damage just reported.
    held: Option<RecordHeader>,
}

impl Reader {
    pub(crate) fn new(disk: Arc<dyn Disk>, published: Arc<Mutex<Published>>, salt: u32, next: u64) -> Reader {
        Reader { disk, published, salt, next, open: None, skipped: None, held: None }
    }

    /// Returns the sequence number of the next message to read.
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    /// Reads the next record.
    pub fn read(&mut self) -> Result<Read<'_>, ReadError> {
        loop {
            let header = match self.held.take() {
                Some(header) => header,
                None => match self.find()? {
                    Some(header) => header,
                    None => return Ok(self.skipped.take().map_or(Read::End, Read::Damage)),
                },
            };
            if header.sequence > self.next || self.skipped.is_some() {
                self.held = Some(header);
                return Ok(Read::Damage(self.damage_before(header)));
            }
            if header.end() > self.next {
                self.next = header.end();
                return Ok(Read::Record(Record {
                    sequence: header.sequence,
                    count: header.count,
                    payload: self.open.as_ref().map_or(&[], |(_, scan)| scan.payload()),
                }));
            }
        }
    }

    /// Returns the next record in the files, whatever its number; `None` when nothing more is durable.
    fn find(&mut self) -> Result<Option<RecordHeader>, ReadError> {
        while self.turn_to_unread()? {
            let Some((file, scan)) = &mut self.open else { break };
            let failed = |source| ReadError { path: file.path.clone(), source };
            let offset = scan.offset();
            match scan.advance().map_err(failed)? {
                ScanStep::End => {}
                ScanStep::Record(header) => return Ok(Some(header)),
                ScanStep::Bad => {
                    scan.skip_damage(self.next).map_err(failed)?;
                    let bytes = scan.offset() - offset;
                    let path = file.path.clone();
                    let lost = self.next..self.next;
                    self.skipped.get_or_insert(Damage { path, offset, bytes: 0, lost }).bytes += bytes;
                }
            }
        }
        Ok(None)
    }

    /// Returns the damage before a record, and moves past the sequence numbers that it cost.
    fn damage_before(&mut self, header: RecordHeader) -> Damage {
        let lost = self.next..header.sequence.max(self.next);
        self.next = lost.end;
        let place = self.open.as_ref().map(|(file, scan)| {
            let offset = scan.offset() - header.total_bytes() as u64;
            Damage { path: file.path.clone(), offset, bytes: 0, lost: 0..0 }
        });
        let empty = Damage { path: PathBuf::new(), offset: 0, bytes: 0, lost: 0..0 };
        Damage { lost, ..self.skipped.take().or(place).unwrap_or(empty) }
    }

    /// Opens the file to read next when the open one is at its end; false when there is nothing to read now.
    fn turn_to_unread(&mut self) -> Result<bool, ReadError> {
        let published = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        let files = &published.files;
        let next = match &mut self.open {
            None => files.partition_point(|file| file.first <= self.next).saturating_sub(1),
            Some((open, scan)) => {
                let after = files.partition_point(|file| file.first <= open.first);
                let same = after.checked_sub(1).and_then(|index| files.get(index));
                let length = same.filter(|file| file.first == open.first).map_or(0, |file| file.length);
                if scan.extend_limit(length) {
                    return Ok(true);
                }
                after
            }
        };
        let Some(file) = files.get(next).cloned() else { return Ok(false) };
        drop(published);
        let failed = |source| ReadError { path: file.path.clone(), source };
        let opened = self.disk.open(&file.path).map_err(failed)?;
        let scan = Scan::new(opened, self.salt, file.first, file.length);
        self.open = Some((file, scan));
        Ok(true)
    }
}

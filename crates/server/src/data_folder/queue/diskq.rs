//! Reads the queue files of syslog-ng's disk buffers.
//!
//! In: a `.rqf` or `.qf` file. Out: its messages in batches, oldest first; what could not be read.
//! Holds: one batch and one record. Limits: batches of [`BATCH_MESSAGES`] messages or [`BATCH_BYTES`]; the file is only read.

use message::{Ack, Batch, Stamp};
use std::{
    fmt,
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};
use wire::{
    DISKQ_HEADER_BYTES, DISKQ_RECORD_BYTES_MAX, DiskqHeader, DiskqHeaderError, SavedMessageError, SavedQueue,
    push_saved_message,
};

/// Size of a batch at which the next one is begun.
const BATCH_MESSAGES: usize = 1000;
const BATCH_BYTES: usize = 1 << 20;
/// Bytes that are first read of messages without lengths.
const PIECE_BYTES: usize = 1 << 20;

/// Summary of a file.
#[derive(Debug, Default)]
pub(crate) struct DiskqSummary {
    /// Messages that were read.
    pub(crate) messages: u64,
    /// Messages that could not be read.
    pub(crate) lost: u64,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// Damaged parts, one sentence each.
    pub(crate) damages: Vec<String>,
}

/// The reasons why a file cannot be read.
#[derive(Debug)]
pub(crate) enum DiskqError {
    /// The file cannot be read.
    Io { path: PathBuf, source: io::Error },
    /// Its header cannot be read.
    Header { path: PathBuf, source: DiskqHeaderError },
}

impl fmt::Display for DiskqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiskqError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            DiskqError::Header { path, source } => write!(f, "cannot read {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for DiskqError {}

/// Returns true when a path is a queue file of syslog-ng.
pub(crate) fn is_diskq(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    read && DiskqHeader::is_begun_by(&start)
}

/// Reads a file. `each` gets the batches, and ends the reading by returning false.
pub(crate) fn read(path: &Path, each: &mut dyn FnMut(&Batch) -> bool) -> Result<DiskqSummary, DiskqError> {
    let failed = |source| DiskqError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut header = [0; DISKQ_HEADER_BYTES];
    file.read_exact_at(&mut header, 0).map_err(failed)?;
    let header =
        DiskqHeader::read(&header).map_err(|source| DiskqError::Header { path: path.to_owned(), source })?;
    let summary = DiskqSummary { bytes, ..DiskqSummary::default() };
    let mut reader = Reader { file, path, batch: new_batch(), each, goes_on: true, summary };
    for saved in &header.before {
        reader.saved(saved).map_err(failed)?;
    }
    reader.records(&header).map_err(failed)?;
    reader.saved(&header.after).map_err(failed)?;
    reader.pass_on();
    Ok(reader.summary)
}

fn new_batch() -> Batch {
    Batch::new(Arc::default(), Vec::new(), Stamp::default(), Ack::none())
}

/// A file that is being read.
struct Reader<'a> {
    file: File,
    path: &'a Path,
    batch: Batch,
    each: &'a mut dyn FnMut(&Batch) -> bool,
    goes_on: bool,
    summary: DiskqSummary,
}

impl Reader<'_> {
    /// Reads the records, around the end of the file if need be.
    fn records(&mut self, header: &DiskqHeader) -> io::Result<()> {
        let mut at = header.first;
        for number in 0..header.records {
            if !self.goes_on {
                return Ok(());
            }
            at = header.next_record(at, self.summary.bytes);
            let mut read = self.record(at)?;
            if read.is_err() && at > header.end {
                at = DISKQ_HEADER_BYTES as u64;
                read = self.record(at)?;
            }
            match read {
                Ok(end) => at = end,
                Err(RecordError::Message { error, end }) => {
                    self.damaged(1, &format!("the message at {at} cannot be read: {error}"));
                    at = end;
                }
                Err(RecordError::Length) => {
                    self.damaged(header.records - number, &format!("there is no record at {at}"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads a record and returns where it ends.
    fn record(&mut self, at: u64) -> io::Result<Result<u64, RecordError>> {
        let mut length = [0; 4];
        match self.file.read_exact_at(&mut length, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok(Err(RecordError::Length));
            }
            read => read?,
        }
        let length = u32::from_be_bytes(length) as usize;
        let end = at + 4 + length as u64;
        if length == 0 || length > DISKQ_RECORD_BYTES_MAX || end > self.summary.bytes {
            return Ok(Err(RecordError::Length));
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, at + 4)?;
        Ok(match push_saved_message(&bytes, &mut self.batch) {
            Ok(_) => {
                self.pushed();
                Ok(end)
            }
            Err(error) => Err(RecordError::Message { error, end }),
        })
    }

    /// Reads messages that were in memory. They have no lengths, so the first damage ends them.
    fn saved(&mut self, saved: &SavedQueue) -> io::Result<()> {
        let (mut at, end) = (saved.offset, saved.offset.saturating_add(u64::from(saved.bytes)));
        let end = end.min(self.summary.bytes);
        let mut bytes = Vec::new();
        let mut used = 0;
        for number in 0..saved.messages {
            if !self.goes_on {
                return Ok(());
            }
            let error = loop {
                match push_saved_message(&bytes[used..], &mut self.batch) {
                    Ok(read) => {
                        used += read;
                        break None;
                    }
                    Err(SavedMessageError::Short)
                        if at < end && bytes.len() - used < DISKQ_RECORD_BYTES_MAX =>
                    {
                        bytes.drain(..used);
                        used = 0;
                        let more = (bytes.len().max(PIECE_BYTES) as u64).min(end - at) as usize;
                        let old = bytes.len();
                        bytes.resize(old + more, 0);
                        self.file.read_exact_at(&mut bytes[old..], at)?;
                        at += more as u64;
                    }
                    Err(error) => break Some(error),
                }
            };
            match error {
                None => self.pushed(),
                Some(error) => {
                    let lost = u64::from(saved.messages - number);
                    self.damaged(
                        lost,
                        &format!("the messages saved at {} cannot be read: {error}", saved.offset),
                    );
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn pushed(&mut self) {
        self.summary.messages += 1;
        if self.batch.len() >= BATCH_MESSAGES || self.batch.extra.len() >= BATCH_BYTES {
            self.pass_on();
        }
    }

    fn pass_on(&mut self) {
        let batch = std::mem::replace(&mut self.batch, new_batch());
        if !batch.is_empty() && self.goes_on {
            self.goes_on = (self.each)(&batch);
        }
    }

    fn damaged(&mut self, lost: u64, what: &str) {
        self.summary.lost += lost;
        let messages = if lost == 1 { "message is" } else { "messages are" };
        self.summary.damages.push(format!("{}: {what}; {lost} {messages} lost", self.path.display()));
    }
}

/// The reasons why a record was not read.
enum RecordError {
    /// There is no record, or its length is impossible.
    Length,
    /// The message cannot be read; the next record begins at `end`.
    Message { error: SavedMessageError, end: u64 },
}

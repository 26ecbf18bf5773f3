//! The ledger: who logged in, who searched for what, who exported what. Each line names the digest of the previous
//! line.
//!
//! In: entries. Out: one JSON object a line, written before the answer is given; a signed head, which says how many
//! entries there are; whether a ledger is complete.
//! Holds: the last line's digest, under a lock on the file, so that the server and commands may write to one ledger.
//! Limits: grows by about 300 bytes per entry; it is never cut. Entries after the signed head are chained only.

mod audit;
mod entries;
mod head;

pub use audit::{LedgerAudit, LedgerFinding, LedgerReport, LedgerTie};
pub use entries::{Entries, Entry};
pub use head::{HeadError, SignedHead};

use crate::{digest::Digest, record::LedgerHead};
use serde_json::{Value, json};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Most bytes of a line: the text of a question is shorter.
const LINE_BYTES_MAX: u64 = 256 << 10;
/// Bytes that hold the last line nearly always.
const LINE_BYTES: u64 = 4 << 10;

/// One action of a user.
#[derive(Clone, Default, Debug)]
pub struct LedgerEntry {
    /// The time, in microseconds since 1970.
    pub at_us: i64,
    /// The user.
    pub user: String,
    /// `search`, `tail`, `context`, `cat`, `export`, `unlock`, `login` ...: the manual lists all.
    pub action: &'static str,
    /// The logspace; empty when the action concerns none.
    pub logspace: String,
    /// The text of the query.
    pub question: String,
    /// Further details: time range, how many messages.
    pub details: Value,
}

/// A ledger.
#[derive(Clone, Debug)]
pub struct Ledger {
    path: PathBuf,
}

impl Ledger {
    /// The ledger in a file, which is made with the first entry.
    pub fn at(path: &Path) -> Ledger {
        Ledger { path: path.to_owned() }
    }

    /// Appends an entry, durably.
    pub fn append(&self, entry: &LedgerEntry) -> io::Result<()> {
        let (file, is_first) = self.write(entry)?;
        file.sync_data()?;
        if is_first {
            File::open(self.path.parent().unwrap_or(&self.path))?.sync_all()?;
        }
        Ok(())
    }

    /// Appends an entry; it becomes durable when the system writes it, or with the next one that is appended durably.
    pub fn note(&self, entry: &LedgerEntry) -> io::Result<()> {
        self.write(entry).map(|_| ())
    }

    fn write(&self, entry: &LedgerEntry) -> io::Result<(File, bool)> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).mode(0o600).open(&self.path)?;
        file.lock()?;
        let (number, previous) = last(&mut file)?;
        let line = json!({
            "number": number,
            "previous": previous.to_string(),
            "at_us": entry.at_us,
            "user": entry.user,
            "action": entry.action,
            "logspace": entry.logspace,
            "question": entry.question,
            "details": entry.details,
        });
        let line = format!("{line}\n");
        debug_assert_eq!(
            memchr::memchr(b'\n', line.as_bytes()),
            Some(line.len() - 1),
            "an entry is one line"
        );
        file.write_all(line.as_bytes())?;
        Ok((file, number == 0))
    }

    /// The end of the ledger, which is made durable; none when it has no entry.
    pub fn head(&self) -> io::Result<Option<LedgerHead>> {
        let mut file = match OpenOptions::new().read(true).append(true).open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        file.lock()?;
        let (entries, last) = last(&mut file)?;
        file.sync_data()?;
        Ok((entries > 0).then_some(LedgerHead { entries, last }))
    }

    /// The entries from the first on.
    pub fn entries(&self) -> io::Result<Entries> {
        Entries::open(&self.path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true when there is a ledger.
    pub fn exists(&self) -> bool {
        fs::metadata(&self.path).is_ok()
    }
}

/// Number and digest for the next line. A line that a power cut left unfinished is ended, and stays to be seen.
fn last(file: &mut File) -> io::Result<(u64, Digest)> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok((0, Digest::default()));
    }
    let mut bytes = Vec::new();
    for size in [LINE_BYTES, LINE_BYTES_MAX] {
        let start = length.saturating_sub(size);
        bytes.clear();
        file.seek(SeekFrom::Start(start))?;
        file.read_to_end(&mut bytes)?;
        // The line is complete only if the line break before it exists, too.
        let breaks = memchr::memrchr_iter(b'\n', &bytes).take(2).count();
        if start == 0 || breaks == 2 {
            break;
        }
    }
    if bytes.last() != Some(&b'\n') {
        file.write_all(b"\n")?;
        bytes.push(b'\n');
    }
    let body = &bytes[..bytes.len() - 1];
    let line = &body[memchr::memrchr(b'\n', body).map_or(0, |at| at + 1)..];
    let entry: Value = serde_json::from_slice(line).unwrap_or_default();
    let number = match entry["number"].as_u64() {
        Some(number) => number + 1,
        None => BufReader::new(File::open(file_path(file))?).split(b'\n').count() as u64,
    };
    Ok((number, Digest::of(line)))
}

/// The path of an open file.
fn file_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(test)]
mod tests;

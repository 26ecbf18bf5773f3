//! The ledger: who searched for what, and who took what out. Each line names the digest of the line before.
//!
//! In: entries. Out: one JSON object a line, written before the answer is given; whether a ledger is whole.
//! Holds: the last line's digest, under a lock on the file, so that the server and commands may write to one ledger.
//! Limits: grows by about 300 bytes a search; it is never cut.

use crate::evidence::Digest;
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

/// One thing that somebody did.
#[derive(Clone, Default, Debug)]
pub struct LedgerEntry {
    /// When, microseconds since 1970.
    pub at_us: i64,
    /// Who.
    pub user: String,
    /// `search`, `tail`, `context`, `cat`, `export`, `unlock`.
    pub action: &'static str,
    /// In which logspace.
    pub logspace: String,
    /// The question's text.
    pub question: String,
    /// What else is worth knowing: time range, how many messages.
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
        file.write_all(format!("{line}\n").as_bytes())?;
        Ok((file, number == 0))
    }

    /// Checks that no line was changed, put in or taken out; gives the number of lines, the digest of the last one,
    /// and the numbers of lines that do not follow.
    pub fn verify(&self) -> io::Result<(u64, Digest, Vec<u64>)> {
        let (mut count, mut previous, mut bad) = (0, Digest::default(), Vec::new());
        for line in BufReader::new(File::open(&self.path)?).split(b'\n') {
            let line = line?;
            let entry: Value = serde_json::from_slice(&line).unwrap_or_default();
            let follows = entry["number"].as_u64() == Some(count)
                && entry["previous"].as_str() == Some(&previous.to_string());
            if !follows {
                bad.push(count);
            }
            previous = Digest::of(&line);
            count += 1;
        }
        Ok((count, previous, bad))
    }

    /// Whether there is a ledger.
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
        // The line is whole when the break before it is there, too.
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
mod tests {
    //! Rows for ledgers.

    use super::*;

    #[test]
    fn every_change_shows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("searches");
        let ledger = Ledger::at(&path);
        assert!(!ledger.exists());
        for at_us in 0..20 {
            let entry = LedgerEntry { at_us, user: "eva".into(), action: "search", ..LedgerEntry::default() };
            ledger.append(&entry).unwrap();
        }
        let (count, _, bad) = ledger.verify().unwrap();
        assert_eq!((count, bad), (20, vec![]));
        let whole = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        fs::write(&path, whole.replacen("eva", "eve", 3)).unwrap();
        assert_eq!(ledger.verify().unwrap().2, [1, 2, 3]);
        fs::write(&path, format!("{}\n", [&lines[..5], &lines[6..]].concat().join("\n"))).unwrap();
        assert!(!ledger.verify().unwrap().2.is_empty());
        fs::write(&path, &whole[..whole.len() - 30]).unwrap();
        ledger.append(&LedgerEntry::default()).unwrap();
        let (count, _, bad) = ledger.verify().unwrap();
        assert_eq!((count, bad), (21, vec![19]), "the torn line is told, the chain goes on");
    }
}

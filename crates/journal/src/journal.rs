//! The writer: records are staged in memory and committed together.
//!
//! In: records. Out: their sequence numbers; after a commit, durable files. Holds: the lock, the last file, and
//! the staged bytes until they are durable, so that a failed commit is simply tried again.
//! Limits: a new file is started when the last one has [`Options::file_bytes_max`]; one commit may exceed it.

use crate::{
    disk::{Disk, DiskFile, DiskLock},
    file::{FileHistory, JournalFile},
    last_file::{CommitError, LastFile},
    reader::{Published, Reader},
    record::{RECORD_BYTES_MAX, RECORD_HEADER_BYTES, finish_record, is_possible},
    recovery::{Recovery, find_salt, recover_tail},
};
use std::{
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most bytes of staging memory that are kept between commits; more is freed.
const STAGED_BYTES_KEPT: usize = 8 << 20;

/// Name of the lock file.
const LOCK_NAME: &str = "journal.lock";

/// The point that a commit waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// The device: records survive the loss of power.
    Device,
    /// The operating system: records survive the end of the process.
    System,
}

/// Options of a journal.
#[derive(Clone, Debug)]
pub struct Options {
    /// Size at which a new file is started.
    pub file_bytes_max: u64,
    /// The point that a commit waits for.
    pub durability: Durability,
    /// Number of full files that are no longer needed and kept to be overwritten. The system then does not have to find
    /// new memory and new blocks for every page, which is more than half of the cost of writing.
    pub spare_files_max: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { file_bytes_max: 128 << 20, durability: Durability::Device, spare_files_max: 2 }
    }
}

/// Error of opening a journal.
#[derive(Debug)]
pub enum OpenError {
    /// A file or the directory cannot be used.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process has it open.
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// It was written by another version.
    Version {
        /// The directory.
        path: PathBuf,
        /// The version of its files.
        version: u16,
    },
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Io { path, source } => write!(f, "cannot open journal {}: {source}", path.display()),
            OpenError::Locked { path } => {
                write!(f, "cannot open journal {}: another process has it open", path.display())
            }
            OpenError::Version { path, version } => {
                write!(f, "cannot open journal {}: it has format version {version}", path.display())
            }
        }
    }
}

impl std::error::Error for OpenError {}

/// A record above [`RECORD_BYTES_MAX`]; nothing was staged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// Its size in bytes.
    pub bytes: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record of {} bytes, at most {RECORD_BYTES_MAX} are possible", self.bytes)
    }
}

impl std::error::Error for TooLarge {}

/// An open journal: one writer, any number of [`Reader`]s.
pub struct Journal {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    options: Options,
    salt: u32,
    published: Arc<Mutex<Published>>,
    /// The file that is written to; `None` until the first commit of a new one.
    last: Option<LastFile>,
    /// Files to be overwritten.
    spares: Vec<PathBuf>,
    /// Sequence number of the next record.
    next: u64,
    /// Every record below this sequence number is durable.
    durable: u64,
    staged: Vec<u8>,
    _lock: Box<dyn DiskLock>,
}

impl Journal {
    /// Opens the journal of a directory, and creates the directory when it is missing. Cuts off a record that a crash left incomplete.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, options: Options) -> Result<(Journal, Recovery), OpenError> {
        let failed = |source| OpenError::Io { path: dir.to_owned(), source };
        disk.create_dir_all(dir).map_err(failed)?;
        if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            disk.sync_dir(parent).map_err(failed)?;
        }
        let locked = disk.lock(&dir.join(LOCK_NAME)).map_err(failed)?;
        let lock = locked.ok_or_else(|| OpenError::Locked { path: dir.to_owned() })?;
        let names = disk.list(dir).map_err(failed)?;
        let mut files: Vec<JournalFile> =
            names.iter().filter_map(|name| JournalFile::parse(dir, name)).collect();
        files.sort_by_key(|file| file.first);
        let salt = match find_salt(&*disk, &files).map_err(failed)? {
            None => RandomState::new().hash_one(dir) as u32,
            Some(Ok(salt)) => salt,
            Some(Err(version)) => return Err(OpenError::Version { path: dir.to_owned(), version }),
        };
        let mut journal = Journal {
            disk,
            dir: dir.to_owned(),
            options,
            salt,
            published: Arc::default(),
            last: None,
            spares: names
                .iter()
                .filter_map(|name| JournalFile::parse_spare(dir, name))
                .map(|spare| spare.path)
                .collect(),
            next: 0,
            durable: 0,
            staged: Vec::new(),
            _lock: lock,
        };
        let recovery = journal.recover(files).map_err(failed)?;
        Ok((journal, recovery))
    }

    /// Finds the end of the last file; removes files that hold no record.
    fn recover(&mut self, mut files: Vec<JournalFile>) -> io::Result<Recovery> {
        let mut recovery = Recovery::default();
        while let Some(last) = files.last_mut() {
            self.next = self.next.max(last.first);
            let Some(tail) = recover_tail(&*self.disk, last, self.salt, &mut recovery)? else {
                self.disk.remove(&last.path)?;
                files.pop();
                continue;
            };
            last.length = tail.length;
            if tail.next >= self.next {
                self.next = tail.next;
                let file = self.disk.open(&last.path)?;
                self.last = Some(LastFile::reopened(file, last));
            }
            break;
        }
        let earlier = files.len().saturating_sub(1);
        for file in &mut files[..earlier] {
            file.length = self.disk.open(&file.path)?.len()?;
        }
        self.durable = self.next;
        self.published().files = files;
        Ok(recovery)
    }

    /// Stages a record of `count` sequence numbers, which `write` appends to the bytes given to it. Returns the
    /// first of the numbers.
    pub fn append(&mut self, count: u32, write: &mut dyn FnMut(&mut Vec<u8>)) -> Result<u64, TooLarge> {
        assert!(count > 0, "a record covers at least one sequence number");
        let start = self.staged.len();
        self.staged.resize(start + RECORD_HEADER_BYTES, 0);
        write(&mut self.staged);
        let bytes = self.staged.len() - start - RECORD_HEADER_BYTES;
        if !is_possible(bytes) {
            self.staged.truncate(start);
            return Err(TooLarge { bytes });
        }
        finish_record(&mut self.staged, start, self.salt, count, self.next, self.durable);
        let sequence = self.next;
        self.next += u64::from(count);
        Ok(sequence)
    }

    /// Makes the staged records durable, with one write and one sync. Returns the sequence number below which
    /// everything is durable. After an error everything stays staged, and the file is cut back to what was durable
    /// before.
    pub fn commit(&mut self) -> Result<u64, CommitError> {
        if self.staged.is_empty() {
            return Ok(self.durable);
        }
        self.start_file_when_full()?;
        let Some(last) = &mut self.last else { return Ok(self.durable) };
        let device = self.options.durability == Durability::Device;
        last.write(&self.staged)
            .and_then(|()| if device { last.sync(&*self.disk, &self.dir) } else { Ok(()) })
            .map_err(|source| last.give_up(source))?;
        last.keep(self.staged.len());
        self.durable = self.next;
        self.staged.clear();
        self.staged.shrink_to(STAGED_BYTES_KEPT);
        let kept = last.entry();
        let mut published = self.published();
        match published.files.last_mut().filter(|file| file.first == kept.first) {
            Some(file) => file.length = kept.length,
            None => published.files.push(kept),
        }
        drop(published);
        Ok(self.durable)
    }

    fn start_file_when_full(&mut self) -> Result<(), CommitError> {
        if let Some(last) = &self.last {
            if last.entry().length < self.options.file_bytes_max {
                return Ok(());
            }
            // Only the last file may have a torn end, or older records after it.
            last.trim()
                .and_then(|()| last.sync(&*self.disk, &self.dir))
                .map_err(|source| CommitError { path: last.entry().path, source })?;
        }
        let entry = JournalFile::new(&self.dir, self.durable);
        let begun = self.start_file(&entry.path).and_then(|file| Ok((file.is_empty()?, file)));
        let (is_empty, file) = begun.map_err(|source| CommitError { path: entry.path.clone(), source })?;
        let history = if is_empty { FileHistory::New } else { FileHistory::Recycled };
        self.last = Some(LastFile::begun(file, entry, self.salt, history));
        Ok(())
    }

    /// Returns a file to write to: a spare one, or a new one.
    fn start_file(&mut self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        if let Some(spare) = self.spares.last() {
            self.disk.rename(spare, path)?;
            self.spares.pop();
            return self.disk.open(path);
        }
        match self.disk.create(path) {
            // An earlier attempt renamed it and failed afterwards: it has no record of this number or above.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.disk.open(path),
            created => created,
        }
    }

    /// Continues at a higher sequence number, in a new file. Nothing may be staged.
    pub fn advance(&mut self, next: u64) {
        assert!(self.staged.is_empty(), "advanced with staged records");
        if next > self.next {
            self.next = next;
            self.durable = next;
            self.last = None;
        }
    }

    /// Returns true when [`Journal::release`] would remove a file.
    pub fn can_release(&self, below: u64) -> bool {
        self.published().files.get(1).is_some_and(|second| second.first <= below)
    }

    /// Removes the files that hold nothing at or above a sequence number. Returns how many were removed.
    pub fn release(&mut self, below: u64) -> io::Result<usize> {
        let mut removed = 0;
        let published = Arc::clone(&self.published);
        loop {
            let mut published = published.lock().unwrap_or_else(PoisonError::into_inner);
            let is_unneeded = published.files.get(1).is_some_and(|second| second.first <= below);
            if !is_unneeded {
                return Ok(removed);
            }
            let file = &published.files[0];
            let full = file.length >= self.options.file_bytes_max;
            if full && self.spares.len() < self.options.spare_files_max {
                self.disk.rename(&file.path, &file.spare_path())?;
                self.spares.push(file.spare_path());
            } else {
                self.disk.remove(&file.path)?;
            }
            published.files.remove(0);
            removed += 1;
        }
    }

    /// Gives back the space of everything below a sequence number: of files that are kept to be overwritten, and of the
    /// last file when nothing in it is needed. Returns the number of bytes.
    pub fn shrink(&mut self, below: u64) -> io::Result<u64> {
        let (file_bytes_max, spares_max) = (self.options.file_bytes_max, self.options.spare_files_max);
        let before = self.file_bytes();
        let mut freed = 0;
        while let Some(spare) = self.spares.last() {
            freed += self.disk.open(spare)?.len()?;
            self.disk.remove(spare)?;
            self.spares.pop();
        }
        // Another file begins with a mark, which keeps the number.
        (self.options.file_bytes_max, self.options.spare_files_max) = (0, 0);
        let marked = if below >= self.next { self.mark() } else { Ok(()) };
        let released = marked.map_err(|error| error.source).and_then(|()| self.release(below));
        (self.options.file_bytes_max, self.options.spare_files_max) = (file_bytes_max, spares_max);
        released.map(|_| freed + before.saturating_sub(self.file_bytes()))
    }

    /// Appends an empty record.
    fn mark(&mut self) -> Result<(), CommitError> {
        let durable = self.commit()?;
        if self.last.is_some() {
            self.staged.resize(RECORD_HEADER_BYTES, 0);
            finish_record(&mut self.staged, 0, self.salt, 0, durable, durable);
            self.commit()?;
        }
        Ok(())
    }

    /// Returns a reader that starts with the record that holds `from`.
    pub fn reader(&self, from: u64) -> Reader {
        Reader::new(Arc::clone(&self.disk), Arc::clone(&self.published), self.salt, from)
    }

    /// Returns the sequence number of the next record.
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    /// Returns the sequence number below which everything is durable.
    pub fn durable_sequence(&self) -> u64 {
        self.durable
    }

    /// Returns the number of staged bytes.
    pub fn staged_bytes(&self) -> usize {
        self.staged.len()
    }

    /// Returns the number of durable bytes in all files.
    pub fn file_bytes(&self) -> u64 {
        self.published().files.iter().map(|file| file.length).sum()
    }

    /// Returns the number of durable bytes in the files from the one on that holds a sequence number: what cannot be
    /// released while it is needed.
    pub fn bytes_from(&self, sequence: u64) -> u64 {
        let published = self.published();
        let holding = published.files.partition_point(|file| file.first <= sequence).saturating_sub(1);
        published.files.iter().skip(holding).map(|file| file.length).sum()
    }

    /// Returns the first sequence number of each file, in order.
    pub fn file_starts(&self) -> Vec<u64> {
        self.published().files.iter().map(|file| file.first).collect()
    }

    /// Changes the size at which a new file is started.
    pub fn set_file_bytes_max(&mut self, bytes: u64) {
        self.options.file_bytes_max = bytes;
    }

    /// Commits, and appends an empty record, which proves that everything before it is durable.
    pub fn close(mut self) -> Result<u64, CommitError> {
        self.mark()?;
        if let Some(last) = &self.last {
            last.trim().map_err(|source| CommitError { path: last.entry().path, source })?;
        }
        Ok(self.durable)
    }

    fn published(&self) -> MutexGuard<'_, Published> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

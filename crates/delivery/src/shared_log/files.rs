//! The folder of a shared log: its journal, and a file for each consumer.
//!
//! In: a folder. Out: an open journal, the files of the consumers that are not running, how much waits for each.
//! Holds: them. Limits: after a crash, what was written since the progress was last saved is read once, to count it.

use super::{
    backlog::{self, Backlog},
    in_flight::Settled,
    progress::{EXTENSION, Identity, Progress, ProgressError, ProgressFile},
};
use journal::{Damage, Disk, Durability, Journal, OpenError, Options, Read, ReadError};
use message::codec::shared::{CONSUMERS_MAX, Entry};
use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::InternalLog;

/// Number of files in the least capacity of a consumer, and limits of their size.
const FILES: u64 = 16;
const FILE_BYTES: std::ops::RangeInclusive<u64> = (64 << 10)..=(32 << 20);
/// Empty files that are kept to be overwritten.
const SPARES: usize = 2;

/// Backlogs by the number of their consumer.
pub(super) type Backlogs = BTreeMap<usize, Backlog>;

/// An open folder.
pub(super) struct LogFiles {
    disk: Arc<dyn Disk>,
    pub(super) folder: PathBuf,
    pub(super) journal: Journal,
    /// The consumers that are not running, by name.
    pub(super) absent: Vec<(String, ProgressFile)>,
    /// The backlogs of all consumers that have one, by number.
    pub(super) backlogs: Backlogs,
}

/// Returns the size of a file for a consumer of this capacity.
pub(super) fn file_bytes(capacity_bytes: u64) -> u64 {
    (capacity_bytes / FILES).clamp(*FILE_BYTES.start(), *FILE_BYTES.end())
}

/// Returns the name of the file of a consumer.
pub(super) fn file_name(consumer: &str) -> String {
    format!("{consumer}.{EXTENSION}")
}

/// Returns the name of the consumer whose file this is.
pub(super) fn consumer_of(file: &str) -> Option<&str> {
    file.strip_suffix(EXTENSION)?.strip_suffix('.').filter(|name| !name.is_empty())
}

impl LogFiles {
    /// Opens a folder, creating it if it is missing.
    pub(super) fn open(disk: Arc<dyn Disk>, folder: &Path, log: &InternalLog) -> Result<LogFiles, OpenError> {
        let options = Options {
            file_bytes_max: *FILE_BYTES.end(),
            durability: Durability::Device,
            spare_files_max: SPARES,
        };
        let (journal, recovery) = Journal::open(disk.clone(), folder, options)?;
        if recovery.cut_bytes > 0 {
            log.notice(&format!(
                "Cut an unfinished write off a shared disk buffer; folder='{}', bytes='{}'",
                folder.display(),
                recovery.cut_bytes
            ));
        }
        let mut files = LogFiles {
            disk,
            folder: folder.to_owned(),
            journal,
            absent: Vec::new(),
            backlogs: Backlogs::new(),
        };
        files.find_consumers(log).map_err(|source| OpenError::Io { path: folder.to_owned(), source })?;
        Ok(files)
    }

    fn find_consumers(&mut self, log: &InternalLog) -> io::Result<()> {
        for file in self.disk.list(&self.folder)? {
            let Some(name) = consumer_of(&file) else { continue };
            let path = self.folder.join(&file);
            match ProgressFile::open(&*self.disk, &path) {
                Ok(progress) => self.absent.push((name.to_owned(), progress)),
                Err(ProgressError::Io(error)) => return Err(error),
                Err(ProgressError::Malformed) => {
                    let aside = path.with_extension("corrupted");
                    self.disk.rename(&path, &aside)?;
                    log.error(&format!(
                        "The file of a destination in a shared disk buffer cannot be read: it begins with the next \
                         message; file='{}', moved_to='{}'",
                        path.display(),
                        aside.display()
                    ));
                }
            }
        }
        self.absent.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, file) in &self.absent {
            let folder = backlog::folder(&self.folder, &file.identity);
            let has_files = self.disk.list(&folder).is_ok_and(|files| !files.is_empty());
            if has_files {
                let backlog = open_backlog(&self.disk, &folder)?;
                self.backlogs.insert(file.identity.number, backlog);
            }
        }
        let settled = self.absent.iter().map(|(_, file)| file.saved.settled.below).max();
        let moved = self.backlogs.values().map(Backlog::moved).max();
        // After the loss of power the journal may end before what was delivered.
        self.journal.advance(settled.max(moved).unwrap_or(0));
        self.recount()
    }

    /// Returns the backlog of a consumer, creating it if it has none.
    pub(super) fn backlog(&mut self, identity: &Identity) -> io::Result<Backlog> {
        match self.backlogs.remove(&identity.number) {
            Some(backlog) => Ok(backlog),
            None => open_backlog(&self.disk, &backlog::folder(&self.folder, identity)),
        }
    }

    /// Returns from which sequence number on the log has something that a consumer needs, which has settled everything below `below`.
    pub(super) fn needed(&self, number: usize, below: u64) -> u64 {
        self.backlogs.get(&number).map_or(below, |backlog| backlog.moved().max(below))
    }

    /// Counts what was written after the progress of each consumer was saved.
    fn recount(&mut self) -> io::Result<()> {
        let next = self.journal.next_sequence();
        let from = self.absent.iter().map(|(_, file)| file.saved.end).min().unwrap_or(next);
        let mut reader = self.journal.reader(from);
        if from >= next {
            return Ok(());
        }
        loop {
            match reader.read().map_err(|error| error.source)? {
                Read::End => break,
                Read::Damage(_) => {}
                Read::Record(record) => {
                    let Ok(entry) = Entry::parse(record.payload) else { continue };
                    let news = self.absent.iter_mut().filter(|(_, file)| file.saved.end <= record.sequence);
                    for (_, file) in news {
                        let selection = entry.selection(file.identity.number);
                        file.saved.waiting += selection.map_or(0, |selection| selection.count() as u64);
                    }
                }
            }
        }
        self.absent.iter_mut().for_each(|(_, file)| file.saved.end = next);
        Ok(())
    }

    /// Returns the file of a consumer, creating it if it is new: it begins with the next message.
    pub(super) fn take(
        &mut self,
        name: &str,
        numbers: &mut dyn Iterator<Item = usize>,
        capacity_bytes: u64,
    ) -> io::Result<ProgressFile> {
        let at = self.journal.next_sequence();
        if let Some(place) = self.absent.iter().position(|(known, _)| known == name) {
            return Ok(self.absent.remove(place).1);
        }
        let mut used = [false; CONSUMERS_MAX];
        numbers
            .chain(self.absent.iter().map(|(_, file)| file.identity.number))
            .for_each(|number| used[number] = true);
        let number = match used.iter().position(|used| !used) {
            Some(number) => number,
            None => self.forget_one()?,
        };
        let path = self.folder.join(file_name(name));
        let identity = Identity { number, incarnation: RandomState::new().hash_one(&path) | 1 };
        let settled = Settled { below: at, ranges: Vec::new() };
        let progress = Progress { settled, end: at, waiting: 0, capacity_bytes };
        ProgressFile::create(&*self.disk, &path, identity, &progress)
    }

    /// Removes a consumer that is not running and for which nothing waits. Returns its number.
    fn forget_one(&mut self) -> io::Result<usize> {
        let place = self.absent.iter().position(|(_, file)| file.saved.waiting == 0);
        let place = place.ok_or_else(|| {
            io::Error::other(format!("at most {CONSUMERS_MAX} destinations can share a disk buffer"))
        })?;
        let (name, file) = self.absent.remove(place);
        self.forget(&name, &file.identity)?;
        Ok(file.identity.number)
    }

    /// Removes the file of a consumer, durably: its number can be given to another.
    pub(super) fn forget(&mut self, name: &str, identity: &Identity) -> io::Result<()> {
        self.disk.remove(&self.folder.join(file_name(name)))?;
        self.disk.sync_dir(&self.folder)?;
        if self.backlogs.remove(&identity.number).is_some() {
            let folder = backlog::folder(&self.folder, identity);
            for file in self.disk.list(&folder)? {
                self.disk.remove(&folder.join(file))?;
            }
        }
        Ok(())
    }

    /// Returns the sequence number up to which consumers that are not running need the log.
    pub(super) fn needed_by_absent(&self) -> Option<u64> {
        let with_messages = self.absent.iter().filter(|(_, file)| file.saved.waiting > 0);
        with_messages.map(|(_, file)| self.needed(file.identity.number, file.saved.settled.below)).min()
    }

    /// Returns the consumers that do not run and keep more of the log than their `capacity-bytes()`, although a file was begun since they
    /// ended: at a stop, when all end, nothing is moved. With each, the sequence number below which it has settled everything.
    pub(super) fn absent_to_move(&self) -> impl Iterator<Item = (String, Identity, u64)> + use<'_> {
        let newest_file = self.journal.file_starts().last().copied().unwrap_or(0);
        let moves = move |file: &ProgressFile| {
            let (number, saved) = (file.identity.number, &file.saved);
            let needed = self.needed(number, saved.settled.below);
            let is_long = newest_file > saved.end && self.journal.bytes_from(needed) > saved.capacity_bytes;
            saved.waiting > 0 && (is_long || self.backlogs.get(&number).is_some_and(Backlog::is_moving))
        };
        let moving = self.absent.iter().filter(move |(_, file)| moves(file));
        moving.map(|(name, file)| (name.clone(), file.identity, file.saved.settled.below))
    }

    /// Gives `each` every entry that is not settled by a consumer that does not run, in order, and damage.
    pub(super) fn read_waiting(
        &self,
        file: &ProgressFile,
        each: &mut dyn FnMut(Waiting<'_>) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        let (number, settled) = (file.identity.number, &file.saved.settled);
        let backlog = self.backlogs.get(&number).filter(|backlog| backlog.holds(settled.below));
        let log_from = self.needed(number, settled.below);
        // Files that only others needed may be gone.
        let first = self.journal.file_starts().first().copied().unwrap_or(0);
        let readers = backlog.map(|backlog| (backlog.reader(settled.below), true));
        for (mut reader, is_backlog) in
            readers.into_iter().chain([(self.journal.reader(log_from.max(first)), false)])
        {
            loop {
                let (range, payload) = match reader.read()? {
                    Read::End => break,
                    Read::Damage(damage) => {
                        each(Waiting::Damage(damage)).map_err(|source| self.unread(source))?;
                        continue;
                    }
                    Read::Record(record) if is_backlog => backlog::unpack(&record),
                    Read::Record(record) => {
                        (record.sequence..record.sequence + u64::from(record.count), record.payload)
                    }
                };
                if !payload.is_empty() && !settled.has(&range) {
                    each(Waiting::Entry(range.start, payload)).map_err(|source| self.unread(source))?;
                }
            }
        }
        Ok(())
    }

    fn unread(&self, source: io::Error) -> ReadError {
        ReadError { path: self.folder.clone(), source }
    }
}

/// A part of what waits for a consumer.
pub(super) enum Waiting<'a> {
    /// The sequence number of an entry, and its bytes.
    Entry(u64, &'a [u8]),
    /// Something that cannot be read.
    Damage(Damage),
}

fn open_backlog(disk: &Arc<dyn Disk>, folder: &Path) -> io::Result<Backlog> {
    Backlog::open(disk.clone(), folder).map_err(|error| io::Error::other(error.to_string()))
}

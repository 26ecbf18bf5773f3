//! The folder of a queue: its journal and the place up to which was delivered.
//!
//! In: settings. Out: an open journal. Holds: it. Limits: files of a sixteenth of the capacity, so that space comes
//! back while the queue empties.

use super::aside;
use crate::options::DiskBuffer;
use journal::{CursorFile, Disk, Durability, Journal, OpenError, Options};
use std::{
    fs,
    hash::{BuildHasher, RandomState},
    io,
    path::Path,
    sync::Arc,
};
use transport::InternalLog;

/// Parts of the capacity that one file takes, and bounds of that.
const FILES: u64 = 16;
const FILE_BYTES: std::ops::RangeInclusive<u64> = (64 << 10)..=(32 << 20);
/// Empty files that are kept for later unless `truncate-size-ratio()` says otherwise.
const SPARES: usize = 2;
/// Name of the file that says what was delivered.
pub(super) const CURSOR: &str = "delivered.cursor";

/// Name of the file that identifies the queue.
const INCARNATION: &str = "incarnation";

/// An open queue folder.
pub(super) struct SpoolFiles {
    pub(super) journal: Journal,
    pub(super) cursor: CursorFile,
    /// Random; made with the queue. With a sequence number it identifies a message for ever. `None` for a queue that is not
    /// `reliable()`: the loss of power may take messages that were handed on, and others would get their numbers.
    pub(super) incarnation: Option<u64>,
}

impl SpoolFiles {
    /// Opens the folder, which is made when it is missing. One that cannot be used is moved aside.
    pub(super) fn open(settings: &DiskBuffer, log: &InternalLog) -> io::Result<SpoolFiles> {
        let (disk, folder) = (&settings.disk, &settings.folder);
        let journal = match open(settings) {
            Err(OpenError::Version { version, .. }) => {
                let why = format!("it has format version {version}");
                aside::move_folder(folder, &why, log)?;
                open(settings)
            }
            opened => opened,
        };
        let (mut journal, recovery) = journal.map_err(|error| match error {
            OpenError::Io { source, .. } => source,
            error => io::Error::other(error.to_string()),
        })?;
        if recovery.cut_bytes > 0 {
            log.notice(&format!(
                "Cut an unfinished write off a disk buffer; folder='{}', bytes='{}'",
                folder.display(),
                recovery.cut_bytes
            ));
        }
        let cursor = CursorFile::open(&**disk, &folder.join(CURSOR))?;
        // After the loss of power the journal may end before what was delivered.
        journal.advance(cursor.sequence());
        let incarnation = settings.reliable.then(|| incarnation(&**disk, folder)).transpose()?;
        Ok(SpoolFiles { journal, cursor, incarnation })
    }

    /// Notes what was delivered, and gives the space of it back.
    pub(super) fn release(&mut self, written: u64) -> io::Result<()> {
        if written > self.cursor.sequence() {
            self.cursor.save(written)?;
        }
        if self.journal.can_release(written) {
            // The files must not go before the note that they are not needed.
            self.cursor.sync()?;
            self.journal.release(written)?;
        }
        Ok(())
    }

    /// Returns whether messages are on the disk before anything else happens to them.
    pub(super) fn is_write_ahead(&self) -> bool {
        self.incarnation.is_some()
    }

    /// Bytes that count against the capacity.
    pub(super) fn bytes(&self) -> u64 {
        self.journal.file_bytes() + self.journal.staged_bytes() as u64
    }
}

/// Reads the random number of a queue, which is made when the queue is.
fn incarnation(disk: &dyn Disk, folder: &Path) -> io::Result<u64> {
    let path = folder.join(INCARNATION);
    let file = match disk.open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => disk.create(&path)?,
        opened => opened?,
    };
    let mut bytes = [0; 8];
    if file.read_at(0, &mut bytes)? < bytes.len() || bytes == [0; 8] {
        bytes = (RandomState::new().hash_one(folder) | 1).to_le_bytes();
        file.write_at(0, &bytes)?;
        file.sync()?;
        disk.sync_dir(folder)?;
    }
    Ok(u64::from_le_bytes(bytes))
}

fn open(settings: &DiskBuffer) -> Result<(Journal, journal::Recovery), OpenError> {
    let options = options(settings);
    if settings.preallocate {
        let failed = |source| OpenError::Io { path: settings.folder.clone(), source };
        preallocate(&settings.folder, options.file_bytes_max, options.spare_files_max).map_err(failed)?;
    }
    // Of an earlier version. Where it cannot be changed, it is another user's, who may read it anyway.
    let _ = journal::tighten(&settings.folder);
    Journal::open(Arc::clone(&settings.disk), &settings.folder, options)
}

fn options(settings: &DiskBuffer) -> Options {
    let file_bytes_max = (settings.capacity_bytes / FILES).clamp(*FILE_BYTES.start(), *FILE_BYTES.end());
    let share = match settings.truncate_ratio {
        _ if settings.preallocate => 1.0,
        Some(ratio) => ratio,
        None => SPARES as f64 * file_bytes_max as f64 / settings.capacity_bytes as f64,
    };
    let spares = share * settings.capacity_bytes as f64 / file_bytes_max as f64;
    Options {
        file_bytes_max,
        durability: if settings.reliable { Durability::Device } else { Durability::System },
        spare_files_max: spares.round() as usize,
    }
}

/// Makes spare files with their space taken. What is there already counts.
fn preallocate(folder: &Path, file_bytes: u64, count: usize) -> io::Result<()> {
    journal::make_private_folders(folder)?;
    let files = fs::read_dir(folder)?.filter_map(Result::ok);
    let there = files.filter(|entry| entry.path().extension().is_some_and(|kind| kind == "dj")).count();
    for number in 0..count.saturating_sub(there) as u64 {
        // Names that no file of the journal will ever take: it counts from zero.
        let path = folder.join(format!("spare-{:020}.dj", u64::MAX - number));
        let file = journal::private_file().write(true).create(true).truncate(false).open(path)?;
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, file_bytes)?;
    }
    Ok(())
}

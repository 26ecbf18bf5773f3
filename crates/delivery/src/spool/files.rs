//! The folder of a queue: its journal and the position up to which everything is delivered.
//!
//! In: settings. Out: an open journal. Holds: it. Limits: files of a sixteenth of the capacity, so that space is
//! freed while the queue empties.

use super::{aside, taken::TakenNumbers};
use crate::options::DiskBuffer;
use journal::{CursorFile, Disk, Durability, Journal, OpenError, Options};
use message::Repeats;
use std::{
    fs,
    hash::{BuildHasher, RandomState},
    io,
    path::Path,
    sync::Arc,
};
use transport::InternalLog;

/// Number of files in the capacity, and limits of their size.
const FILES: u64 = 16;
const FILE_BYTES: std::ops::RangeInclusive<u64> = (64 << 10)..=(32 << 20);
/// Empty files that are kept for reuse unless `truncate-size-ratio()` says otherwise.
const SPARES: usize = 2;
/// Name of the file that says what was delivered.
pub(super) const CURSOR: &str = "delivered.cursor";

/// Name of the file that identifies the queue.
const INCARNATION: &str = "incarnation";

/// An open queue folder.
pub(super) struct SpoolFiles {
    pub(super) journal: Journal,
    pub(super) cursor: CursorFile,
    /// Random; drawn when the queue is created. With a sequence number it identifies a message forever. `None` for
    /// a queue that is not `reliable()`: a loss of power may remove messages that were passed on, and others would
    /// get their numbers.
    pub(super) incarnation: Option<u64>,
    /// The numbers that it took of senders that number their messages; `None` for a queue that is not `reliable()`, which
    /// acknowledges messages that are not on the disk.
    pub(super) taken: Option<TakenNumbers>,
}

impl SpoolFiles {
    /// Opens the folder, creating it if missing. One that cannot be used is moved aside.
    pub(super) fn open(settings: &DiskBuffer, log: &InternalLog) -> io::Result<(SpoolFiles, Repeats)> {
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
        let (taken, repeats) = match settings.reliable {
            true => {
                let (taken, repeats) = TakenNumbers::open(disk.clone(), folder, &journal)?;
                (Some(taken), repeats)
            }
            false => (None, Repeats::default()),
        };
        Ok((SpoolFiles { journal, cursor, incarnation, taken }, repeats))
    }

    /// Records what was delivered, and frees its space.
    pub(super) fn release(&mut self, written: u64) -> io::Result<()> {
        if written > self.cursor.sequence() {
            self.cursor.save(written)?;
        }
        if self.journal.can_release(written) {
            // The files must not be removed before the record that they are not needed.
            self.cursor.sync()?;
            if let Some(taken) = &mut self.taken {
                taken.keep(self.journal.durable_sequence())?;
            }
            self.journal.release(written)?;
        }
        Ok(())
    }

    /// Returns true when messages go to disk before anything else happens to them.
    pub(super) fn is_write_ahead(&self) -> bool {
        self.incarnation.is_some()
    }

    /// Bytes that count against the capacity.
    pub(super) fn bytes(&self) -> u64 {
        self.journal.file_bytes() + self.journal.staged_bytes() as u64
    }
}

/// Reads the random number of a queue, which is drawn when the queue is created.
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
    // From an earlier version. If it cannot be changed, it belongs to another user, who may read it anyway.
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

/// Creates spare files with their space allocated. Existing ones count.
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

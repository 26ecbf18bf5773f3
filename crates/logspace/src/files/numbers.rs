//! Saves how far sequence numbers were assigned, separately from the journal: when a journal file is deleted,
//! emptied or cut, this is noticed, and no number is assigned twice.
//!
//! In: the end of what is durable, before it is acknowledged. Out: the sequence number after the last acknowledged
//! message.
//! Holds: one file of two slots. Limits: it survives a crash of the process at once and a loss of power within
//! [`SYNC_GAP`]: after that a lost journal is still noticed, but the mark may be [`UNSYNCED_MAX`] numbers too low.

use journal::{CursorFile, Disk};
use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

/// Name of the file.
const NUMBERS_NAME: &str = "numbers";
/// Longest time between a change of the mark and its sync. Syncing each change would double the number of syncs.
pub(crate) const SYNC_GAP: Duration = Duration::from_secs(1);
/// Exceeds the number of messages that can be acknowledged in [`SYNC_GAP`].
pub(crate) const UNSYNCED_MAX: u64 = 1 << 20;

/// The saved end of a logspace's assigned numbers.
pub(crate) struct NumberMark {
    cursor: CursorFile,
    synced: Instant,
    is_synced: bool,
}

impl NumberMark {
    /// Opens the mark; a new one is at 0.
    pub(crate) fn open(disk: &dyn Disk, dir: &Path) -> io::Result<NumberMark> {
        let cursor = CursorFile::open(disk, &dir.join(NUMBERS_NAME))?;
        disk.sync_dir(dir)?;
        Ok(NumberMark { cursor, synced: Instant::now(), is_synced: true })
    }

    /// Returns the sequence number after the last message that is known to have been acknowledged.
    pub(crate) fn end(&self) -> u64 {
        self.cursor.sequence()
    }

    /// Saves that everything below a number is acknowledged from now on.
    pub(crate) fn save(&mut self, end: u64) -> io::Result<()> {
        if end <= self.cursor.sequence() {
            return Ok(());
        }
        self.cursor.save(end)?;
        debug_assert_eq!(self.end(), end, "the mark that was saved");
        self.is_synced = false;
        self.sync_when_due()
    }

    /// Returns true when the last change is on the device.
    pub(crate) fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Makes the last change durable unless that was done less than [`SYNC_GAP`] ago.
    pub(crate) fn sync_when_due(&mut self) -> io::Result<()> {
        if self.is_synced || self.synced.elapsed() < SYNC_GAP {
            return Ok(());
        }
        self.sync()
    }

    /// Makes the last change durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.cursor.sync()?;
        (self.synced, self.is_synced) = (Instant::now(), true);
        Ok(())
    }
}

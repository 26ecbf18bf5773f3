//! The file of one consumer of a shared log: who it is, and what of the log it has settled.
//!
//! In: what is settled. Out: the same after a restart. Holds: one file with two slots, written in turn, so that a
//! torn write loses at most the newest save. Described in `docs/format/shared-log.md`.
//! Limits: [`RANGES_MAX`] ranges; what is settled beyond them is delivered again after a crash. A save survives the
//! process, and after [`ProgressFile::sync`] the loss of power.

use super::in_flight::Settled;
use journal::{Disk, DiskFile};
use std::{array, io, path::Path};

/// Last part of the name of the file.
pub(super) const EXTENSION: &str = "consumer";

/// Most ranges in a slot.
pub(super) const RANGES_MAX: usize = 60;

const MAGIC: &[u8; 8] = b"DURACONS";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 64;
/// Each slot has sectors of its own: one of them is always whole.
const SLOT_BYTES: usize = 1024;
/// Numbers before the ranges, and the place of the checksum after them.
const SLOT_NUMBERS: usize = 6;
const CRC_OFFSET: usize = SLOT_NUMBERS * 8;
const RANGES_PLACE: usize = SLOT_NUMBERS + 1;

/// The properties of a consumer that never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    /// Its bit in the entries of the log.
    pub(super) number: usize,
    /// Random; with a sequence number it identifies a message of this consumer forever.
    pub(super) incarnation: u64,
}

/// The progress of a consumer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Progress {
    pub(super) settled: Settled,
    /// The log ended here when this was saved.
    pub(super) end: u64,
    /// Messages below `end` that are not settled.
    pub(super) waiting: u64,
    /// `capacity-bytes()` of the destination.
    pub(super) capacity_bytes: u64,
}

/// An open file.
pub(super) struct ProgressFile {
    file: Box<dyn DiskFile>,
    pub(super) identity: Identity,
    pub(super) saved: Progress,
    generation: u64,
    /// The slot that is durable: it is not written before the other one is durable.
    synced_slot: u64,
    is_synced: bool,
}

/// The reason why the file of a consumer cannot be used.
#[derive(Debug)]
pub(super) enum ProgressError {
    /// The disk refuses it.
    Io(io::Error),
    /// It is damaged, or of another version.
    Malformed,
}

impl From<io::Error> for ProgressError {
    fn from(error: io::Error) -> ProgressError {
        ProgressError::Io(error)
    }
}

impl From<ProgressError> for io::Error {
    fn from(error: ProgressError) -> io::Error {
        match error {
            ProgressError::Io(error) => error,
            ProgressError::Malformed => io::Error::other("damaged, or of another version"),
        }
    }
}

impl ProgressFile {
    /// Creates the file of a new consumer, durably.
    pub(super) fn create(
        disk: &dyn Disk,
        path: &Path,
        identity: Identity,
        progress: &Progress,
    ) -> io::Result<ProgressFile> {
        let file = disk.create(path)?;
        let saved = Progress::default();
        let mut created =
            ProgressFile { file, identity, saved, generation: 0, synced_slot: 0, is_synced: false };
        created.file.write_at(0, &encode_identity(&identity))?;
        created.save(progress)?;
        created.sync()?;
        if let Some(folder) = path.parent() {
            disk.sync_dir(folder)?;
        }
        Ok(created)
    }

    /// Opens the file of a known consumer.
    pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<ProgressFile, ProgressError> {
        let file = disk.open(path)?;
        let mut header = [0; HEADER_BYTES];
        let read = file.read_at(0, &mut header)?;
        let identity = decode_identity(&header[..read]).ok_or(ProgressError::Malformed)?;
        // Without a slot that can be read, everything that is left in the log is delivered again.
        let mut newest = (0, 0, Progress::default());
        for slot in 0..2 {
            let mut bytes = [0; SLOT_BYTES];
            let read = file.read_at(slot_offset(slot), &mut bytes)?;
            if let Some((generation, progress)) = decode_slot(&bytes[..read])
                && generation > newest.0
            {
                newest = (generation, slot, progress);
            }
        }
        let (generation, synced_slot, saved) = newest;
        // What was read may be in the memory of the system only.
        file.sync()?;
        Ok(ProgressFile { file, identity, saved, generation, synced_slot, is_synced: true })
    }

    /// Saves the progress, if it is not the last one.
    pub(super) fn save(&mut self, progress: &Progress) -> io::Result<()> {
        if *progress == self.saved && self.generation > 0 {
            return Ok(());
        }
        let generation = self.generation + 1;
        self.is_synced = false;
        self.file.write_at(slot_offset(1 - self.synced_slot), &encode_slot(generation, progress))?;
        self.generation = generation;
        self.saved.clone_from(progress);
        Ok(())
    }

    /// Makes the last save durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.file.sync()?;
            self.is_synced = true;
            self.synced_slot = 1 - self.synced_slot;
        }
        Ok(())
    }
}

fn slot_offset(slot: u64) -> u64 {
    SLOT_BYTES as u64 * (1 + slot)
}

fn encode_identity(identity: &Identity) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[10..12].copy_from_slice(&(identity.number as u16).to_le_bytes());
    header[16..24].copy_from_slice(&identity.incarnation.to_le_bytes());
    let crc = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&crc.to_le_bytes());
    header
}

fn decode_identity(bytes: &[u8]) -> Option<Identity> {
    let bytes = bytes.first_chunk::<HEADER_BYTES>()?;
    let eight = |at: usize| u64::from_le_bytes(array::from_fn(|index| bytes[at + index]));
    let number = usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
    let identity = Identity { number, incarnation: eight(16) };
    (number < message::codec::shared::CONSUMERS_MAX && encode_identity(&identity) == *bytes)
        .then_some(identity)
}

fn encode_slot(generation: u64, progress: &Progress) -> [u8; SLOT_BYTES] {
    let Progress { settled, end, waiting, capacity_bytes } = progress;
    assert!(settled.ranges.len() <= RANGES_MAX, "{} ranges", settled.ranges.len());
    let mut slot = [0; SLOT_BYTES];
    let ranges = settled.ranges.len() as u64;
    let numbers: [u64; SLOT_NUMBERS] = [generation, settled.below, *end, *waiting, *capacity_bytes, ranges];
    let ranges = settled.ranges.iter().flat_map(|range| [range.start, range.end]);
    let places = (0..SLOT_NUMBERS).chain(RANGES_PLACE..);
    for (place, number) in places.zip(numbers.into_iter().chain(ranges)) {
        slot[place * 8..place * 8 + 8].copy_from_slice(&number.to_le_bytes());
    }
    let crc = crc32fast::hash(&slot);
    slot[CRC_OFFSET..CRC_OFFSET + 4].copy_from_slice(&crc.to_le_bytes());
    slot
}

fn decode_slot(bytes: &[u8]) -> Option<(u64, Progress)> {
    let bytes = bytes.first_chunk::<SLOT_BYTES>()?;
    let eight = |place: usize| u64::from_le_bytes(array::from_fn(|index| bytes[place * 8 + index]));
    let count = usize::try_from(eight(5)).ok().filter(|count| *count <= RANGES_MAX)?;
    let place = |index: usize| RANGES_PLACE + 2 * index;
    let ranges = (0..count).map(|index| eight(place(index))..eight(place(index) + 1)).collect();
    let settled = Settled { below: eight(1), ranges };
    let progress = Progress { settled, end: eight(2), waiting: eight(3), capacity_bytes: eight(4) };
    let generation = eight(0);
    (generation > 0 && encode_slot(generation, &progress) == *bytes).then_some((generation, progress))
}

#[cfg(test)]
mod tests;

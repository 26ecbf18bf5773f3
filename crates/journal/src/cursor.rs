//! A position in a journal that survives restarts: how far a reader has come.
//!
//! In: sequence numbers. Out: the last one saved. Holds: one file of two slots, written in turn, so that a torn
//! write loses at most the newest save.
//! Limits: a save is not synced by itself; after a power cut, at most what followed the last sync is read again: see
//! [`CursorFile::sync`].

use crate::disk::{Disk, DiskFile};
use std::{io, path::Path};

/// Generation, sequence number, checksum, four spare bytes.
const SLOT_BYTES: usize = 24;

/// An open cursor file.
pub struct CursorFile {
    file: Box<dyn DiskFile>,
    generation: u64,
    sequence: u64,
}

impl CursorFile {
    /// Opens a cursor, at 0 when there was none.
    pub fn open(disk: &dyn Disk, path: &Path) -> io::Result<CursorFile> {
        let file = match disk.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => disk.create(path)?,
            opened => opened?,
        };
        let mut bytes = [0; 2 * SLOT_BYTES];
        let read = file.read_at(0, &mut bytes)?;
        let slots = bytes[..read].chunks_exact(SLOT_BYTES).filter_map(decode);
        let (generation, sequence) = slots.max().unwrap_or_default();
        Ok(CursorFile { file, generation, sequence })
    }

    /// Returns the sequence number saved last.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Saves a sequence number; it survives the process, and after [`CursorFile::sync`] the loss of power.
    pub fn save(&mut self, sequence: u64) -> io::Result<()> {
        let generation = self.generation + 1;
        let offset = (generation % 2) * SLOT_BYTES as u64;
        self.file.write_at(offset, &encode(generation, sequence))?;
        (self.generation, self.sequence) = (generation, sequence);
        Ok(())
    }

    /// Makes the last save durable.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}

fn encode(generation: u64, sequence: u64) -> [u8; SLOT_BYTES] {
    let mut slot = [0; SLOT_BYTES];
    slot[..8].copy_from_slice(&generation.to_le_bytes());
    slot[8..16].copy_from_slice(&sequence.to_le_bytes());
    let crc = crc32fast::hash(&slot[..16]);
    slot[16..20].copy_from_slice(&crc.to_le_bytes());
    slot
}

fn decode(slot: &[u8]) -> Option<(u64, u64)> {
    let generation = u64::from_le_bytes(*slot.first_chunk()?);
    let sequence = u64::from_le_bytes(*slot.get(8..)?.first_chunk()?);
    (slot == encode(generation, sequence)).then_some((generation, sequence))
}

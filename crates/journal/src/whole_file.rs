//! A small file that is replaced as a whole: a crash leaves the old or the new one.
//!
//! In: bytes. Out: the same. Holds: nothing. Limits: the bytes fit in memory; a checksum tells damage from contents.

use crate::disk::Disk;
use std::{io, path::Path};

/// Checksum and length before the bytes.
const HEAD_BYTES: usize = 12;
/// Largest file that is read: far more than is ever written.
const BYTES_MAX: u64 = 1 << 30;

/// Replaces a file, and makes it durable.
pub fn write_whole(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    match disk.remove(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = disk.create(&beside)?;
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    head[4..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    file.write_at(0, &head)?;
    file.write_at(HEAD_BYTES as u64, bytes)?;
    file.sync()?;
    disk.rename(&beside, path)?;
    path.parent().map_or(Ok(()), |folder| disk.sync_dir(folder))
}

/// Reads a file that was replaced as a whole; `None` when there is none. Damage is an error of invalid data.
pub fn read_whole(disk: &dyn Disk, path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match disk.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the file is damaged");
    let size = file.len()?;
    if !(HEAD_BYTES as u64..BYTES_MAX).contains(&size) {
        return Err(damaged());
    }
    let mut bytes = vec![0; size as usize];
    let read = file.read_at(0, &mut bytes)?;
    let (head, rest) = bytes.split_at(HEAD_BYTES);
    let is_whole = read == bytes.len()
        && head[..4] == crc32fast::hash(rest).to_le_bytes()
        && head[4..] == (rest.len() as u64).to_le_bytes();
    if is_whole { Ok(Some(rest.to_vec())) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests;

//! One open file that grows: its read position, and whether it is still the same file.
//!
//! In: a path or an open file. Out: bytes from the position on. Holds: the file, the position of the next read.
//! Limits: a file that is truncated and has grown past the position again is recognised only by its first bytes.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

/// Number of first bytes that distinguish a file from its successor with the same inode.
const HEAD_BYTES_MAX: usize = 64;

/// An open file.
pub(super) struct Tail {
    file: File,
    inode: (u64, u64),
    /// Position of the next read.
    pub(super) offset: u64,
    head: Vec<u8>,
}

/// Difference between the open file and the file under the path.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// It is the same file.
    None,
    /// It was truncated, or truncated and written again.
    Truncated,
    /// Another file has the name now.
    Moved,
    /// No file has the name now.
    Gone,
}

impl Tail {
    pub(super) fn open(path: &Path) -> io::Result<Tail> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut tail = Tail { file, inode: (metadata.dev(), metadata.ino()), offset: 0, head: Vec::new() };
        tail.head = tail.read_head(HEAD_BYTES_MAX)?;
        Ok(tail)
    }

    /// Returns the name of this file in the stored positions: device, inode, number and checksum of its first bytes.
    pub(super) fn identity(&self) -> String {
        Tail::identity_of(self.inode, &self.head)
    }

    /// Returns true if a stored identity is that of this file; it may have been computed from fewer first
    /// bytes.
    pub(super) fn is(&self, stored: &str) -> bool {
        let size = stored.split(':').nth(2).and_then(|size| size.parse::<usize>().ok());
        let short = size.and_then(|size| self.head.get(..size));
        short.is_some_and(|head| Tail::identity_of(self.inode, head) == stored)
    }

    fn identity_of(inode: (u64, u64), head: &[u8]) -> String {
        let sum = head.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{}:{}:{}:{sum:x}", inode.0, inode.1, head.len())
    }

    fn read_head(&self, size: usize) -> io::Result<Vec<u8>> {
        let mut head = vec![0; size];
        let size = self.file.read_at(&mut head, 0)?;
        head.truncate(size);
        Ok(head)
    }

    pub(super) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Appends the bytes from the position on, as far as the buffer has space, and returns how many. Appends nothing
    /// when the file was rewritten and those bytes belong to its successor.
    pub(super) fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let start = buffer.len();
        let free = (buffer.capacity() - start) as u64;
        let mut part = io::Read::take(&self.file, free);
        io::Seek::seek(&mut &self.file, io::SeekFrom::Start(self.offset))?;
        let size = io::Read::read_to_end(&mut part, buffer)?;
        // The file may have been rewritten since the last check, and even while it was read: bytes that still exist
        // now belong to the successor, others were read before.
        if size > 0 && self.is_rewritten()? && self.has(&buffer[start..])? {
            buffer.truncate(start);
            return Ok(0);
        }
        self.offset += size as u64;
        Ok(size)
    }

    /// Returns whether the first bytes differ from those that were read before.
    fn is_rewritten(&self) -> io::Result<bool> {
        Ok(self.read_head(self.head.len())? != self.head)
    }

    /// Returns whether the file has these bytes at the position.
    fn has(&self, bytes: &[u8]) -> io::Result<bool> {
        let mut there = vec![0; bytes.len()];
        match self.file.read_exact_at(&mut there, self.offset) {
            Ok(()) => Ok(there == bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Compares with the file now at the path. Updates the recorded first bytes of a file that was short.
    pub(super) fn change(&mut self, path: &Path) -> io::Result<Change> {
        match fs::metadata(path) {
            Ok(now) if (now.dev(), now.ino()) != self.inode => return Ok(Change::Moved),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Change::Gone),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        if self.size()? < self.offset {
            return Ok(Change::Truncated);
        }
        let head = self.read_head(HEAD_BYTES_MAX)?;
        if !head.starts_with(&self.head) {
            return Ok(Change::Truncated);
        }
        self.head = head;
        Ok(Change::None)
    }

    /// Starts at the beginning of the file again.
    pub(super) fn rewind(&mut self) -> io::Result<()> {
        self.offset = 0;
        self.head = self.read_head(HEAD_BYTES_MAX)?;
        Ok(())
    }
}

/// Finds the file with that identity in the same folder, in case it was rotated while not followed.
pub(super) fn find_rotated(path: &Path, identity: &str) -> Option<(PathBuf, Tail)> {
    /// A folder with more entries is not searched to its end.
    const SEARCHED_MAX: usize = 10_000;
    let entries = fs::read_dir(folder_of(path)).ok()?;
    let inode: u64 = identity.split(':').nth(1)?.parse().ok()?;
    entries
        .flatten()
        .take(SEARCHED_MAX)
        .filter(|entry| std::os::unix::fs::DirEntryExt::ino(entry) == inode)
        .find_map(|entry| {
            let tail = Tail::open(&entry.path()).ok()?;
            tail.is(identity).then(|| (entry.path(), tail))
        })
}

/// Returns the folder of a path.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;

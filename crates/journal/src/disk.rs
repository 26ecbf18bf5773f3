//! The files that a journal touches, behind traits so that tests can lose power, fill up and fail.
//!
//! In: paths, offsets, bytes. Out: the answers of the operating system. [`OsDisk`] is the real one.
//! Limits: those of the file system.

use crate::private::{make_private_folders, private_file};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::FileExt,
    path::Path,
    thread,
    time::Duration,
};

/// A lock that was just released may stay for a moment: in a child process between its fork and its exec.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// A file system.
pub trait Disk: Send + Sync {
    /// Makes a directory and its parents.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;
    /// Creates a file that does not exist, for reading and writing.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file for reading and writing.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Returns the names of the entries of a directory, in any order.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Renames a file, replacing any file that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes creations, removals and renames in a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// Locks a file, made when missing, until the lock is dropped or the process ends; `None` when it is locked.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn DiskLock>>>;
}

/// A held lock.
pub trait DiskLock: Send + Sync {}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Writes all bytes at an offset.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Reads at an offset; fewer bytes than requested only at the end of the file.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;
    /// Returns the length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Returns true when the file holds no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|length| length == 0)
    }
    /// Cuts or extends the file.
    fn set_len(&self, length: u64) -> io::Result<()>;
    /// Makes the bytes written so far durable.
    fn sync(&self) -> io::Result<()>;
}

/// The operating system's files.
#[derive(Clone, Copy, Default, Debug)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        make_private_folders(dir)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = private_file().read(true).write(true).create_new(true).open(path)?;
        Ok(Box::new(OsFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Box::new(OsFile(file)))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn DiskLock>>> {
        let file = private_file().create(true).truncate(false).write(true).open(path)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Box::new(OsLock { _file: file }))),
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }
}

struct OsLock {
    _file: File,
}

impl DiskLock for OsLock {}

struct OsFile(File);

impl DiskFile for OsFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        read_fully(|part, offset| self.0.read_at(part, offset), offset, bytes)
    }

    fn len(&self) -> io::Result<u64> {
        self.0.metadata().map(|found| found.len())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

/// Calls `read` until all bytes are there, or the file ends.
fn read_fully(
    read: impl Fn(&mut [u8], u64) -> io::Result<usize>,
    mut offset: u64,
    bytes: &mut [u8],
) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match read(&mut bytes[done..], offset) {
            Ok(0) => break,
            Ok(count) => {
                done += count;
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests;

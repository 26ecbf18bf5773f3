//! The bytes of a file: mapped, or in memory; and memory that fills up chunk by chunk.
//!
//! In: a path or bytes. Out: a slice. Limits: the address space.
//!
//! Safety: a mapping is sound while the file is not changed. Segments are never changed once they have their name,
//! and retention unlinks them, which keeps the mapped pages. Truncating a segment from outside ends this process with
//! a bus error; everything that is read is covered by a checksum. A [`ScratchMemory`] is a file in memory that only
//! this process can access; its chunks are written before they are read for the first time, and emptied only while
//! nothing reads them (see `plain.rs`).
#![allow(unsafe_code)]

use memmap2::{Mmap, UncheckedAdvice};
use rustix::fs::{FallocateFlags, MemfdFlags, OFlags, fallocate, memfd_create};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

pub(super) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    pub(super) fn map(path: &Path) -> io::Result<Bytes> {
        // Links are resolved by callers that know where they may lead.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::Owned(Vec::new()));
        }
        // Safety: see the module.
        Ok(Bytes::Mapped(unsafe { Mmap::map(&file)? }))
    }

    /// Releases pages of the process that will not be read again soon; the system may keep them cached.
    pub(super) fn let_go(&self, offset: usize, length: usize) {
        if let Bytes::Mapped(map) = self {
            // Safety: the pages of a file that is only read come back unchanged. If this fails, they stay.
            let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, offset, length) };
        }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Memory of a fixed size, zero until it is written.
pub(super) struct ScratchMemory {
    file: File,
    map: Mmap,
}

impl ScratchMemory {
    pub(super) fn new(size: usize) -> io::Result<ScratchMemory> {
        let file = File::from(memfd_create("duramen-segment", MemfdFlags::CLOEXEC)?);
        file.set_len(size.max(1) as u64)?;
        // Safety: see the module.
        let map = unsafe { Mmap::map(&file)? };
        Ok(ScratchMemory { file, map })
    }

    /// Writes a chunk that has not been read yet.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset as u64)
    }

    /// Returns the memory to the system; everything is zero again.
    pub(super) fn empty(&self) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, flags, 0, self.map.len() as u64)?)
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.map
    }
}

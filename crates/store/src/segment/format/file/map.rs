//! The bytes of a file: mapped, or in memory.
//!
//! In: a path or bytes. Out: a slice. Limits: the address space.
//!
//! Safety: a mapping is sound while nobody changes the file. Segments are never changed once they have their name,
//! and retention unlinks them, which keeps the mapped pages. Who cuts a segment from outside ends this process with
//! a bus error; all that is read is checked by checksum.
#![allow(unsafe_code)]

use memmap2::Mmap;
use std::{fs::File, io, path::Path};

pub(super) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    pub(super) fn map(path: &Path) -> io::Result<Bytes> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::Owned(Vec::new()));
        }
        // Safety: see the module.
        Ok(Bytes::Mapped(unsafe { Mmap::map(&file)? }))
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

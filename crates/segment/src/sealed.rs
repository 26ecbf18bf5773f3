//! A sealed segment: one file, mapped, never changed.
//!
//! In: a path. Out: answers; whether the file is intact; a rebuilt index.
//! Holds: the mapping, the directory of columns, the dictionary of blocks, the positions of the templates'
//! documents; recently shown blocks.
//! Limits: every number read from the file is checked, every chunk's checksum is compared before its first use:
//! damage is an error with its offset, never a panic.

mod aged;
mod check;
mod column;
mod directory;
mod inspector;
mod packed_terms;
mod prove;
mod reading;
mod template_list;
mod terms;
mod together;
mod view;

use super::format::{
    Damage, FileSlice,
    file::{Section, SegmentFile},
    numbers::Numbers,
};
use crate::documents::kept::KeptBlocks;
use crate::format::columns::Kind;
pub(crate) use aged::Aging;
pub use check::{RebuildError, VerifyReport};
use directory::{Entry, Meta};
use evidence::Keys;
pub use inspector::{DamagedChunk, SegmentForm, SegmentInspector};
use lookup::{ReadError, SegmentResults};
pub(crate) use prove::leaf_of;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};
use template_list::TemplateList;
use zstd::zstd_safe::DDict;

/// An open segment file.
pub struct Sealed {
    path: PathBuf,
    file: SegmentFile,
    meta: Meta,
    /// Dictionary that blocks are decompressed with; made when the first one is.
    decoder: OnceLock<Option<DDict<'static>>>,
    kept: KeptBlocks,
    /// The documents of templates; 12 bytes per template, some 200 KB in a segment of a million messages.
    template_lists: OnceLock<Vec<TemplateList>>,
    results: Arc<SegmentResults>,
}

impl Sealed {
    /// Opens a segment file that is not encrypted.
    pub fn open(path: &Path) -> Result<Sealed, ReadError> {
        Sealed::unlock(path, &Keys::default())
    }

    /// Opens a segment file, with one of these keys when it is encrypted.
    pub fn unlock(path: &Path, keys: &Keys) -> Result<Sealed, ReadError> {
        SegmentInspector::open(path, keys)?.read()
    }

    /// Opens the bytes of a segment file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Sealed, ReadError> {
        SegmentInspector::from_bytes(bytes, &Keys::default())?.read()
    }

    fn of(path: &Path, file: SegmentFile) -> Result<Sealed, ReadError> {
        if file.is_locked() {
            return Err(ReadError::Locked { path: path.to_owned() });
        }
        let open = || {
            let _pin = file.pin();
            let meta = Meta::read(file.section(Section::Meta)?)?;
            let header = file.header();
            if file.has_facts() && (header.first, header.count) != (meta.first_sequence, meta.length) {
                return Err(Damage { offset: 0, what: "header and contents do not agree" });
            }
            Ok(meta)
        };
        let meta = open().map_err(|damage: Damage| corrupt(path, damage))?;
        let sealed = Sealed {
            path: path.to_owned(),
            file,
            meta,
            decoder: OnceLock::new(),
            kept: KeptBlocks::new(),
            template_lists: OnceLock::new(),
            results: Arc::default(),
        };
        // Queries on received times cannot fail, so they are checked now.
        let _pin = sealed.file.pin();
        sealed.numbers(Kind::Received).map_err(|damage| corrupt(path, damage))?;
        drop(_pin);
        Ok(sealed)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// The file's parts.
    pub(crate) fn file(&self) -> &SegmentFile {
        &self.file
    }

    fn corrupt(&self, damage: Damage) -> ReadError {
        corrupt(&self.path, damage)
    }

    /// Returns the numbers of one kind of all documents.
    fn numbers(&self, kind: Kind) -> Result<Numbers<'_>, Damage> {
        let entry = self.meta.columns.iter().find(|entry| entry.code == kind as u8);
        let missing = Damage { offset: 0, what: "a column of numbers is missing" };
        let part = self.bytes_of(entry.ok_or(missing)?)?;
        self.file.check_part(&part)?;
        Numbers::open(part, self.meta.length as usize)
    }

    /// The bytes of a column, not checked.
    fn bytes_of(&self, entry: &Entry) -> Result<FileSlice<'_>, Damage> {
        self.file.whole(Section::Columns)?.piece(entry.start, entry.size)
    }
}

fn corrupt(path: &Path, damage: Damage) -> ReadError {
    ReadError::Corrupt { path: path.to_owned(), offset: damage.offset, what: damage.what }
}

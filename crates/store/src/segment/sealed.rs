//! A sealed segment: one file, mapped, never changed.
//!
//! In: a path. Out: answers; whether the file is whole; the index made anew.
//! Holds: the mapping and the directory of columns; nothing else is kept between questions.
//! Limits: every number read from the file is checked, every chunk's checksum is compared before its first use:
//! damage is an error that names the place, never a panic.

mod check;
mod column;
mod directory;
mod reading;
mod terms;
mod view;

use super::format::{
    Damage, Part,
    file::{Section, SegmentFile},
    numbers::Numbers,
};
use crate::ReadError;
pub use check::{RebuildError, VerifyReport};
use column::SealedColumn;
pub(crate) use directory::Kind;
use directory::{Entry, Meta};
use std::path::{Path, PathBuf};

/// How a column's places are kept. The number stands in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Form {
    /// A place, 0 for none, for every document.
    Dense = 0,
    /// Every document has a value: ordinals.
    Full = 1,
    /// The documents that have a value, then their ordinals.
    Sparse = 2,
}

/// An open segment file.
pub struct Sealed {
    path: PathBuf,
    file: SegmentFile,
    meta: Meta,
}

impl Sealed {
    /// Opens a segment file.
    pub fn open(path: &Path) -> Result<Sealed, ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        Sealed::of(path, SegmentFile::open(path).map_err(io)?)
    }

    /// Opens the bytes of a segment file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Sealed, ReadError> {
        Sealed::of(Path::new("memory"), SegmentFile::from_bytes(bytes))
    }

    fn of(path: &Path, file: Result<SegmentFile, Damage>) -> Result<Sealed, ReadError> {
        let open = || {
            let file = file?;
            let meta = Meta::read(file.section(Section::Meta)?)?;
            let sealed = Sealed { path: path.to_owned(), file, meta };
            // Received times answer questions that cannot fail: they are looked at now.
            sealed.numbers(Kind::Received)?;
            Ok(sealed)
        };
        open().map_err(|damage: Damage| corrupt(path, damage))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    fn corrupt(&self, damage: Damage) -> ReadError {
        corrupt(&self.path, damage)
    }

    /// The numbers of all documents of one kind.
    fn numbers(&self, kind: Kind) -> Result<Numbers<'_>, Damage> {
        let entry = self.meta.columns.iter().find(|entry| entry.code == kind as u8);
        let missing = Damage { offset: 0, what: "a column of numbers is missing" };
        let part = self.bytes_of(entry.ok_or(missing)?)?;
        self.file.check_part(&part)?;
        Numbers::open(part, self.meta.length as usize)
    }

    /// The bytes of a column, not checked.
    fn bytes_of(&self, entry: &Entry) -> Result<Part<'_>, Damage> {
        self.file.whole(Section::Columns)?.piece(entry.start, entry.size)
    }

    /// A column of values.
    fn column<'a>(&'a self, entry: &'a Entry) -> Result<SealedColumn<'a>, Damage> {
        SealedColumn::open(self, entry, self.bytes_of(entry)?)
    }
}

fn corrupt(path: &Path, damage: Damage) -> ReadError {
    ReadError::Corrupt { path: path.to_owned(), offset: damage.offset, what: damage.what }
}

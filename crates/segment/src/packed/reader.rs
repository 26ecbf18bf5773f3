//! Reads messages from groups.
//!
//! In: the sections of a segment's file, a document, the values of its columns. Out: its frame and text.
//! Holds: the group that was read last, of its units those that were needed, unpacked, and templates.
//! Limits: [`HELD_BYTES_MAX`]; every size that a file claims is checked against a limit before memory is allocated.

use super::{
    column::{COLUMN_BYTES_MAX, Cursor},
    group::GROUP_DOCUMENTS,
    skeleton,
    skeletons::SkeletonTable,
    values::Values,
};
use crate::{
    documents::text::TextLocation,
    format::{Damage, FileSlice, Reader},
};
use lookup::Document;
use std::{io, ops::Range};

/// Bytes of an entry of the index of groups: first document, bytes of the head stored and plain, offset.
pub(crate) const ENTRY_BYTES: usize = 20;
/// Most bytes of a group's head: template numbers of two bytes, and its tables.
const HEAD_BYTES_MAX: usize = 4 << 20;
/// Most bytes that a unit's streams may unpack to.
const UNIT_BYTES_MAX: usize = 2 * COLUMN_BYTES_MAX;
/// Unpacked units are dropped beyond this; a whole group of usual messages takes some 5 MiB.
const HELD_BYTES_MAX: usize = 64 << 20;

/// Source of the pieces of a segment's file; each piece is checked before it is returned.
pub(crate) trait Source {
    /// A piece of the section of groups.
    fn piece(&self, start: usize, length: usize) -> Result<FileSlice<'_>, Damage>;
    /// The index of groups.
    fn index(&self) -> Result<FileSlice<'_>, Damage>;
    /// The section of templates' skeletons.
    fn skeletons(&self) -> Result<FileSlice<'_>, Damage>;
    /// Number of documents.
    fn documents(&self) -> u32;
}

/// A group, its head read.
#[derive(Default)]
struct Group {
    documents: Range<u32>,
    /// Skeletons of the group's templates.
    skeletons: Vec<u32>,
    /// For each document the number of its template and of its row in the template.
    rows: Vec<(u16, u16)>,
    /// For each template its pieces: unit, number in it, first row.
    pieces: Vec<Vec<(u32, u32, u32)>>,
    units: Vec<Unit>,
    held_bytes: usize,
}

/// A unit and what was read of it.
struct Unit {
    /// Offset in the section.
    start: usize,
    /// Number of rows of each piece.
    pieces: Vec<u32>,
    heads: usize,
    text: usize,
    joined: usize,
    small: usize,
    small_stored: usize,
    packed: usize,
    opened: Option<Streams>,
    /// Columns of each piece.
    columns: Vec<Option<Vec<Values>>>,
}

/// The streams of a unit that are compressed.
struct Streams {
    joined: Vec<u8>,
    small: Vec<u8>,
}

/// Reads a segment's messages.
pub(crate) struct PackedReader {
    decompressor: zstd::bulk::Decompressor<'static>,
    plain: zstd::bulk::Decompressor<'static>,
    group: Group,
    table: SkeletonTable,
}

impl PackedReader {
    /// Creates a reader with the dictionary of the units.
    pub(crate) fn new(dictionary: &[u8]) -> io::Result<PackedReader> {
        Ok(PackedReader {
            decompressor: zstd::bulk::Decompressor::with_dictionary(dictionary)?,
            plain: zstd::bulk::Decompressor::new()?,
            group: Group::default(),
            table: SkeletonTable::default(),
        })
    }

    /// Puts together the frame of a document whose other fields are filled in; returns where its text is.
    pub(crate) fn join(
        &mut self,
        source: &dyn Source,
        document: u32,
        out: &mut Document,
    ) -> Result<TextLocation, Damage> {
        if !self.group.documents.contains(&document) {
            self.open_group(source, document)?;
        }
        let group = &mut self.group;
        let missing = Damage { offset: 0, what: "a message is missing in its group" };
        let (template, row) = *group.rows.get((document - group.documents.start) as usize).ok_or(missing)?;
        let pieces = group.pieces.get(usize::from(template)).ok_or(missing)?;
        let at = pieces.partition_point(|piece| piece.2 <= u32::from(row)).checked_sub(1).ok_or(missing)?;
        let (unit, piece, first) = pieces[at];
        let number = *group.skeletons.get(usize::from(template)).ok_or(missing)?;
        let skeleton = self.table.skeleton(number, source.skeletons()?, &mut self.plain)?;
        let columns = group.columns(
            source,
            (unit as usize, piece as usize),
            skeleton::slots(skeleton),
            (&mut self.decompressor, &mut self.plain),
        )?;
        let row = (u32::from(row) - first) as usize;
        let mut values = columns.iter().map(|values| values.at(row));
        skeleton::join(skeleton, &mut values, out)
    }

    fn open_group(&mut self, source: &dyn Source, document: u32) -> Result<(), Damage> {
        self.group = Group::default();
        let entry = find(source, document)?;
        let stored = source.piece(entry.start, entry.stored)?;
        let damage = || stored.damage(0, "the head of a group does not decompress");
        if entry.plain > HEAD_BYTES_MAX {
            return Err(stored.damage(0, "the head of a group is larger than it can be"));
        }
        let head = self.plain.decompress(stored.bytes, entry.plain).map_err(|_| damage())?;
        let mut group = Group { documents: entry.documents, ..Group::default() };
        group.read_head(&head, entry.start + entry.stored).map_err(|bad| stored.damage(0, bad.what))?;
        self.group = group;
        Ok(())
    }
}

/// Position of a group.
pub(crate) struct Entry {
    pub(crate) documents: Range<u32>,
    pub(crate) start: usize,
    /// Bytes of its head.
    pub(crate) stored: usize,
    plain: usize,
}

/// The group of a document.
fn find(source: &dyn Source, document: u32) -> Result<Entry, Damage> {
    let index = source.index()?;
    let first = |group: usize| index.piece(group * ENTRY_BYTES, 4)?.reader().u32();
    let (mut low, mut high) = (0, index.bytes.len() / ENTRY_BYTES);
    while low < high {
        let middle = low.midpoint(high);
        if first(middle)? <= document { low = middle + 1 } else { high = middle }
    }
    let group = low.checked_sub(1).ok_or_else(|| index.damage(0, "a document before the first group"))?;
    let entry = entry(&index, group, source.documents())?;
    match entry.documents.contains(&document) {
        true => Ok(entry),
        false => Err(index.damage(group * ENTRY_BYTES, "groups are not in order")),
    }
}

/// An entry of the index of groups.
pub(crate) fn entry(index: &FileSlice<'_>, group: usize, documents: u32) -> Result<Entry, Damage> {
    let mut reader = index.piece(group * ENTRY_BYTES, ENTRY_BYTES)?.reader();
    let first = reader.u32()?;
    let (stored, plain) = (reader.u32()? as usize, reader.u32()? as usize);
    let start = usize::try_from(reader.u64()?).map_err(|_| reader.damage("a group lies outside the file"))?;
    let is_last = (group + 1) * ENTRY_BYTES >= index.bytes.len();
    let end = if is_last { documents } else { index.piece((group + 1) * ENTRY_BYTES, 4)?.reader().u32()? };
    if end > documents || end.checked_sub(first).is_none_or(|count| count as usize > GROUP_DOCUMENTS) {
        return Err(reader.damage("groups are not in order"));
    }
    Ok(Entry { documents: first..end, start, stored, plain })
}

impl Group {
    /// Reads templates, units and the template of each document. Units begin at `start` of the section.
    fn read_head(&mut self, head: &[u8], start: usize) -> Result<(), Damage> {
        let mut reader = FileSlice::loose(head).reader();
        let count = reader.varint_to(GROUP_DOCUMENTS)?;
        for _ in 0..count {
            self.skeletons.push(reader.varint_to(u32::MAX as usize)? as u32);
        }
        let size = reader.varint_to(head.len())?;
        let mut table = reader.take_part(size)?.reader();
        self.pieces = vec![Vec::new(); count];
        let mut rows_of = vec![0u32; count];
        let mut start = start;
        while !table.is_done() {
            let unit = self.read_unit(&mut table, &mut rows_of, start)?;
            start = start.saturating_add(unit.joined + unit.small_stored + unit.packed);
            self.units.push(unit);
        }
        let length = self.documents.len();
        let low = reader.take(length)?;
        let high = if count > 256 { reader.take(length)? } else { &[] };
        let mut next = vec![0u16; count];
        for (index, low) in low.iter().enumerate() {
            let template = u16::from(*low) | u16::from(high.get(index).copied().unwrap_or(0)) << 8;
            let rows = next.get_mut(usize::from(template));
            let rows = rows.ok_or_else(|| reader.damage("a template that the group does not have"))?;
            self.rows.push((template, *rows));
            *rows += 1;
        }
        if next.iter().map(|rows| u32::from(*rows)).ne(rows_of) {
            return Err(reader.damage("wrong number of rows"));
        }
        Ok(())
    }

    fn read_unit(
        &mut self,
        table: &mut Reader<'_>,
        rows_of: &mut [u32],
        start: usize,
    ) -> Result<Unit, Damage> {
        let number = self.units.len() as u32;
        let count = table.varint_to(GROUP_DOCUMENTS)?;
        let mut pieces = Vec::new();
        for piece in 0..count {
            let template = table.varint_to(GROUP_DOCUMENTS)?;
            let rows = table.varint_to(GROUP_DOCUMENTS)? as u32;
            let sum = rows_of.get_mut(template);
            let sum = sum.ok_or_else(|| table.damage("a template that the group does not have"))?;
            self.pieces[template].push((number, piece as u32, *sum));
            *sum = sum.saturating_add(rows);
            pieces.push(rows);
        }
        let mut size = || table.varint_to(UNIT_BYTES_MAX);
        Ok(Unit {
            start,
            heads: size()?,
            text: size()?,
            joined: size()?,
            small: size()?,
            small_stored: size()?,
            packed: size()?,
            opened: None,
            columns: vec![None; pieces.len()],
            pieces,
        })
    }

    /// The columns of a piece of a unit.
    fn columns(
        &mut self,
        source: &dyn Source,
        (unit, piece): (usize, usize),
        slots: usize,
        decompressors: (&mut zstd::bulk::Decompressor<'static>, &mut zstd::bulk::Decompressor<'static>),
    ) -> Result<&[Values], Damage> {
        let missing = Damage { offset: 0, what: "a unit is missing in its group" };
        let is_there = |unit: &Unit| unit.columns.get(piece).is_some_and(Option::is_some);
        if !self.units.get(unit).is_some_and(is_there) {
            if self.held_bytes > HELD_BYTES_MAX {
                self.held_bytes = 0;
                for unit in &mut self.units {
                    unit.opened = None;
                    unit.columns.fill(None);
                }
            }
            let unit = self.units.get_mut(unit).ok_or(missing)?;
            self.held_bytes += unit.open(source, decompressors)?;
            self.held_bytes += unit.read(source, piece, slots)?;
        }
        self.units[unit].columns[piece].as_deref().ok_or(missing)
    }
}

impl Unit {
    /// Unpacks the streams unless that was done; returns the bytes of memory that this took.
    fn open(
        &mut self,
        source: &dyn Source,
        (decompressor, plain): (
            &mut zstd::bulk::Decompressor<'static>,
            &mut zstd::bulk::Decompressor<'static>,
        ),
    ) -> Result<usize, Damage> {
        if self.opened.is_some() {
            return Ok(0);
        }
        let stored = source.piece(self.start, self.joined)?;
        let size = self.heads + self.text;
        let damage = || stored.damage(0, "a unit does not decompress");
        let joined = decompressor.decompress(stored.bytes, size).map_err(|_| damage())?;
        let mut small = Vec::new();
        if self.small > 0 {
            let stored = source.piece(self.start + self.joined, self.small_stored)?;
            small = plain.decompress(stored.bytes, self.small).map_err(|_| damage())?;
        }
        if (joined.len(), small.len()) != (size, self.small) {
            return Err(damage());
        }
        self.opened = Some(Streams { joined, small });
        Ok(size + self.small)
    }

    /// Reads the columns of a piece; returns the bytes that they take.
    fn read(&mut self, source: &dyn Source, piece: usize, slots: usize) -> Result<usize, Damage> {
        let missing = Damage { offset: 0, what: "a unit is missing in its group" };
        let opened = self.opened.as_ref().ok_or(missing)?;
        let packed = source.piece(self.start + self.joined + self.small_stored, self.packed)?;
        let (heads, text) = opened.joined.split_at(self.heads.min(opened.joined.len()));
        let [heads, text, small] = [heads, text, &opened.small].map(FileSlice::loose);
        let placed = |bad: Damage| Damage { offset: packed.offset, what: bad.what };
        let mut cursor = Cursor::new(heads, text, small, packed);
        for rows in self.pieces.iter().take(piece) {
            cursor.skip_all(*rows as usize).map_err(placed)?;
        }
        let rows = *self.pieces.get(piece).ok_or(missing)? as usize;
        let columns = cursor.read_all(rows).map_err(placed)?;
        if columns.len() != slots {
            return Err(Damage { offset: packed.offset, what: "wrong number of columns" });
        }
        let size = columns.iter().map(|values| values.size() + 4 * values.len()).sum();
        self.columns[piece] = Some(columns);
        Ok(size)
    }
}

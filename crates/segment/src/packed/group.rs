//! A group of neighbouring messages on its way to disk.
//!
//! In: messages. Out: for each its template; the values of each template's slots as columns, in units of a few KiB that
//! are compressed by themselves, so that a message can be read without unpacking neighbours of other templates.
//! Holds: the messages of one group. Limits: [`GROUP_DOCUMENTS`], [`GROUP_BYTES`].

use super::{
    column::{self, Streams},
    skeleton::{self, Split, Splitter},
    values::Values,
};
use crate::format::put_varint;
use lookup::Document;
use std::{collections::HashMap, io, ops::Range};

/// Most messages of a group: all their template numbers are unpacked to read one.
pub(crate) const GROUP_DOCUMENTS: usize = 1 << 14;
/// Bytes of frames after which a group is complete.
pub(crate) const GROUP_BYTES: usize = 32 << 20;
/// Fewest messages of a group that make a template worthwhile.
const SHARED_MIN: u32 = 6;
/// Rows whose columns are stored together: reading one unpacks all of them.
pub(super) const PIECE_ROWS: usize = 256;
/// Bytes of values after which such rows are complete in any case.
const PIECE_BYTES: usize = 1 << 20;
/// Bytes of streams after which a unit is complete.
const UNIT_BYTES: usize = 24 << 10;
/// Level of compression.
const LEVEL: i32 = 9;

/// The templates of a segment, numbered as they are first used.
#[derive(Default)]
pub(crate) struct Skeletons {
    known: HashMap<Vec<u8>, u32>,
    pub(crate) list: Values,
}

impl Skeletons {
    fn number(&mut self, skeleton: &[u8]) -> u32 {
        if let Some(number) = self.known.get(skeleton) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.known.insert(skeleton.to_vec(), number);
        self.list.push(skeleton);
        number
    }
}

/// A message of the group.
struct Row {
    /// Its template, by its number in the group.
    template: u32,
    /// Its values.
    values: Range<usize>,
    /// The part of its frame that the template covers. Rows of one template may differ in it: a frame whose text is
    /// a single value looks like one of which only the header is recognized.
    rank: Rank,
    /// Bytes of the header in the skeleton of the whole frame, its values, and where in the frame the rest begins.
    header: (usize, usize, usize),
    is_apart: bool,
}

/// A template of the group.
struct Template {
    skeleton: Vec<u8>,
    rows: u32,
}

/// The part of a frame that a template covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Whole,
    Header,
    Nothing,
}

/// Compresses the units of a segment.
pub(crate) struct Packer {
    compressor: zstd::bulk::Compressor<'static>,
    plain: zstd::bulk::Compressor<'static>,
    streams: Streams,
    joined: Vec<u8>,
    /// Samples to learn a dictionary from, if wanted.
    pub(crate) samples: Option<Vec<Vec<u8>>>,
}

impl Packer {
    pub(crate) fn new(dictionary: &[u8]) -> io::Result<Packer> {
        Ok(Packer {
            compressor: zstd::bulk::Compressor::with_dictionary(LEVEL, dictionary)?,
            plain: zstd::bulk::Compressor::new(LEVEL)?,
            streams: Streams::default(),
            joined: Vec::new(),
            samples: None,
        })
    }
}

/// The messages of a group.
pub(crate) struct Group<'a> {
    splitter: Splitter<'a>,
    split: Split,
    rows: Vec<Row>,
    values: Values,
    frames: Values,
    texts: Values,
    templates: Vec<Template>,
    by_skeleton: HashMap<Vec<u8>, u32>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(splitter: Splitter<'a>) -> Group<'a> {
        Group {
            splitter,
            split: Split::default(),
            rows: Vec::new(),
            values: Values::default(),
            frames: Values::default(),
            texts: Values::default(),
            templates: Vec::new(),
            by_skeleton: HashMap::new(),
        }
    }

    /// Number of messages.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true when nothing more should be added.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= GROUP_DOCUMENTS || self.frames.size() + self.texts.size() >= GROUP_BYTES
    }

    /// Adds a message. `text` is where its text begins in the frame, or `None` when it is not part of it.
    pub(crate) fn push(&mut self, document: &Document, text: Option<usize>) {
        let mut split = std::mem::take(&mut self.split);
        self.splitter.split(document, text, &mut split);
        let template = self.intern(&split.skeleton);
        let start = self.values.len();
        split.values.iter().for_each(|value| self.values.push(value));
        self.rows.push(Row {
            template,
            values: start..self.values.len(),
            rank: Rank::Whole,
            header: split.header,
            is_apart: text.is_none(),
        });
        self.frames.push(&document.raw);
        self.texts.push(if text.is_none() { &document.text } else { b"" });
        self.split = split;
    }

    fn intern(&mut self, skeleton: &[u8]) -> u32 {
        let number = match self.by_skeleton.get(skeleton) {
            Some(number) => *number,
            None => {
                let number = self.templates.len() as u32;
                self.by_skeleton.insert(skeleton.to_vec(), number);
                self.templates.push(Template { skeleton: skeleton.to_vec(), rows: 0 });
                number
            }
        };
        self.templates[number as usize].rows += 1;
        number
    }

    /// Assigns rows whose template is rare to a template that covers less of the frame.
    fn fold(&mut self, rank: Rank, to: Rank) {
        let mut skeleton = Vec::new();
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            let old = &self.templates[row.template as usize];
            if row.rank != rank || old.rows >= SHARED_MIN {
                continue;
            }
            let header = if to == Rank::Header { row.header.0 } else { 0 };
            skeleton.clear();
            skeleton.extend_from_slice(&old.skeleton[..header]);
            skeleton::put_whole(&mut skeleton);
            if self.rows[index].is_apart {
                skeleton::put_apart(&mut skeleton);
            }
            let template = self.intern(&skeleton);
            (self.rows[index].template, self.rows[index].rank) = (template, to);
        }
    }

    /// The value of a slot of a row.
    fn value(&self, row: &Row, index: usize, slot: usize) -> &[u8] {
        let (header_values, header_bytes) = match row.rank {
            Rank::Whole => return self.values.at(row.values.start + slot),
            Rank::Header => (row.header.1, row.header.2),
            Rank::Nothing => (0, 0),
        };
        match slot.checked_sub(header_values) {
            None => self.values.at(row.values.start + slot),
            Some(0) => &self.frames.at(index)[header_bytes..],
            Some(_) => self.texts.at(index),
        }
    }

    /// Appends the group: its head, then its units. Returns the sizes of the head, stored and plain.
    pub(crate) fn finish(
        &mut self,
        skeletons: &mut Skeletons,
        packer: &mut Packer,
        out: &mut Vec<u8>,
    ) -> io::Result<(usize, usize)> {
        assert!((1..=GROUP_DOCUMENTS).contains(&self.rows.len()), "a group of {} messages", self.rows.len());
        self.fold(Rank::Whole, Rank::Header);
        self.fold(Rank::Header, Rank::Nothing);
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); self.templates.len()];
        for (index, row) in self.rows.iter().enumerate() {
            rows_of[row.template as usize].push(index as u32);
        }
        let mut order: Vec<u32> =
            (0..self.templates.len() as u32).filter(|number| !rows_of[*number as usize].is_empty()).collect();
        order.sort_by_key(|number| std::cmp::Reverse(rows_of[*number as usize].len()));
        let mut number_of = vec![0u32; self.templates.len()];
        let mut head = Vec::new();
        put_varint(&mut head, order.len() as u64);
        for (number, template) in order.iter().enumerate() {
            number_of[*template as usize] = number as u32;
            let skeleton = &self.templates[*template as usize].skeleton;
            put_varint(&mut head, u64::from(skeletons.number(skeleton)));
        }
        // Templates that look alike share units.
        order.sort_by(|a, b| self.templates[*a as usize].skeleton.cmp(&self.templates[*b as usize].skeleton));
        let mut units = Vec::new();
        let mut pieces = 0;
        let mut table = Vec::new();
        let mut entry = Vec::new();
        packer.streams.clear();
        for template in &order {
            let slots = skeleton::slots(&self.templates[*template as usize].skeleton);
            let mut rows = rows_of[*template as usize].as_slice();
            while !rows.is_empty() {
                let piece = self.piece(&mut rows);
                put_varint(&mut entry, u64::from(number_of[*template as usize]));
                put_varint(&mut entry, piece.len() as u64);
                self.put_columns(piece, slots, &mut packer.streams);
                pieces += 1;
                if packer.is_full() {
                    packer.end_unit(&mut pieces, &mut entry, &mut table, &mut units)?;
                }
            }
        }
        if pieces > 0 {
            packer.end_unit(&mut pieces, &mut entry, &mut table, &mut units)?;
        }
        put_varint(&mut head, table.len() as u64);
        head.extend_from_slice(&table);
        let numbers = self.rows.iter().map(|row| number_of[row.template as usize]);
        head.extend(numbers.clone().map(|number| number as u8));
        if order.len() > 256 {
            head.extend(numbers.map(|number| (number >> 8) as u8));
        }
        let stored = packer.plain.compress(&head)?;
        let sizes = (stored.len(), head.len());
        out.extend_from_slice(&stored);
        out.extend_from_slice(&units);
        self.clear();
        Ok(sizes)
    }

    /// The rows of the next piece, taken from those left.
    fn piece<'r>(&self, rows: &mut &'r [u32]) -> &'r [u32] {
        let mut bytes = 0;
        let mut count = 0;
        while count < rows.len().min(PIECE_ROWS) && bytes < PIECE_BYTES {
            let row = rows[count] as usize;
            bytes += self.frames.at(row).len() + self.texts.at(row).len();
            count += 1;
        }
        let (piece, rest) = rows.split_at(count);
        *rows = rest;
        piece
    }

    fn put_columns(&self, piece: &[u32], slots: usize, streams: &mut Streams) {
        column::begin(slots, streams);
        let mut columns: Vec<Values> = Vec::with_capacity(slots);
        for slot in 0..slots {
            let mut values = Values::default();
            for row in piece {
                let index = *row as usize;
                values.push(self.value(&self.rows[index], index, slot));
            }
            column::encode(&values, &columns, streams);
            columns.push(values);
        }
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.values.clear();
        self.frames.clear();
        self.texts.clear();
        self.templates.clear();
        self.by_skeleton.clear();
    }
}

impl Packer {
    fn is_full(&self) -> bool {
        let Streams { heads, text, small, packed } = &self.streams;
        heads.len() + text.len() + small.len() + packed.len() >= UNIT_BYTES
    }

    /// Appends a unit to `units` and what finds it to `table`.
    fn end_unit(
        &mut self,
        pieces: &mut u64,
        entry: &mut Vec<u8>,
        table: &mut Vec<u8>,
        units: &mut Vec<u8>,
    ) -> io::Result<()> {
        let Streams { heads, text, small, packed } = &self.streams;
        self.joined.clear();
        self.joined.extend_from_slice(heads);
        self.joined.extend_from_slice(text);
        let joined = self.compressor.compress(&self.joined)?;
        let small_stored = if small.is_empty() { Vec::new() } else { self.plain.compress(small)? };
        put_varint(table, *pieces);
        table.extend_from_slice(entry);
        let sizes = [heads.len(), text.len(), joined.len(), small.len(), small_stored.len(), packed.len()];
        sizes.iter().for_each(|size| put_varint(table, *size as u64));
        units.extend_from_slice(&joined);
        units.extend_from_slice(&small_stored);
        units.extend_from_slice(packed);
        if let Some(samples) = &mut self.samples {
            samples.push(self.joined.clone());
        }
        *pieces = 0;
        entry.clear();
        self.streams.clear();
        Ok(())
    }
}

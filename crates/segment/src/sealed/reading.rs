//! Reads messages of a sealed segment: blocks, and the columns of each document.
//!
//! In: documents. Out: their parts. Holds: for one call, the columns' heads, the lists of sparse columns, a
//! decompressor, and caches for neighbouring documents: the last numbers and value ids, and recent values.
//! Limits: [`BLOCK_BYTES_MAX`], [`VALUES_KEPT`].

use super::{Entry, Sealed, column::SealedColumn};
use crate::format::columns::Kind;
use crate::{
    active::{builder::decimal, stamp_of},
    answers::{column::Fixed, words},
    documents::{
        Block, Stored,
        text::{APART, TextLocation},
    },
    format::{
        Damage, FileSlice,
        file::{RECODED_VERSION, Section},
        frame::is_plain,
        list,
        numbers::{self, Numbers},
    },
    packed::{self, PackedReader},
};
use lookup::{Document, ReadError};
use message::BATCH_BYTES_MAX;
use std::{
    cell::{OnceCell, RefCell},
    ops::Range,
    sync::Arc,
};
use zstd::zstd_safe::{DCtx, DDict, InBuffer, OutBuffer, ResetDirective};

/// Bytes of an entry of the block index: first document, stored bytes, offset, plain bytes.
const ENTRY_BYTES: usize = 20;
/// Most bytes of a block: the largest frame and text a batch can hold, and their lengths.
const BLOCK_BYTES_MAX: usize = 2 * BATCH_BYTES_MAX + (1 << 20);

/// Bytes of a block that are decompressed at a time when it is not known how many are needed.
const STEP_BYTES: usize = 8 << 10;

/// Values of a column that are cached. Hosts and programs repeat often.
const VALUES_KEPT: usize = 256;

/// Columns opened for one walk.
pub(super) struct Reading<'a> {
    sealed: &'a Sealed,
    columns: Vec<OpenedColumn<'a>>,
    received: OpenedNumbers<'a>,
    event: OpenedNumbers<'a>,
    zone: OpenedNumbers<'a>,
    text_start: OpenedNumbers<'a>,
    text_tail: OpenedNumbers<'a>,
    /// Made for the first block that is not cached.
    decompressor: RefCell<Option<DCtx<'a>>>,
    /// The block that is being opened.
    opening: RefCell<Option<Opening<'a>>>,
    /// The groups, in a recoded segment; made for the first message that is not cached.
    groups: RefCell<Option<PackedReader>>,
}

struct OpenedColumn<'a> {
    entry: &'a Entry,
    column: SealedColumn<'a>,
    /// Documents of a sparse column, read when first needed.
    listed: OnceCell<Vec<u32>>,
    /// Values by id, each in the slot of its lowest bits.
    kept: RefCell<Vec<(u32, Vec<u8>)>>,
}

impl OpenedColumn<'_> {
    /// Passes the value of a document to `see`, if it has one.
    fn with_value(&self, document: u32, see: impl FnOnce(&[u8])) -> Result<(), Damage> {
        if self.listed.get().is_none() {
            let _ = self.listed.set(self.column.listed()?);
        }
        let listed = self.listed.get().map(Vec::as_slice).unwrap_or_default();
        let value_id = self.column.value_id_of(document, listed)?;
        if value_id == 0 {
            return Ok(());
        }
        let mut kept = self.kept.borrow_mut();
        kept.resize(VALUES_KEPT, (0, Vec::new()));
        let (known, value) = &mut kept[value_id as usize % VALUES_KEPT];
        if *known != value_id {
            *known = 0;
            self.column.string(value_id, value)?;
            *known = value_id;
        }
        see(value);
        Ok(())
    }
}

/// Numbers of the documents, the last block of them decoded.
struct OpenedNumbers<'a> {
    numbers: Numbers<'a>,
    block: RefCell<Option<(usize, Vec<i64>)>>,
}

impl<'a> OpenedNumbers<'a> {
    fn new(numbers: Numbers<'a>) -> OpenedNumbers<'a> {
        OpenedNumbers { numbers, block: RefCell::new(None) }
    }

    fn at(&self, document: u32) -> Result<i64, Damage> {
        let (index, at) = (document as usize / numbers::BLOCK, document as usize % numbers::BLOCK);
        let mut block = self.block.borrow_mut();
        if block.as_ref().is_none_or(|(known, _)| *known != index) {
            *block = Some((index, self.numbers.block(index)?));
        }
        let number = block.as_ref().and_then(|(_, numbers)| numbers.get(at).copied());
        number.ok_or(Damage { offset: 0, what: "a number is missing" })
    }
}

/// An entry of the block index.
struct BlockEntry {
    documents: Range<u32>,
    offset: u64,
    stored_bytes: usize,
    plain_bytes: usize,
}

/// A block whose beginning is decompressed.
struct Opening<'a> {
    /// Its first document.
    first: u32,
    stored: FileSlice<'a>,
    /// Stored bytes that were read.
    read: usize,
    plain_bytes: usize,
}

impl Opening<'_> {
    /// Returns true when a block that has been opened so far has a document.
    fn is_of(&self, document: u32, block: &Block) -> bool {
        self.first == block.documents.start && block.documents.contains(&document)
    }

    /// Decompresses more: about as much as the documents up to one are likely to need.
    fn decode_more(
        &mut self,
        upto: u32,
        decompressor: &mut DCtx<'_>,
        block: &mut Block,
    ) -> Result<(), Damage> {
        let broken = || self.stored.damage(0, "a block does not decompress");
        let have = block.bytes.len();
        let count = u64::from(upto - self.first) + 1;
        let likely = (self.plain_bytes as u64).saturating_mul(count) / block.documents.len().max(1) as u64;
        let mut wanted = (likely as usize + STEP_BYTES / 2).max(have + STEP_BYTES);
        let is_whole = wanted + STEP_BYTES >= self.plain_bytes || have > 0 && !is_plain(&block.bytes);
        if is_whole {
            wanted = self.plain_bytes;
        }
        if is_whole && have == 0 {
            let size = decompressor.decompress(&mut block.bytes, self.stored.bytes);
            return if size.ok() == Some(wanted) { Ok(()) } else { Err(broken()) };
        }
        if have == 0 {
            decompressor.reset(ResetDirective::SessionOnly).map_err(|_| broken())?;
        }
        block.bytes.resize(wanted, 0);
        let mut output = OutBuffer::around(&mut block.bytes[have..]);
        let mut input = InBuffer::around(&self.stored.bytes[self.read..]);
        while output.pos() < output.capacity() {
            let before = (output.pos(), input.pos());
            decompressor.decompress_stream(&mut output, &mut input).map_err(|_| broken())?;
            if before == (output.pos(), input.pos()) {
                return Err(broken());
            }
        }
        self.read += input.pos();
        Ok(())
    }
}

impl<'a> Reading<'a> {
    pub(super) fn new(sealed: &'a Sealed) -> Result<Reading<'a>, Damage> {
        // Values without a column follow those that have one, in the order of arrival.
        let rest = Kind::Fixed as u8 + Fixed::Rest as u8;
        let mut values: Vec<&Entry> =
            sealed.meta.columns.iter().filter(|entry| entry.code >= Kind::Fixed as u8).collect();
        values.sort_by_key(|entry| entry.code == rest);
        let open = |entry| {
            Ok(OpenedColumn {
                entry,
                column: sealed.column(entry)?,
                listed: OnceCell::new(),
                kept: RefCell::default(),
            })
        };
        let numbers = |kind| sealed.numbers(kind).map(OpenedNumbers::new);
        Ok(Reading {
            sealed,
            columns: values.into_iter().map(open).collect::<Result<_, Damage>>()?,
            received: numbers(Kind::Received)?,
            event: numbers(Kind::Event)?,
            zone: numbers(Kind::Zone)?,
            text_start: numbers(Kind::TextStart)?,
            text_tail: numbers(Kind::TextTail)?,
            decompressor: RefCell::new(None),
            opening: RefCell::new(None),
            groups: RefCell::new(None),
        })
    }

    /// Opens the block of a document as far as needed for the documents up to another one of it; the rest is not
    /// decompressed.
    fn open(&self, document: u32, upto: impl Fn(&Block) -> u32, block: &mut Block) -> Result<(), Damage> {
        let mut opening = self.opening.borrow_mut();
        let opening = match &mut *opening {
            Some(opening) if opening.is_of(document, block) => opening,
            other => other.insert(self.begin(document, block)?),
        };
        let upto = upto(block);
        let mut decompressor = self.decompressor.borrow_mut();
        let decompressor = match &mut *decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(self.sealed.decompressor()?),
        };
        while !block.find_frame(upto) {
            if block.bytes.len() == opening.plain_bytes {
                return block.find_frames().map_err(|damage| opening.stored.damage(0, damage.what));
            }
            opening.decode_more(upto, decompressor, block)?;
        }
        Ok(())
    }

    /// Finds the block of a document.
    fn begin(&self, document: u32, block: &mut Block) -> Result<Opening<'a>, Damage> {
        let entry = self.sealed.block_entry_of(document)?;
        let extent = self.sealed.file.extent(Section::Blocks);
        let stored = self.sealed.file.slice(extent, entry.offset as usize, entry.stored_bytes)?;
        block.begin(entry.documents);
        let has_room =
            entry.plain_bytes <= BLOCK_BYTES_MAX && block.bytes.try_reserve_exact(entry.plain_bytes).is_ok();
        if !has_room {
            return Err(stored.damage(0, "a block is larger than it can be"));
        }
        Ok(Opening { first: block.documents.start, stored, read: 0, plain_bytes: entry.plain_bytes })
    }

    /// Puts together frame and text of a described document; returns where the text is.
    fn put_together(&self, document: u32, out: &mut Document) -> Result<TextLocation, Damage> {
        let mut groups = self.groups.borrow_mut();
        let groups = match &mut *groups {
            Some(groups) => groups,
            none => {
                let dictionary = self.sealed.file.section(Section::Compression)?;
                let useless = |_| dictionary.damage(0, "the compression dictionary is of no use");
                none.insert(PackedReader::new(dictionary.bytes).map_err(useless)?)
            }
        };
        groups.join(self.sealed, document, out)
    }

    fn fill(&self, document: u32, out: &mut Document) -> Result<(i64, i64), Damage> {
        for value in [&mut out.host, &mut out.program, &mut out.pid, &mut out.msgid] {
            value.clear();
        }
        out.source.clear();
        out.peer.clear();
        out.tags.clear();
        out.values.clear();
        out.pri = 0;
        for opened in &self.columns {
            opened.with_value(document, |value| put_value(opened.entry, value, out))?;
        }
        words::sort_values(&mut out.values);
        out.sequence = self.sealed.meta.first_sequence + u64::from(document);
        out.received_us = self.received.at(document)?;
        out.event = stamp_of(self.event.at(document)?, self.zone.at(document)?);
        Ok((self.text_start.at(document)?, self.text_tail.at(document)?))
    }
}

fn put_value(entry: &Entry, value: &[u8], out: &mut Document) {
    if entry.code == Kind::Named as u8 {
        out.values.push((entry.name.clone(), value.to_vec(), entry.kind));
        return;
    }
    let fixed = Fixed::ALL.into_iter().find(|fixed| Kind::Fixed as u8 + *fixed as u8 == entry.code);
    match fixed {
        Some(Fixed::Host) => out.host.extend_from_slice(value),
        Some(Fixed::Program) => out.program.extend_from_slice(value),
        Some(Fixed::Pid) => out.pid.extend_from_slice(value),
        Some(Fixed::Msgid) => out.msgid.extend_from_slice(value),
        Some(Fixed::Pri) => out.pri = decimal(value),
        Some(Fixed::Source) => out.source.push_str(&String::from_utf8_lossy(value)),
        Some(Fixed::Peer) => out.peer.push_str(&String::from_utf8_lossy(value)),
        Some(Fixed::Tags) => out.tags.extend(words::tags(value)),
        Some(Fixed::Rest) => out.values.extend(list::entries(value).flatten().map(words::owned)),
        None => {}
    }
}

impl packed::Source for Sealed {
    fn piece(&self, start: usize, length: usize) -> Result<FileSlice<'_>, Damage> {
        self.file.slice(self.file.extent(Section::Groups), start, length)
    }

    fn index(&self) -> Result<FileSlice<'_>, Damage> {
        self.file.section(Section::GroupIndex)
    }

    fn skeletons(&self) -> Result<FileSlice<'_>, Damage> {
        self.file.section(Section::Skeletons)
    }

    fn documents(&self) -> u32 {
        self.meta.length
    }
}

impl Sealed {
    /// Returns the decompressor of the blocks.
    fn decompressor(&self) -> Result<DCtx<'_>, Damage> {
        let dictionary = self.file.section(Section::Compression)?;
        let useless = || dictionary.damage(0, "the compression dictionary is of no use");
        let decoder = self.decoder.get_or_init(|| DDict::try_create(dictionary.bytes));
        let decoder = decoder.as_ref().ok_or_else(useless)?;
        let mut decompressor = DCtx::try_create().ok_or_else(useless)?;
        decompressor.ref_ddict(decoder).map_err(|_| useless())?;
        Ok(decompressor)
    }

    /// Returns true when it was recoded: messages are groups of templates and columns, terms are packed.
    pub(crate) fn is_recoded(&self) -> bool {
        self.file.header().version >= RECODED_VERSION
    }

    /// Number of blocks, or of groups.
    pub(super) fn blocks(&self) -> usize {
        match self.is_recoded() {
            true => self.file.extent(Section::GroupIndex).length / packed::ENTRY_BYTES,
            false => self.file.extent(Section::BlockIndex).length / ENTRY_BYTES,
        }
    }

    /// The documents of a block, and its bytes in the section of blocks.
    pub(super) fn block_range(&self, block: usize) -> Result<(Range<u32>, Range<u64>), Damage> {
        if self.is_recoded() {
            let index = self.file.section(Section::GroupIndex)?;
            let group = packed::entry(&index, block, self.meta.length)?;
            let end = match block + 1 < self.blocks() {
                true => packed::entry(&index, block + 1, self.meta.length)?.start,
                false => self.file.extent(Section::Groups).length,
            };
            return Ok((group.documents, group.start as u64..end as u64));
        }
        let index = self.file.section(Section::BlockIndex)?;
        let mut reader = index.piece(block * ENTRY_BYTES, ENTRY_BYTES)?.reader();
        let (start, stored_bytes, offset) = (reader.u32()?, reader.u32()?, reader.u64()?);
        let end = match block + 1 < self.blocks() {
            true => index.piece((block + 1) * ENTRY_BYTES, 4)?.reader().u32()?,
            false => self.meta.length,
        };
        Ok((start..end, offset..offset.saturating_add(u64::from(stored_bytes))))
    }

    fn block_entry_of(&self, document: u32) -> Result<BlockEntry, Damage> {
        let index = self.file.section(Section::BlockIndex)?;
        let first = |block: usize| index.piece(block * ENTRY_BYTES, 4)?.reader().u32();
        if document >= self.meta.length {
            return Err(index.damage(0, "no such document"));
        }
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = low.midpoint(high);
            if first(middle)? <= document { low = middle + 1 } else { high = middle }
        }
        let block = low.checked_sub(1).ok_or_else(|| index.damage(0, "a document before the first block"))?;
        let end = if low < self.blocks() { first(low)? } else { self.meta.length };
        let mut reader = index.piece(block * ENTRY_BYTES, ENTRY_BYTES)?.reader();
        let start = reader.u32()?;
        let (stored_bytes, offset, plain_bytes) =
            (reader.u32()? as usize, reader.u64()?, reader.u32()? as usize);
        if !(start..end).contains(&document) || end > self.meta.length {
            return Err(reader.damage("blocks are not in order"));
        }
        Ok(BlockEntry { documents: start..end, offset, stored_bytes, plain_bytes })
    }
}

impl Stored for Reading<'_> {
    fn open_block(&self, document: u32, block: &mut Block) -> Result<(), ReadError> {
        self.open(document, |_| document, block).map_err(|damage| self.sealed.corrupt(damage))
    }

    fn shown_block(&self, document: u32) -> Result<Arc<Block>, ReadError> {
        let entry = self.sealed.block_entry_of(document).map_err(|damage| self.sealed.corrupt(damage))?;
        if let Some(block) = self.sealed.kept.find(entry.documents.start) {
            return Ok(block);
        }
        let mut block = Block::default();
        let last = |block: &Block| block.documents.end.saturating_sub(1);
        self.open(document, last, &mut block).map_err(|damage| self.sealed.corrupt(damage))?;
        let block = Arc::new(block);
        self.sealed.kept.keep(&block);
        Ok(block)
    }

    fn describe(&self, document: u32, out: &mut Document) -> Result<(i64, i64), ReadError> {
        self.fill(document, out).map_err(|damage| self.sealed.corrupt(damage))
    }

    fn is_joined(&self) -> bool {
        self.sealed.is_recoded()
    }

    fn join(&self, document: u32, out: &mut Document) -> Result<TextLocation, ReadError> {
        self.put_together(document, out).map_err(|damage| self.sealed.corrupt(damage))
    }

    fn join_shown(&self, document: u32, out: &mut Document) -> Result<TextLocation, ReadError> {
        let kept = self.sealed.kept.find(document);
        if let Some(text) = kept.and_then(|block| block.fill_one(document, out)) {
            return Ok(text);
        }
        let text = self.join(document, out)?;
        let block = Block::of_one(document, out, text).map_err(|damage| self.sealed.corrupt(damage))?;
        self.sealed.kept.keep(&Arc::new(block));
        Ok(text)
    }

    fn texts_apart(&self, documents: Range<u32>) -> Result<usize, ReadError> {
        let mut count = 0;
        for document in documents {
            let tail = self.text_tail.at(document).map_err(|damage| self.sealed.corrupt(damage))?;
            count += usize::from(tail == APART);
        }
        Ok(count)
    }

    fn damage(&self, document: u32, what: &'static str) -> ReadError {
        let entry = self.sealed.block_entry_of(document);
        let blocks = self.sealed.file.extent(Section::Blocks).offset as u64;
        let offset = entry.map_or(blocks, |entry| blocks.saturating_add(entry.offset));
        self.sealed.corrupt(Damage { offset, what })
    }
}

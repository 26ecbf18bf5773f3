//! The positions of the blocks of a sorted list of strings, and the first string of each: the part that a lookup
//! bisects.
//!
//! In: the start of a stored dictionary. Out: first strings, the bytes of blocks, the block that a string must be in.
//! Limits: 4 GiB; the owner makes sure that the bytes it requests are checked, see [`Directory::lookup`].

use super::{Damage, FileSlice, Reader};

const ENTRY_BYTES: usize = 8;
/// Bytes of the counts and sizes at the start.
pub(crate) const HEAD_BYTES: usize = 12;

/// The layout of a directory: how many strings a block has, and how an entry of the index is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// Blocks of this many strings; an entry has the position of the block, then that of its first string.
    BlockThenFirst(usize),
    /// The other way round.
    FirstThenBlock(usize),
}

impl Layout {
    fn strings(self) -> usize {
        match self {
            Layout::BlockThenFirst(strings) | Layout::FirstThenBlock(strings) => strings,
        }
    }

    /// Appends the entry of a block.
    pub(crate) fn put(self, block: usize, first: usize, index: &mut Vec<u8>) {
        debug_assert!(block.max(first) <= u32::MAX as usize, "4 GiB of strings");
        let (a, b) = match self {
            Layout::BlockThenFirst(_) => (block, first),
            Layout::FirstThenBlock(_) => (first, block),
        };
        [a, b].iter().for_each(|start| index.extend_from_slice(&(*start as u32).to_le_bytes()));
    }
}

/// The counts and sizes at the start: strings, bytes of first strings, bytes of blocks.
pub(crate) fn head(sizes: [usize; 3]) -> Vec<u8> {
    debug_assert!(sizes.iter().all(|size| *size <= u32::MAX as usize), "4 GiB of strings");
    sizes.iter().flat_map(|size| (*size as u32).to_le_bytes()).collect()
}

/// A directory as stored.
#[derive(Clone, Copy)]
pub(crate) struct Directory<'a> {
    layout: Layout,
    count: usize,
    /// Index and firsts.
    lookup: FileSlice<'a>,
    index: FileSlice<'a>,
    firsts: FileSlice<'a>,
    data: FileSlice<'a>,
}

impl<'a> Directory<'a> {
    /// Reads the head where another value may follow the blocks.
    pub(crate) fn read(layout: Layout, reader: &mut Reader<'a>) -> Result<Directory<'a>, Damage> {
        let (count, firsts, data) = (reader.u32()? as usize, reader.u32()? as usize, reader.u32()? as usize);
        let index = count.div_ceil(layout.strings()) * ENTRY_BYTES;
        let lookup = reader.take_part(index + firsts)?;
        let (index, firsts) = (lookup.piece(0, index)?, lookup.piece(index, firsts)?);
        Ok(Directory { layout, count, lookup, index, firsts, data: reader.take_part(data)? })
    }

    /// Index and first strings. The owner must check them before any other call.
    pub(crate) fn lookup(&self) -> FileSlice<'a> {
        self.lookup
    }

    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.count.div_ceil(self.layout.strings())
    }

    /// Number of strings of a block.
    pub(crate) fn len_of(&self, block: usize) -> usize {
        let strings = self.layout.strings();
        self.count.saturating_sub(block * strings).min(strings)
    }

    /// Returns the bytes of all first strings and blocks, which bound the length of a string.
    pub(crate) fn size(&self) -> usize {
        self.firsts.bytes.len() + self.data.bytes.len()
    }

    /// The first string of a block.
    pub(crate) fn first(&self, block: usize) -> Result<&'a [u8], Damage> {
        let (start, end) = (self.starts(block)?.1, self.starts(block + 1)?.1);
        Ok(self.firsts.piece(start, end.wrapping_sub(start))?.bytes)
    }

    /// The bytes of a block. The owner must check them before the block is read.
    pub(crate) fn block(&self, block: usize) -> Result<FileSlice<'a>, Damage> {
        let (start, end) = (self.starts(block)?.0, self.starts(block + 1)?.0);
        self.data.piece(start, end.wrapping_sub(start))
    }

    /// Returns the block that must contain the first string that is not before a bound, or the last block before it.
    pub(crate) fn block_of(&self, is_before: impl Fn(&[u8]) -> bool) -> Result<usize, Damage> {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = low.midpoint(high);
            if is_before(self.first(middle)?) { low = middle + 1 } else { high = middle }
        }
        Ok(low.saturating_sub(1))
    }

    /// Damage at the start of the blocks.
    pub(crate) fn damage(&self, what: &'static str) -> Damage {
        self.data.damage(0, what)
    }

    /// Start of a block and of its first string; the sizes of both areas after the last block.
    fn starts(&self, block: usize) -> Result<(usize, usize), Damage> {
        if block >= self.blocks() {
            return Ok((self.data.bytes.len(), self.firsts.bytes.len()));
        }
        let mut reader = self.index.piece(block * ENTRY_BYTES, ENTRY_BYTES)?.reader();
        let (a, b) = (reader.u32()? as usize, reader.u32()? as usize);
        Ok(match self.layout {
            Layout::BlockThenFirst(_) => (a, b),
            Layout::FirstThenBlock(_) => (b, a),
        })
    }
}

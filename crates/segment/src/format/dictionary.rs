//! A sorted list of byte strings, front-coded in blocks of 64, the first string of each block separate.
//!
//! In: strings in order, each with payload bytes that the owner appends. Out: the same, by block.
//! A lookup reads the firsts by bisection and then one block. Limits: 4 GiB.

use super::{
    Damage, FileSlice, Reader,
    directory::{self, Directory, Layout},
    put_varint,
};

/// Strings of a block.
pub(crate) const BLOCK: usize = 64;
const LAYOUT: Layout = Layout::BlockThenFirst(BLOCK);
/// Precedes lengths that do not fit half a byte each.
const LONG: u8 = 0xf0;

/// Bytes copied at once.
const COPY: usize = 16;

/// Writes a dictionary.
#[derive(Default)]
pub(crate) struct Encoder {
    /// Blocks; the owner appends each string's payload here.
    pub(crate) data: Vec<u8>,
    /// For each block, where it starts in `data` and its first string in `firsts`.
    index: Vec<u8>,
    firsts: Vec<u8>,
    before: Vec<u8>,
    count: usize,
}

impl Encoder {
    /// Creates an encoder that writes the blocks to this buffer, which must be empty.
    pub(crate) fn with(data: Vec<u8>) -> Encoder {
        assert!(data.is_empty(), "{} bytes before the first block", data.len());
        Encoder { data, ..Encoder::default() }
    }

    /// Appends the next string; true when it is the first of a block.
    pub(crate) fn push(&mut self, string: &[u8]) -> bool {
        let is_first = self.count.is_multiple_of(BLOCK);
        self.count += 1;
        if is_first {
            LAYOUT.put(self.data.len(), self.firsts.len(), &mut self.index);
            self.firsts.extend_from_slice(string);
        } else {
            let shared = shared_bytes(&self.before, string);
            let rest = &string[shared..];
            if shared < 15 && rest.len() < 16 {
                self.data.push((shared << 4 | rest.len()) as u8);
            } else {
                self.data.push(LONG);
                put_varint(&mut self.data, shared as u64);
                put_varint(&mut self.data, rest.len() as u64);
            }
            self.data.extend_from_slice(rest);
        }
        self.before.clear();
        self.before.extend_from_slice(string);
        is_first
    }

    /// Returns the parts of the dictionary: counts and sizes, index, firsts, blocks.
    pub(crate) fn finish(self) -> [Vec<u8>; 4] {
        let head = directory::head([self.count, self.firsts.len(), self.data.len()]);
        [head, self.index, self.firsts, self.data]
    }
}

/// Returns the length of the common prefix of two strings; eight bytes are compared at once.
fn shared_bytes(a: &[u8], b: &[u8]) -> usize {
    let (a_words, b_words) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    for (index, (a, b)) in a_words.iter().zip(b_words).enumerate() {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return index * 8 + differing.trailing_zeros() as usize / 8;
        }
    }
    let compared = a_words.len().min(b_words.len()) * 8;
    compared + a[compared..].iter().zip(&b[compared..]).take_while(|(a, b)| a == b).count()
}

/// A string of a walk.
pub(crate) struct Entry<'a> {
    pub(crate) ordinal: u32,
    /// Length of the prefix that it shares with the previous string in the block.
    pub(crate) shared: usize,
    pub(crate) string: &'a [u8],
    /// The bytes after those as stored; anything may follow.
    pub(crate) rest: &'a [u8],
}

/// A dictionary as stored.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a>(Directory<'a>);

impl<'a> Dictionary<'a> {
    /// Reads the head.
    pub(crate) fn open(part: FileSlice<'a>) -> Result<Dictionary<'a>, Damage> {
        let mut reader = part.reader();
        Dictionary::read(&mut reader)
    }

    /// Reads the head where another value may follow the dictionary.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Dictionary<'a>, Damage> {
        Directory::read(LAYOUT, reader).map(Dictionary)
    }

    /// See [`Directory::lookup`].
    pub(crate) fn lookup(&self) -> FileSlice<'a> {
        self.0.lookup()
    }

    /// See [`Directory::block`].
    pub(crate) fn block(&self, block: usize) -> Result<FileSlice<'a>, Damage> {
        self.0.block(block)
    }

    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.0.blocks()
    }

    /// Returns the places of its blocks, and their first strings.
    pub(crate) fn directory(&self) -> &Directory<'a> {
        &self.0
    }

    /// The first string of a block.
    pub(crate) fn first(&self, block: usize) -> Result<&'a [u8], Damage> {
        self.0.first(block)
    }

    /// See [`Directory::block_of`].
    pub(crate) fn block_of(&self, is_before: impl Fn(&[u8]) -> bool) -> Result<usize, Damage> {
        self.0.block_of(is_before)
    }

    /// Calls `visit` with each string of a block and the reader at its payload, which `visit` must read. Stops when
    /// `visit` returns false; the last string is left in `string`.
    #[inline]
    pub(crate) fn walk(
        &self,
        block: usize,
        string: &mut Vec<u8>,
        mut visit: impl FnMut(Entry<'_>, &mut Reader<'a>) -> Result<bool, Damage>,
    ) -> Result<bool, Damage> {
        let mut reader = self.block(block)?.reader();
        let count = self.0.len_of(block);
        let first = self.first(block)?;
        let mut length = first.len();
        make_room(string, length);
        string[..length].copy_from_slice(first);
        let (mut common, mut stored) = (0, first);
        for index in 0..count {
            if index > 0 {
                let lengths = reader.byte()?;
                let (shared, rest) = if lengths == LONG {
                    let limit = self.0.size();
                    (reader.varint_to(limit)?, reader.varint_to(limit)?)
                } else {
                    (usize::from(lengths >> 4), usize::from(lengths & 15))
                };
                if shared > length {
                    return Err(reader.damage("a string shares more than the one before has"));
                }
                length = shared + rest;
                common = shared;
                stored = reader.rest();
                make_room(string, length);
                match (reader.peek::<COPY>(), rest <= COPY) {
                    // A copy of fixed length is much faster than one of a few bytes.
                    (Some(bytes), true) => {
                        string[shared..shared + COPY].copy_from_slice(bytes);
                        reader.take(rest)?;
                    }
                    _ => string[shared..length].copy_from_slice(reader.take(rest)?),
                }
            }
            let ordinal = (block * BLOCK + index) as u32;
            let entry = Entry { ordinal, shared: common, string: &string[..length], rest: stored };
            if !visit(entry, &mut reader)? {
                string.truncate(length);
                return Ok(false);
            }
        }
        string.truncate(length);
        Ok(true)
    }

    /// String `ordinal` of a dictionary without payloads.
    pub(crate) fn string(&self, ordinal: u32, string: &mut Vec<u8>) -> Result<(), Damage> {
        if ordinal as usize >= self.len() {
            return Err(self.0.damage("a value that the dictionary does not have"));
        }
        self.walk(ordinal as usize / BLOCK, string, |entry, _| Ok(entry.ordinal < ordinal)).map(|_| ())
    }
}

/// Makes a buffer longer than a string by what is copied too much.
#[inline]
fn make_room(string: &mut Vec<u8>, length: usize) {
    if string.len() < length + COPY {
        string.resize((length + COPY) * 2, 0);
    }
}

//! A sorted list of terms, compressed in chunks of [`CHUNK`], each with the positions of its terms' documents.
//!
//! In: terms in order. Out: a section, and the terms of a chunk again. The first term of each chunk is stored
//! separately, so that a lookup bisects those and unpacks one chunk; texts, counts and documents are compressed
//! separately, and counts are only unpacked when a term matches.
//! Holds: a decompressor. Limits: a chunk unpacks to at most [`CHUNK_BYTES_MAX`].

use crate::format::{
    Damage, FileSlice, Reader, bits,
    directory::{self, Directory, Layout},
    put_varint,
};
use std::io;

/// Terms of a chunk. Larger ones hardly compress better and cost more to open for one term.
pub(crate) const CHUNK: usize = 1024;
const LAYOUT: Layout = Layout::FirstThenBlock(CHUNK);
/// Most bytes that a part of a chunk may unpack to.
const CHUNK_BYTES_MAX: usize = 256 << 20;
/// Level of compression.
const LEVEL: i32 = 9;
/// Precedes lengths that do not fit half a byte each.
const LONG: u8 = 0xf0;
/// Bytes copied at once.
const COPY: usize = 16;

/// The documents of a term: one of them, or their lists among the postings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PostingsLocation {
    /// Number of documents.
    pub(crate) count: u64,
    /// The document of a term that one document has.
    pub(crate) one: u32,
    /// Start and size among the postings; with fewer than two documents, where they would be.
    pub(crate) documents: (usize, usize),
    /// The same of its templates, when it is a frequent token.
    pub(crate) templates: Option<(usize, usize)>,
}

/// Writes the section.
pub(crate) struct Encoder {
    compressor: zstd::bulk::Compressor<'static>,
    /// Bits of a document's number.
    width: u32,
    count: usize,
    before: Vec<u8>,
    lengths: Vec<u8>,
    text: Vec<u8>,
    counts: Vec<u8>,
    ones: Vec<u64>,
    index: Vec<u8>,
    firsts: Vec<u8>,
    data: Vec<u8>,
}

impl Encoder {
    /// Creates an encoder for a segment of `documents` documents.
    pub(crate) fn new(documents: u32) -> io::Result<Encoder> {
        Ok(Encoder {
            compressor: zstd::bulk::Compressor::new(LEVEL)?,
            width: document_width(documents),
            count: 0,
            before: Vec::new(),
            lengths: Vec::new(),
            text: Vec::new(),
            counts: Vec::new(),
            ones: Vec::new(),
            index: Vec::new(),
            firsts: Vec::new(),
            data: Vec::new(),
        })
    }

    /// Appends the next term.
    pub(crate) fn push(&mut self, term: &[u8], location: &PostingsLocation) -> io::Result<()> {
        if self.count.is_multiple_of(CHUNK) {
            self.end_chunk()?;
            LAYOUT.put(self.data.len(), self.firsts.len(), &mut self.index);
            self.firsts.extend_from_slice(term);
            put_varint(&mut self.counts, location.documents.0 as u64);
        } else {
            let shared = self.before.iter().zip(term).take_while(|(a, b)| a == b).count();
            let rest = &term[shared..];
            if shared < 15 && rest.len() < 16 {
                self.lengths.push((shared << 4 | rest.len()) as u8);
            } else {
                self.lengths.push(LONG);
                put_varint(&mut self.lengths, shared as u64);
                put_varint(&mut self.lengths, rest.len() as u64);
            }
            self.text.extend_from_slice(rest);
        }
        self.count += 1;
        self.before.clear();
        self.before.extend_from_slice(term);
        put_varint(&mut self.counts, location.count << 1 | u64::from(location.templates.is_some()));
        match location.count {
            0 => {}
            1 => self.ones.push(u64::from(location.one)),
            _ => put_varint(&mut self.counts, location.documents.1 as u64),
        }
        if let Some((_, size)) = location.templates {
            put_varint(&mut self.counts, size as u64);
        }
        Ok(())
    }

    fn end_chunk(&mut self) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let mut packed = Vec::new();
        let parts = [&self.lengths, &self.text, &self.counts];
        let mut sizes = Vec::new();
        for part in parts {
            let stored = self.compressor.compress(part)?;
            put_varint(&mut sizes, part.len() as u64);
            put_varint(&mut sizes, stored.len() as u64);
            packed.extend_from_slice(&stored);
        }
        self.data.extend_from_slice(&sizes);
        self.data.extend_from_slice(&packed);
        bits::encode(self.ones.drain(..), self.width, &mut self.data);
        self.lengths.clear();
        self.text.clear();
        self.counts.clear();
        Ok(())
    }

    /// Returns the parts of the section: counts and sizes, index, firsts, chunks.
    pub(crate) fn finish(mut self) -> io::Result<[Vec<u8>; 4]> {
        self.end_chunk()?;
        let sizes = [self.count, self.firsts.len(), self.data.len()];
        let fits = sizes.iter().all(|size| u32::try_from(*size).is_ok());
        if !fits {
            return Err(io::Error::other("more than 4 GiB of terms"));
        }
        Ok([directory::head(sizes), self.index, self.firsts, self.data])
    }
}

fn document_width(documents: u32) -> u32 {
    bits::width_of(u64::from(documents.saturating_sub(1))).max(1)
}

/// A dictionary as stored.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    width: u32,
    directory: Directory<'a>,
}

/// A chunk, its texts unpacked.
pub(crate) struct Chunk<'a> {
    lengths: Vec<u8>,
    text: Vec<u8>,
    first: &'a [u8],
    count: usize,
    counts: FileSlice<'a>,
    counts_bytes: usize,
    ones: FileSlice<'a>,
    width: u32,
}

impl<'a> Dictionary<'a> {
    /// Reads the head in a segment of `documents` documents.
    pub(crate) fn open(part: FileSlice<'a>, documents: u32) -> Result<Dictionary<'a>, Damage> {
        let directory = Directory::read(LAYOUT, &mut part.reader())?;
        Ok(Dictionary { width: document_width(documents), directory })
    }

    /// See [`Directory::lookup`].
    pub(crate) fn lookup(&self) -> FileSlice<'a> {
        self.directory.lookup()
    }

    /// See [`Directory::block`].
    pub(crate) fn bytes(&self, chunk: usize) -> Result<FileSlice<'a>, Damage> {
        self.directory.block(chunk)
    }

    /// Number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.directory.blocks()
    }

    /// Returns the places of its chunks, and their first terms.
    pub(crate) fn directory(&self) -> &Directory<'a> {
        &self.directory
    }

    /// The first term of a chunk.
    pub(crate) fn first(&self, chunk: usize) -> Result<&'a [u8], Damage> {
        self.directory.first(chunk)
    }

    /// Unpacks the texts of a chunk.
    pub(crate) fn chunk(&self, chunk: usize, unpacker: &mut Unpacker) -> Result<Chunk<'a>, Damage> {
        let part = self.bytes(chunk)?;
        let mut reader = part.reader();
        let mut size = || reader.varint_to(CHUNK_BYTES_MAX);
        let sizes = [(size()?, size()?), (size()?, size()?), (size()?, size()?)];
        let [lengths, text, counts] = sizes.map(|(plain, stored)| (plain, reader.take_part(stored)));
        let ones =
            part.piece(reader.position(), part.bytes.len() - reader.position().min(part.bytes.len()))?;
        Ok(Chunk {
            lengths: unpacker.unpack(lengths.1?, lengths.0)?,
            text: unpacker.unpack(text.1?, text.0)?,
            first: self.first(chunk)?,
            count: self.directory.len_of(chunk),
            counts: counts.1?,
            counts_bytes: counts.0,
            ones,
            width: self.width,
        })
    }
}

/// Unpacks chunks.
pub(crate) struct Unpacker(zstd::bulk::Decompressor<'static>);

impl Unpacker {
    pub(crate) fn new() -> io::Result<Unpacker> {
        zstd::bulk::Decompressor::new().map(Unpacker)
    }

    fn unpack(&mut self, stored: FileSlice<'_>, size: usize) -> Result<Vec<u8>, Damage> {
        let plain = self.0.decompress(stored.bytes, size);
        let plain = plain.ok().filter(|plain| plain.len() == size);
        plain.ok_or_else(|| stored.damage(0, "a chunk of terms does not decompress"))
    }
}

impl Chunk<'_> {
    /// Calls `visit` with each term, in order: its number in the chunk, the length of the prefix it shares with the
    /// previous one, the term, and the stored bytes after that prefix, with whatever follows.
    #[inline]
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, usize, &[u8], &[u8])) -> Result<(), Damage> {
        let mut lengths = FileSlice::loose(&self.lengths).reader();
        let mut term = vec![0; self.first.len() + COPY];
        let mut length = self.first.len();
        term[..length].copy_from_slice(self.first);
        let mut rest = self.text.as_slice();
        visit(0, 0, &term[..length], self.first);
        for index in 1..self.count {
            let packed = lengths.byte().map_err(|bad| self.damage(bad.what))?;
            let (shared, size) = if packed == LONG {
                (self.length(&mut lengths)?, self.length(&mut lengths)?)
            } else {
                (usize::from(packed >> 4), usize::from(packed & 15))
            };
            if shared > length || size > rest.len() {
                return Err(self.damage("a term is longer than its chunk"));
            }
            length = shared + size;
            if term.len() < length + COPY {
                term.resize((length + COPY) * 2, 0);
            }
            match (rest.first_chunk::<COPY>(), size <= COPY) {
                // A copy of fixed length is much faster than one of a few bytes.
                (Some(bytes), true) => term[shared..shared + COPY].copy_from_slice(bytes),
                _ => term[shared..length].copy_from_slice(&rest[..size]),
            }
            visit(index, shared, &term[..length], rest);
            rest = &rest[size..];
        }
        Ok(())
    }

    fn length(&self, lengths: &mut Reader<'_>) -> Result<usize, Damage> {
        lengths.varint_to(CHUNK_BYTES_MAX).map_err(|bad| self.damage(bad.what))
    }

    fn damage(&self, what: &'static str) -> Damage {
        Damage { offset: self.counts.offset, what }
    }

    /// Calls `visit` with where the documents of some terms are, given by their numbers, ascending.
    pub(crate) fn locations(
        &self,
        wanted: &[usize],
        unpacker: &mut Unpacker,
        mut visit: impl FnMut(&PostingsLocation) -> Result<(), Damage>,
    ) -> Result<(), Damage> {
        let counts = unpacker.unpack(self.counts, self.counts_bytes)?;
        let placed = |bad: Damage| self.damage(bad.what);
        let mut reader = FileSlice::loose(&counts).reader();
        let mut next = reader.varint_to(u32::MAX as usize).map_err(placed)?;
        let (mut one, mut index) = (0, 0);
        for wanted in wanted {
            while index < self.count {
                let is_wanted = index == *wanted;
                index += 1;
                let location = read_location(&mut reader, &mut next).map_err(placed)?;
                let is_one = location.count == 1;
                if is_wanted {
                    let document = if is_one { bits::at(self.ones.bytes, one, self.width) as u32 } else { 0 };
                    visit(&PostingsLocation { one: document, ..location })?;
                }
                one += usize::from(is_one);
                if is_wanted {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Reads the location of a term's documents, except for a term with a single document; `next` advances over
/// the postings.
#[inline(always)]
fn read_location(reader: &mut Reader<'_>, next: &mut usize) -> Result<PostingsLocation, Damage> {
    let head = reader.varint()?;
    let mut location =
        PostingsLocation { count: head >> 1, documents: (*next, 0), ..PostingsLocation::default() };
    let mut piece = || {
        let size = reader.varint_to(u32::MAX as usize)?;
        let start = *next;
        *next += size;
        Ok((start, size))
    };
    if location.count > 1 {
        location.documents = piece()?;
    }
    if head & 1 == 1 {
        location.templates = Some(piece()?);
    }
    Ok(location)
}

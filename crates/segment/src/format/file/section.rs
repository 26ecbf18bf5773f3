//! The numbers used in files: versions, the size of chunks, the sections.
//!
//! In: nothing. Out: the numbers. Limits: a number once assigned stays.

/// Version of the format that sealing writes.
pub(crate) const VERSION: u16 = 2;
/// Version that recoding writes: groups of templates and columns, packed terms.
pub(crate) const RECODED_VERSION: u16 = 3;
/// Bytes that one checksum covers; also the unit of encryption.
pub(crate) const CHUNK_BYTES: usize = 1 << CHUNK_SHIFT;
/// The same as a power of two.
pub(super) const CHUNK_SHIFT: u8 = 16;

/// Kinds of sections. Numbers are never reused for something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub(crate) enum Section {
    /// Counts, times, directory of columns.
    Meta = 1,
    /// Dictionary that the blocks were compressed with.
    Compression = 2,
    /// Compressed blocks of frames.
    Blocks = 3,
    /// Position of each block.
    BlockIndex = 4,
    /// Columns, as the directory says.
    Columns = 5,
    /// Terms of texts and values.
    Terms = 6,
    /// Documents of terms and templates.
    Postings = 7,
    /// Frequent tokens and their sequences.
    Templates = 8,
    /// Nodes of the tree over the messages.
    Hashes = 9,
    /// Groups of messages: templates and columns, in place of blocks.
    Groups = 10,
    /// Position of each group.
    GroupIndex = 11,
    /// Skeletons of the groups' templates.
    Skeletons = 12,
    /// Terms in compressed chunks, in place of terms.
    PackedTerms = 13,
    /// How the terms of an aged segment refer to documents.
    Aging = 14,
    /// The characters of the pieces of the list of terms.
    CharFilters = 15,
    /// Frequent words next to terms of some messages.
    Adjacency = 16,
}

//! Words of an aged segment: most of them refer to blocks of messages, not to single messages.
//!
//! In: terms, with their blocks. Out: documents, exactly: the messages of those blocks are read and tested.
//! Holds: one group of messages. Limits: a word that is neither rare nor part of templates costs up to a microsecond and
//! a half for every message of the segment.

use super::Sealed;
use crate::{
    format::{Damage, FileSlice, file::Section, postings},
    packed::dictionary::PostingsLocation,
};
use lookup::{Bitmap, CancelToken, ReadError, SegmentView, pattern::Matcher, tokens::Tokenizer};

/// Messages of a block, as a power of two: a document's block takes nine bits less than its number.
pub(crate) const BLOCK_SHIFT: u8 = 9;
/// Terms in more than one of this many documents keep their documents: they are in nearly all blocks.
pub(crate) const EXACT_SHARE: u32 = 64;

/// How an aged segment stores its terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Aging {
    shift: u8,
    /// Most documents of a term that only has blocks.
    count_max: u32,
    length: u32,
}

impl Aging {
    /// Returns the parameters for aging a segment of `length` documents.
    pub(crate) fn of(length: u32) -> Aging {
        Aging { shift: BLOCK_SHIFT, count_max: (length / EXACT_SHARE).max(1), length }
    }

    /// Encodes it for the file: 1 byte shift, 4 bytes most documents.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![self.shift];
        out.extend_from_slice(&self.count_max.to_le_bytes());
        out
    }

    fn read(part: FileSlice<'_>, length: u32) -> Result<Aging, Damage> {
        let mut reader = part.reader();
        let (shift, count_max) = (reader.byte()?, reader.u32()?);
        if shift >= 32 {
            return Err(part.damage(0, "blocks of more messages than a segment has"));
        }
        Ok(Aging { shift, count_max, length })
    }

    /// Returns true when a term of `count` documents refers only to blocks.
    pub(crate) fn is_by_block(&self, count: u64) -> bool {
        count > 0 && count <= u64::from(self.count_max)
    }

    /// The block of a document.
    pub(crate) fn block_of(&self, document: u32) -> u32 {
        document >> self.shift
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.block_of(self.length.saturating_sub(1)) + 1
    }
}

impl Sealed {
    /// How its terms were aged; `None` when they were not.
    pub(crate) fn aging(&self) -> Result<Option<Aging>, Damage> {
        if self.file.extent(Section::Aging).length == 0 {
            return Ok(None);
        }
        Aging::read(self.file.section(Section::Aging)?, self.meta.length).map(Some)
    }

    /// Adds the blocks of a term that only has blocks.
    pub(crate) fn add_blocks(
        &self,
        location: &PostingsLocation,
        postings: &FileSlice<'_>,
        blocks: &mut Bitmap,
    ) -> Result<(), Damage> {
        if location.count == 1 {
            if location.one >= blocks.len() {
                return Err(postings.damage(0, "a block beyond the segment's end"));
            }
            blocks.add(location.one);
            return Ok(());
        }
        let part = postings.piece(location.documents.0, location.documents.1)?;
        self.file.check_part(&part)?;
        let mut reader = part.reader();
        let count = reader.varint()?;
        let at = reader.position();
        postings::decode(part.piece(at, part.bytes.len() - at)?, count, blocks)
    }

    /// Adds the documents of some blocks whose text or values have a matching token.
    pub(super) fn add_verified(
        &self,
        aging: &Aging,
        blocks: &Bitmap,
        matcher: &Matcher,
        cancel: &CancelToken,
        found: &mut Bitmap,
    ) -> Result<(), ReadError> {
        let mut tokenizer = Tokenizer::default();
        let known = found.clone();
        let within = |block: u32| {
            let start = block << aging.shift;
            start..start.saturating_add(1 << aging.shift).min(self.meta.length)
        };
        let mut documents = blocks.iter().flat_map(within).filter(|document| !known.has(*document));
        self.read(&mut documents, cancel, &mut |number, document| {
            let mut has = |value: &[u8]| {
                tokenizer.read(value);
                tokenizer.tokens().any(|token| matcher.matches_token(tokenizer.bytes(token)))
            };
            if has(&document.text) || document.values.iter().any(|(_, value, _)| has(value)) {
                found.add(number);
            }
            true
        })
    }
}

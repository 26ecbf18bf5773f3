//! The words of an aged segment: terms in compressed chunks.
//!
//! In: patterns. Out: documents. A literal start narrows the walk to a chunk or a few; other patterns unpack all of them,
//! about 25 ms per million terms. Holds: one chunk. Limits: those of chunks.

use super::{
    Sealed,
    terms::{Search, SeeTerm},
};
use crate::{
    format::{Damage, directory::HEAD_BYTES, file::Section},
    packed::dictionary::{CHUNK, Dictionary, PostingsLocation, Unpacker},
};
use lookup::{CancelToken, ReadError};

/// Chunks between two checks of the token: about half a millisecond.
const CHUNKS_A_LOOK: usize = 16;

impl Sealed {
    /// Adds what matches to what was found.
    pub(super) fn search_packed(
        &self,
        search: &mut Search<'_>,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        let corrupt = |damage| self.corrupt(damage);
        let dictionary = self.packed_dictionary().map_err(corrupt)?;
        let mut unpacker =
            Unpacker::new().map_err(|source| ReadError::Io { path: self.path().to_owned(), source })?;
        self.each_piece(dictionary.directory(), CHUNKS_A_LOOK, search, cancel, &mut |chunk, search| {
            self.search_chunk(&dictionary, chunk, &mut unpacker, search)
        })
    }

    fn search_chunk(
        &self,
        dictionary: &Dictionary<'_>,
        chunk: usize,
        unpacker: &mut Unpacker,
        search: &mut Search<'_>,
    ) -> Result<(), Damage> {
        self.file.check_part(&dictionary.bytes(chunk)?)?;
        let chunk = dictionary.chunk(chunk, unpacker)?;
        let Search { matcher, found, templates, blocks, used } = search;
        let mut matcher = matcher.in_order();
        let mut wanted = Vec::new();
        chunk.walk(|index, shared, term, rest| {
            if matcher.matches(shared, term, rest) {
                wanted.push(index);
            }
        })?;
        if wanted.is_empty() {
            return Ok(());
        }
        let postings = self.file.whole(Section::Postings)?;
        chunk.locations(&wanted, unpacker, |location| {
            used.add(location.count);
            match blocks {
                Some((aging, blocks)) if aging.is_by_block(location.count) => {
                    self.add_blocks(location, &postings, blocks)?;
                    self.add_term(&PostingsLocation { count: 0, ..*location }, &postings, found, templates)
                }
                _ => self.add_term(location, &postings, found, templates),
            }
        })
    }

    fn packed_dictionary(&self) -> Result<Dictionary<'_>, Damage> {
        let part = self.file.whole(Section::PackedTerms)?;
        self.file.check_part(&part.piece(0, HEAD_BYTES)?)?;
        let numbers = self.aging()?.map_or(self.meta.length, |aging| aging.blocks());
        let dictionary = Dictionary::open(part, numbers)?;
        self.file.check_part(&dictionary.lookup())?;
        Ok(dictionary)
    }

    /// Calls `visit` with every term and where its documents are, in order.
    pub(super) fn each_packed_term(&self, visit: &mut SeeTerm<'_>) -> Result<(), Damage> {
        let dictionary = self.packed_dictionary()?;
        let unavailable = |_| Damage { offset: 0, what: "terms cannot be unpacked" };
        let mut unpacker = Unpacker::new().map_err(unavailable)?;
        let all: Vec<usize> = (0..CHUNK).collect();
        for index in 0..dictionary.chunks() {
            self.file.check_part(&dictionary.bytes(index)?)?;
            let chunk = dictionary.chunk(index, &mut unpacker)?;
            let mut locations = Vec::with_capacity(CHUNK);
            chunk.locations(&all, &mut unpacker, |location| {
                locations.push(*location);
                Ok(())
            })?;
            let mut visited = Ok(());
            chunk.walk(|at, _, term, _| {
                if let (Ok(()), Some(location)) = (&visited, locations.get(at)) {
                    visited = visit(term, location);
                }
            })?;
            visited?;
        }
        Ok(())
    }
}

//! Ages a recoded segment: most of its terms refer only to blocks of messages, not to single messages.
//!
//! In: a recoded segment. Out: a file that lacks only its record; sizes. Everything but terms and postings is copied; every
//! term of the new file was compared with the old one's.
//! Holds: the postings of the new file. Limits: those of segments.

use super::{Draft, RecodeError, RecodeReport, Recoding, WRITE_BYTES};
use crate::{
    format::{
        Damage,
        file::{FileWriter, Section, private_file},
        postings, put_varint,
    },
    packed::dictionary::{CHUNK, Encoder, PostingsLocation},
    sealed::{Aging, Sealed},
    terms::char_filters,
};
use lookup::{Bitmap, SegmentView};
use std::{io::BufWriter, path::Path};

/// Sections that are copied unchanged.
const COPIED: [Section; 7] = [
    Section::Compression,
    Section::Groups,
    Section::GroupIndex,
    Section::Skeletons,
    Section::Columns,
    Section::Hashes,
    Section::Meta,
];

/// Terms and postings of the new file.
struct Aged {
    terms: [Vec<u8>; 4],
    filters: Vec<u8>,
    postings: Vec<u8>,
    templates: Vec<u8>,
}

impl Sealed {
    /// Writes a new file at `path`, reads its terms back and compares. [`Draft::finish`] adds the record.
    pub fn age(&self, path: &Path, recoding: &mut Recoding<'_>) -> Result<Draft, RecodeError> {
        let _pin = self.file().pin();
        let root = self.stored_root()?.ok_or_else(|| self.outdated())?;
        let aging = Aging::of(self.len());
        let aged = self.aged_terms(&aging, recoding)?;
        let mut report = RecodeReport {
            messages: u64::from(self.len()),
            before: self.size(),
            terms: aged.terms.iter().chain([&aged.filters]).map(|piece| piece.len() as u64).sum(),
            postings: aged.postings.len() as u64,
            templates: aged.templates.len() as u64,
            ..RecodeReport::default()
        };
        let out = private_file().read(true).write(true).create_new(true).open(path)?;
        let (header, lock) = self.begin(recoding.recipients)?;
        let mut file = FileWriter::begin(BufWriter::with_capacity(WRITE_BYTES, out), &header, lock)?;
        for section in COPIED {
            let part = self.file().section(section).map_err(|damage| self.damaged(damage))?;
            file.section(section, [part.bytes])?;
            match section {
                Section::Columns | Section::Meta => report.columns += part.bytes.len() as u64,
                Section::Hashes => {}
                _ => report.groups += part.bytes.len() as u64,
            }
            (recoding.pace)();
        }
        file.section(Section::PackedTerms, aged.terms.iter().map(Vec::as_slice))?;
        file.section(Section::CharFilters, [aged.filters.as_slice()])?;
        file.section(Section::Postings, [aged.postings.as_slice()])?;
        file.section(Section::Templates, [aged.templates.as_slice()])?;
        file.section(Section::Aging, [aging.encode().as_slice()])?;
        let draft = Draft::new(path, file.end()?, header, root, report)?;
        let new = Sealed::unlock(path, recoding.keys)?;
        self.compare_aged(&new, &aging, recoding)?;
        // The copy is checked as well: the messages must have the root that was sealed.
        if new.root(recoding.cancel)? != root {
            return Err(RecodeError::Differs {
                what: "the root over messages",
                number: self.first_sequence(),
            });
        }
        Ok(draft)
    }

    fn aged_terms(&self, aging: &Aging, recoding: &mut Recoding<'_>) -> Result<Aged, RecodeError> {
        let old = self.file().section(Section::Postings).map_err(|damage| self.damaged(damage))?;
        // A term of one document gets the document's block: the number needs only as many bits as block numbers.
        let mut encoder = Encoder::new(aging.blocks())?;
        let mut filters = char_filters::Encoder::new(CHUNK);
        let mut postings = Vec::new();
        let mut pushed = Ok(());
        let (mut counter, pace) = (0u32, &mut *recoding.pace);
        self.each_term(&mut |term, location| {
            counter += 1;
            if counter.is_multiple_of(1 << 14) {
                pace();
            }
            let mut new = PostingsLocation {
                count: location.count,
                documents: (postings.len(), 0),
                ..PostingsLocation::default()
            };
            if location.count == 1 {
                new.one = aging.block_of(location.one);
            } else if location.count > 1 {
                if aging.is_by_block(location.count) {
                    let blocks = self.blocks_of(location, aging)?;
                    put_varint(&mut postings, blocks.len() as u64);
                    postings::encode(&blocks, aging.blocks(), &mut postings);
                } else {
                    postings.extend_from_slice(old.piece(location.documents.0, location.documents.1)?.bytes);
                }
                new.documents.1 = postings.len() - new.documents.0;
            }
            if let Some((start, size)) = location.templates {
                new.templates = Some((postings.len(), size));
                postings.extend_from_slice(old.piece(start, size)?.bytes);
            }
            filters.push(term);
            if pushed.is_ok() {
                pushed = encoder.push(term, &new);
            }
            Ok(())
        })?;
        pushed?;
        let templates = self.moved_templates(&old, &mut postings).map_err(|damage| self.damaged(damage))?;
        Ok(Aged { terms: encoder.finish()?, filters: filters.finish(), postings, templates })
    }

    /// The blocks of a term with several documents.
    fn blocks_of(&self, location: &PostingsLocation, aging: &Aging) -> Result<Vec<u32>, Damage> {
        let mut documents = Vec::new();
        let part =
            self.file().section(Section::Postings)?.piece(location.documents.0, location.documents.1)?;
        postings::list(part, location.count, self.len(), &mut documents)?;
        let mut blocks: Vec<u32> = documents.iter().map(|document| aging.block_of(*document)).collect();
        blocks.dedup();
        Ok(blocks)
    }

    /// Compares every term with that of the aged segment.
    fn compare_aged(
        &self,
        new: &Sealed,
        aging: &Aging,
        recoding: &mut Recoding<'_>,
    ) -> Result<(), RecodeError> {
        let mut known: Vec<(Vec<u8>, PostingsLocation)> = Vec::new();
        new.each_term(&mut |term, location| {
            known.push((term.to_vec(), *location));
            Ok(())
        })?;
        let both = [self, new].map(|sealed| sealed.file().section(Section::Postings));
        let [old_postings, new_postings] = both;
        let old_postings = old_postings.map_err(|damage| self.damaged(damage))?;
        let new_postings = new_postings.map_err(|damage| self.damaged(damage))?;
        let (mut number, mut differs) = (0, None);
        let mut blocks = Bitmap::none(aging.blocks());
        self.each_term(&mut |term, location| {
            let Some((known, at)) = known.get(number) else { return Ok(()) };
            let templates =
                |location: &PostingsLocation, from: &crate::format::FileSlice<'_>| match location.templates {
                    Some((start, size)) => from.piece(start, size).map(|part| part.bytes.to_vec()),
                    None => Ok(Vec::new()),
                };
            let mut same = known == term && at.count == location.count;
            same &= templates(location, &old_postings)? == templates(at, &new_postings)?;
            if same && location.count == 1 {
                same = at.one == aging.block_of(location.one);
            } else if same && aging.is_by_block(location.count) {
                let want = self.blocks_of(location, aging)?;
                new.add_blocks(at, &new_postings, &mut blocks)?;
                same = blocks.iter().eq(want.iter().copied());
                blocks.words_mut().fill(0);
            } else if same && location.count > 1 {
                let old = old_postings.piece(location.documents.0, location.documents.1)?;
                same = old.bytes == new_postings.piece(at.documents.0, at.documents.1)?.bytes;
            }
            if !same {
                differs.get_or_insert(number as u64);
            }
            number += 1;
            Ok(())
        })?;
        (recoding.pace)();
        match differs.or((number != known.len()).then_some(number as u64)) {
            Some(number) => Err(RecodeError::Differs { what: "term", number }),
            None => Ok(()),
        }
    }
}

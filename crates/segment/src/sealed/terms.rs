//! The words of a sealed segment: dictionary, postings, templates.
//!
//! In: patterns, phrases. Out: documents. A literal start narrows the walk to a few blocks of the dictionary; other
//! patterns walk all blocks that may contain them, about 10 ms per million terms. Holds: nothing between calls.
//! Limits: the section sizes.

use super::{Sealed, aged::Aging, template_list::TemplateList};
use crate::{
    format::{
        Damage, FileSlice, Reader,
        dictionary::{BLOCK, Dictionary},
        directory::{Directory, HEAD_BYTES},
        file::Section,
        postings, put_varint,
    },
    memory::prefetch,
    packed::dictionary::PostingsLocation,
    seal::document_bytes,
    terms::{
        adjacency::{self, Section as AdjacencySection},
        char_filters::CharFilters,
    },
};
use lookup::{
    Bitmap, CancelToken, Pattern, ReadError, WordUse,
    pattern::{CharFilter, Matcher},
};
use std::ops::Range;

/// Blocks of the dictionary between two checks of the token: about half a millisecond.
const BLOCKS_A_LOOK: usize = 512;
/// Number of lists of templates that are prefetched: they are short and far apart in memory.
const LISTS_AHEAD: usize = 4;
/// Most frequent tokens that a segment may say it has.
const TOKENS_MAX: usize = u16::MAX as usize;
/// Text of the error for an invalid document.
const BEYOND: &str = "a document beyond the segment's end";
/// Most bytes of a document's number.
const DOCUMENT_BYTES_MAX: usize = 4;
/// Most bytes that the sequences of templates may unpack to: two bytes per token, all messages different.
const SEQUENCES_BYTES_MAX: usize = 1 << 30;

/// Reads the payloads of one block of the dictionary.
struct Payloads {
    document_bytes: usize,
    /// The bits of those bytes.
    document_mask: u32,
    postings_bytes: usize,
    next: usize,
}

impl Payloads {
    fn new(length: u32, postings_bytes: usize) -> Payloads {
        let document_bytes = document_bytes(length);
        let document_mask = u32::MAX >> (8 * (DOCUMENT_BYTES_MAX - document_bytes));
        Payloads { document_bytes, document_mask, postings_bytes, next: 0 }
    }

    /// Skips a payload of the common form: no templates, and one document or postings of a size of one byte.
    /// Returns the number of documents and where they are; `None` when the payload must be parsed.
    #[inline(always)]
    fn quick(&mut self, ordinal: u32, reader: &mut Reader<'_>) -> Option<Quick> {
        let peeked = reader.peek::<{ 1 + DOCUMENT_BYTES_MAX }>()?;
        let [head, size, ..] = *peeked;
        let is_one = head == 2;
        let is_common = head & 0x81 == 0 && head != 0 && (is_one || size & 0x80 == 0);
        if !is_common || (ordinal as usize).is_multiple_of(BLOCK) {
            return None;
        }
        reader.skip(if is_one { 1 + self.document_bytes } else { 2 });
        if is_one {
            let [_, one @ ..] = *peeked;
            return Some(Quick::One(u32::from_le_bytes(one) & self.document_mask));
        }
        let start = self.next;
        // Positions beyond the postings are rejected when they are read.
        self.next += usize::from(size);
        Some(Quick::Some(u64::from(head >> 1), start, usize::from(size)))
    }

    #[inline]
    fn read(&mut self, ordinal: u32, reader: &mut Reader<'_>) -> Result<PostingsLocation, Damage> {
        if (ordinal as usize).is_multiple_of(BLOCK) {
            self.next = reader.varint_to(self.postings_bytes)?;
        }
        let head = reader.varint()?;
        let mut payload =
            PostingsLocation { count: head >> 1, documents: (self.next, 0), ..PostingsLocation::default() };
        match payload.count {
            0 => {}
            1 => {
                let bytes = reader.take(self.document_bytes)?;
                payload.one = bytes.iter().rev().fold(0, |one, byte| one << 8 | u32::from(*byte));
            }
            _ => payload.documents = self.piece(reader)?,
        }
        if head & 1 == 1 {
            payload.templates = Some(self.piece(reader)?);
        }
        Ok(payload)
    }

    #[inline]
    fn piece(&mut self, reader: &mut Reader<'_>) -> Result<(usize, usize), Damage> {
        let size = reader.varint_to(self.postings_bytes)?;
        let start = self.next;
        self.next += size;
        Ok((start, size))
    }
}

/// A payload of the common form.
enum Quick {
    /// The one document.
    One(u32),
    /// Several: how many, and where among the postings they begin, and their size there.
    Some(u64, usize, usize),
}

/// Visits a term and where its documents are.
pub(crate) type SeeTerm<'a> = dyn FnMut(&[u8], &PostingsLocation) -> Result<(), Damage> + 'a;

impl Sealed {
    /// Documents with a matching token in text or name-value pairs, and what was read to find them.
    pub(super) fn tokens(
        &self,
        pattern: &Pattern,
        cancel: &CancelToken,
    ) -> Result<(Bitmap, WordUse), ReadError> {
        let (mut found, mut templates) = (Bitmap::none(self.meta.length), Vec::new());
        let mut used = self.add_tokens(pattern, cancel, &mut found, &mut templates)?;
        used.postings += self.add_templates(&templates, &mut found).map_err(|damage| self.corrupt(damage))?;
        Ok((found, used))
    }

    /// Adds the documents with a matching token in text or name-value pairs. Those of templates are not looked up:
    /// they are the documents of the templates that become true. Returns what was read so far.
    pub(super) fn add_tokens(
        &self,
        pattern: &Pattern,
        cancel: &CancelToken,
        found: &mut Bitmap,
        templates: &mut Vec<bool>,
    ) -> Result<WordUse, ReadError> {
        let corrupt = |damage| self.corrupt(damage);
        let mut search = Search {
            matcher: Matcher::new(pattern),
            found,
            templates,
            blocks: self.aging().map_err(corrupt)?.map(|aging| (aging, Bitmap::none(aging.blocks()))),
            used: WordUse::default(),
        };
        if self.is_packed() {
            self.search_packed(&mut search, cancel)?;
        } else {
            self.search(&mut search, cancel)?;
        }
        let Search { matcher, found, templates, blocks, mut used } = search;
        if let Some((aging, blocks)) = blocks.filter(|(_, blocks)| !blocks.is_empty()) {
            // Documents that are already found need not be read.
            used.postings += self.add_templates(templates, found).map_err(corrupt)?;
            templates.clear();
            self.add_verified(&aging, &blocks, &matcher, cancel, found)?;
        }
        Ok(used)
    }

    fn search(&self, search: &mut Search<'_>, cancel: &CancelToken) -> Result<(), ReadError> {
        let corrupt = |damage| self.corrupt(damage);
        let dictionary = self.dictionary().map_err(corrupt)?;
        let mut string = Vec::new();
        self.each_piece(dictionary.directory(), BLOCKS_A_LOOK, search, cancel, &mut |block, search| {
            self.walk(&dictionary, block, &mut string, search)
        })
    }

    /// Calls `visit` with the number of each piece of the list of terms that may have a matching one, each once, ascending. The
    /// token is checked every `look` pieces.
    pub(super) fn each_piece(
        &self,
        directory: &Directory<'_>,
        look: usize,
        search: &mut Search<'_>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(usize, &mut Search<'_>) -> Result<(), Damage>,
    ) -> Result<(), ReadError> {
        let corrupt = |damage| self.corrupt(damage);
        let is_exact = search.matcher.exact().is_some();
        let mut impossible = ImpossiblePrefixes::new(directory.blocks());
        let filters = self.char_filters(&search.matcher).map_err(corrupt)?;
        // Pieces before this one were visited for a prefix before.
        let mut unseen = 0;
        for prefix in search.matcher.prefixes() {
            let start = directory.block_of(|first| first <= prefix.as_slice()).map_err(corrupt)?;
            for piece in start..directory.blocks() {
                if (piece - start) % look == 0 {
                    cancel.check()?;
                }
                if piece < unseen || filters.cannot_contain(piece) {
                    continue;
                }
                let is_beyond = |first: &[u8]| is_exact || !first.starts_with(&prefix);
                if piece > start && is_beyond(directory.first(piece).map_err(corrupt)?) {
                    break;
                }
                unseen = piece + 1;
                let firsts = || Ok((directory.first(piece)?, directory.first(piece + 1)?));
                if impossible.may_match(&search.matcher, piece, firsts).map_err(corrupt)? {
                    visit(piece, search).map_err(corrupt)?;
                }
            }
        }
        Ok(())
    }

    /// Returns true when the terms are compressed: they are in an aged segment, and in what older versions recoded.
    fn is_packed(&self) -> bool {
        self.file.extent(Section::PackedTerms).length > 0
    }

    /// Returns the characters of the pieces of the list of terms, with those that matching terms have.
    pub(super) fn char_filters(&self, matcher: &Matcher) -> Result<CharFilters<'_>, Damage> {
        let wanted = matcher.char_filter();
        let section: &[u8] = if wanted == CharFilter::default() {
            &[]
        } else {
            self.file.section(Section::CharFilters)?.bytes
        };
        Ok(CharFilters::new(section, wanted))
    }

    /// Calls `visit` with every term and where its documents are, in order.
    pub(crate) fn each_term(&self, visit: &mut SeeTerm<'_>) -> Result<(), ReadError> {
        let _pin = self.file.pin();
        let walked =
            if self.is_packed() { self.each_packed_term(visit) } else { self.each_plain_term(visit) };
        walked.map_err(|damage| self.corrupt(damage))
    }

    fn each_plain_term(&self, visit: &mut SeeTerm<'_>) -> Result<(), Damage> {
        let dictionary = self.dictionary()?;
        let postings_bytes = self.file.whole(Section::Postings)?.bytes.len();
        let mut payloads = Payloads::new(self.meta.length, postings_bytes);
        let mut string = Vec::new();
        for block in 0..dictionary.blocks() {
            self.file.check_part(&dictionary.block(block)?)?;
            dictionary.walk(block, &mut string, |entry, reader| {
                visit(entry.string, &payloads.read(entry.ordinal, reader)?)?;
                Ok(true)
            })?;
        }
        Ok(())
    }

    fn dictionary(&self) -> Result<Dictionary<'_>, Damage> {
        // Only the parts that are read are checked: a lookup reads little of the section.
        let part = self.file.whole(Section::Terms)?;
        self.file.check_part(&part.piece(0, HEAD_BYTES)?)?;
        let dictionary = Dictionary::open(part)?;
        self.file.check_part(&dictionary.lookup())?;
        Ok(dictionary)
    }

    fn walk<'a>(
        &'a self,
        dictionary: &Dictionary<'a>,
        block: usize,
        string: &mut Vec<u8>,
        search: &mut Search<'_>,
    ) -> Result<(), Damage> {
        let postings = self.file.whole(Section::Postings)?;
        let length = self.meta.length;
        let mut payloads = Payloads::new(length, postings.bytes.len());
        self.file.check_part(&dictionary.block(block)?)?;
        let Search { matcher, found, templates, used, .. } = search;
        let mut matcher = matcher.in_order();
        // A branch that is mispredicted every other time takes longer than adding nothing.
        let is_common = matcher.is_common();
        let mut ones = 0;
        let walked = dictionary.walk(block, string, |entry, reader| {
            let matches = matcher.matches(entry.shared, entry.string, entry.rest);
            match payloads.quick(entry.ordinal, reader) {
                Some(Quick::One(one)) if (matches || is_common) && one < length => {
                    ones += u64::from(matches);
                    found.words_mut()[(one >> 6) as usize] |= u64::from(matches) << (one & 63);
                }
                Some(_) if !matches => {}
                Some(Quick::One(_)) => return Err(postings.damage(0, BEYOND)),
                Some(Quick::Some(count, start, size)) => {
                    used.add(count);
                    let part = postings.piece(start, size)?;
                    self.file.check_part(&part)?;
                    postings::decode(part, count, found)?;
                }
                None => {
                    let payload = payloads.read(entry.ordinal, reader)?;
                    if matches {
                        used.add(payload.count);
                        self.add_term(&payload, &postings, found, templates)?;
                    }
                }
            }
            Ok(true)
        });
        used.words += ones;
        used.postings += ones;
        walked.map(|_| ())
    }

    pub(super) fn add_term(
        &self,
        payload: &PostingsLocation,
        postings: &FileSlice<'_>,
        found: &mut Bitmap,
        templates: &mut Vec<bool>,
    ) -> Result<(), Damage> {
        match payload.count {
            0 => {}
            1 if payload.one < self.meta.length => found.add(payload.one),
            1 => return Err(postings.damage(0, BEYOND)),
            count => {
                let part = postings.piece(payload.documents.0, payload.documents.1)?;
                self.file.check_part(&part)?;
                postings::decode(part, count, found)?;
            }
        }
        let Some((start, size)) = payload.templates else { return Ok(()) };
        let part = postings.piece(start, size)?;
        self.file.check_part(&part)?;
        let mut reader = part.reader();
        let mut template = 0;
        while !reader.is_done() {
            template += reader.varint_to(self.meta.length as usize)?;
            if template >= self.meta.length as usize {
                return Err(reader.damage("more templates than documents"));
            }
            if templates.len() <= template {
                templates.resize(template + 1, false);
            }
            templates[template] = true;
        }
        Ok(())
    }

    /// Adds the documents of the templates that are true; returns how many these have.
    pub(super) fn add_templates(&self, wanted: &[bool], found: &mut Bitmap) -> Result<u64, Damage> {
        if !wanted.contains(&true) {
            return Ok(0);
        }
        let mut used = 0;
        let postings = self.file.whole(Section::Postings)?;
        let lists = self.template_lists()?.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        let lists: Vec<TemplateList> = lists.map(|(listed, _)| *listed).collect();
        for (index, listed) in lists.iter().enumerate() {
            if let Some(next) = lists.get(index + LISTS_AHEAD) {
                // For a template with one document this points nowhere, which is harmless.
                prefetch(postings.bytes, next.at as usize);
            }
            used += u64::from(listed.count);
            match listed.count {
                0 => {}
                1 if listed.at < found.len() => found.add(listed.at),
                1 => return Err(postings.damage(0, BEYOND)),
                count => {
                    let part = postings.piece(listed.at as usize, listed.size as usize)?;
                    self.file.check_part(&part)?;
                    postings::decode(part, u64::from(count), found)?;
                }
            }
        }
        Ok(used)
    }

    /// Returns the lists of documents of the templates: read once, and kept as long as the segment is open.
    fn template_lists(&self) -> Result<&[TemplateList], Damage> {
        if let Some(lists) = self.template_lists.get() {
            return Ok(lists);
        }
        let postings = self.file.whole(Section::Postings)?;
        let Templates { count, documents: mut table, .. } = self.templates()?;
        let mut next = table.varint_to(postings.bytes.len())?;
        let mut lists = Vec::new();
        for _ in 0..count {
            let count = table.varint_to(self.meta.length as usize)? as u32;
            // The one document, or how large the list of documents is.
            let number = if count > 0 { table.varint_to(u32::MAX as usize)? } else { 0 };
            let (at, size) = if count == 1 { (number, 0) } else { (next, number) };
            let at = u32::try_from(at).map_err(|_| table.damage("templates begin behind the postings"))?;
            lists.push(TemplateList { count, at, size: size as u32 });
            next += size;
        }
        lists.shrink_to_fit();
        Ok(self.template_lists.get_or_init(|| lists))
    }

    /// The section of templates with their documents, of these postings, moved after others.
    pub(crate) fn moved_templates(
        &self,
        old: &FileSlice<'_>,
        postings: &mut Vec<u8>,
    ) -> Result<Vec<u8>, Damage> {
        let section = self.file.section(Section::Templates)?;
        let mut table = Templates::read(section, self.meta.length)?.documents;
        let before = table.position();
        let start = table.varint_to(old.bytes.len())?;
        let mut out = section.bytes[..before].to_vec();
        put_varint(&mut out, postings.len() as u64);
        out.extend_from_slice(&section.bytes[table.position()..]);
        postings.extend_from_slice(old.piece(start, old.bytes.len() - start)?.bytes);
        Ok(out)
    }

    /// The frequent tokens and their sequences.
    pub(super) fn templates(&self) -> Result<Templates<'_>, Damage> {
        Templates::read(self.file.section(Section::Templates)?, self.meta.length)
    }

    /// Documents of the templates that are true.
    pub(super) fn of_templates(&self, wanted: &[bool]) -> Result<Bitmap, Damage> {
        let mut found = Bitmap::none(self.meta.length);
        self.add_templates(wanted, &mut found)?;
        Ok(found)
    }

    /// Returns the section of neighbours of terms; `None` when there is none, as in an aged segment.
    pub(super) fn adjacency(&self) -> Result<Option<AdjacencySection<'_>>, Damage> {
        if self.file.extent(Section::Adjacency).length == 0 {
            return Ok(None);
        }
        adjacency::Section::read(&self.file.section(Section::Adjacency)?).map(Some)
    }

    /// The ordinal of a term among all.
    pub(super) fn ordinal_of(&self, token: &[u8]) -> Result<Option<u32>, Damage> {
        let dictionary = self.dictionary()?;
        let block = dictionary.block_of(|first| first <= token)?;
        if block >= dictionary.blocks() {
            return Ok(None);
        }
        let mut payloads = Payloads::new(self.meta.length, self.file.extent(Section::Postings).length);
        let mut ordinal = None;
        self.file.check_part(&dictionary.block(block)?)?;
        dictionary.walk(block, &mut Vec::new(), |entry, reader| {
            if entry.string == token {
                ordinal = Some(entry.ordinal);
                return Ok(false);
            }
            payloads.read(entry.ordinal, reader)?;
            Ok(true)
        })?;
        Ok(ordinal)
    }
}

/// Most bytes that are tried after the common prefix of neighbours: the digits.
const STEPS_MAX: u8 = 10;

/// Prefixes that no matching term has: whole pieces of a sorted list are skipped.
pub(super) struct ImpossiblePrefixes {
    /// Numbers of the pieces that are followed by another.
    followed: Range<usize>,
    dead: Vec<u8>,
}

impl ImpossiblePrefixes {
    /// Creates the state for a list of `pieces` pieces.
    pub(super) fn new(pieces: usize) -> ImpossiblePrefixes {
        ImpossiblePrefixes { followed: 0..pieces.saturating_sub(1), dead: Vec::new() }
    }

    /// Returns true when a term of a piece may match, judging by the common prefix of its terms; `firsts` are the
    /// first term of the piece and of the next one.
    pub(super) fn may_match<'a>(
        &mut self,
        matcher: &Matcher,
        piece: usize,
        firsts: impl FnOnce() -> Result<(&'a [u8], &'a [u8]), Damage>,
    ) -> Result<bool, Damage> {
        if !matcher.refuses_prefixes() || !self.followed.contains(&piece) {
            return Ok(true);
        }
        let (first, next) = firsts()?;
        let is_dead = |dead: &[u8]| !dead.is_empty() && first.starts_with(dead) && next.starts_with(dead);
        if is_dead(&self.dead) {
            return Ok(false);
        }
        let common = first.iter().zip(next).take_while(|(first, next)| first == next).count();
        let Some(length) = matcher.impossible_prefix(&first[..common]) else {
            return Ok(!ImpossiblePrefixes::are_impossible_behind(matcher, first, next, common));
        };
        self.dead.clear();
        self.dead.extend_from_slice(&first[..length]);
        Ok(false)
    }

    /// Returns true when no term matches from `first` up to `next`, by the byte after their common prefix: there
    /// are only a few.
    fn are_impossible_behind(matcher: &Matcher, first: &[u8], next: &[u8], common: usize) -> bool {
        let (Some(low), Some(high)) = (first.get(common), next.get(common)) else { return false };
        if high.saturating_sub(*low) > STEPS_MAX {
            return false;
        }
        let mut prefix = first[..=common].to_vec();
        (*low..=*high).all(|byte| {
            prefix[common] = byte;
            matcher.impossible_prefix(&prefix).is_some()
        })
    }
}

/// State of a walk over the dictionary: the pattern, and what was found.
pub(super) struct Search<'f> {
    pub(super) matcher: Matcher,
    pub(super) found: &'f mut Bitmap,
    /// For each template, whether it is wanted; as long as the last wanted one needs.
    pub(super) templates: &'f mut Vec<bool>,
    /// In an aged segment, the blocks that may have more.
    pub(super) blocks: Option<(Aging, Bitmap)>,
    pub(super) used: WordUse,
}

/// The section of templates.
pub(super) struct Templates<'a> {
    tokens: Vec<&'a [u8]>,
    count: usize,
    sequences: &'a [u8],
    sequences_bytes: usize,
    /// A reader positioned at the table of documents.
    documents: Reader<'a>,
}

impl<'a> Templates<'a> {
    fn read(part: FileSlice<'a>, length: u32) -> Result<Templates<'a>, Damage> {
        let mut reader = part.reader();
        let tokens = reader.varint_to(TOKENS_MAX)?;
        let tokens = (0..tokens).map(|_| reader.bytes()).collect::<Result<_, _>>()?;
        let count = reader.varint_to(length as usize)?;
        let sequences_bytes = reader.varint_to(SEQUENCES_BYTES_MAX)?;
        let sequences = reader.bytes()?;
        Ok(Templates { tokens, count, sequences, sequences_bytes, documents: reader })
    }

    /// The number of a frequent token.
    pub(super) fn number(&self, token: &[u8]) -> Option<u16> {
        self.tokens.iter().position(|known| *known == token).map(|at| at as u16)
    }

    /// Returns for each template whether it passes a test.
    pub(super) fn having(&self, mut test: impl FnMut(&[u16]) -> bool) -> Result<Vec<bool>, Damage> {
        let damage = || self.documents.damage("templates do not decompress");
        let plain = zstd::bulk::decompress(self.sequences, self.sequences_bytes).map_err(|_| damage())?;
        let mut reader = FileSlice::loose(&plain).reader();
        let mut sequence = Vec::new();
        let mut next = || {
            let length = reader.varint_to(plain.len())?;
            let numbers = reader.take(length.saturating_mul(2))?.chunks_exact(2);
            sequence.clear();
            sequence.extend(numbers.map(|number| u16::from_le_bytes([number[0], number[1]])));
            Ok(test(&sequence))
        };
        (0..self.count).map(|_| next()).collect::<Result<_, Damage>>().map_err(|_| damage())
    }
}

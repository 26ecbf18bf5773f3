//! A view of an active segment: its contents at one moment, searched by linear scan.
//!
//! In: queries. Out: answers about the messages that the segment had when the view was made.
//! Holds: the lock for one slice of a walk at a time, so that appending never waits long.
//! Limits: a walk over all terms (wildcards) holds the lock for about 10 ms per million of them.

use super::{
    Column, Shared, blocks,
    builder::{Builder, LEARN_DOCUMENTS, decimal},
    columns::{Named, stamp_of},
    word_scan::WordScan,
};
use crate::{
    answers::{
        column::{self, Fixed, Run, SeeValue, Shown, Source, ValueIds},
        phrase::{self, Excerpt},
        words,
    },
    documents::{self, Block, Stored, text::APART},
    format::list,
};
use lookup::{
    Bitmap, CancelToken, Column as Asked, ColumnUse, ColumnValues, Document, Pattern, Phrase, PhraseAnswer,
    ReadCost, ReadError, SegmentView, WordUse,
};
use message::ValueKind;
use std::{ops::Range, path::PathBuf, sync::Arc};
use zstd::zstd_safe::{DCtx, DDict};

/// Visits a column, with how its values are derived, and their type.
type SeeSource<'a> = dyn FnMut(&dyn Source, &Shown, Option<ValueKind>) -> Result<(), ReadError> + 'a;

/// Documents of one slice of a walk.
const SLICE: u32 = 1 << 16;

/// The first messages of an active segment.
pub(crate) struct ActiveView {
    shared: Arc<Shared>,
    length: u32,
}

impl ActiveView {
    pub(crate) fn new(shared: Arc<Shared>) -> ActiveView {
        let length = shared.read().length;
        ActiveView { shared, length }
    }

    /// Calls `walk` with each slice of the documents.
    fn slices(
        &self,
        cancel: &CancelToken,
        mut walk: impl FnMut(&Builder, Range<u32>),
    ) -> Result<(), ReadError> {
        for start in (0..self.length).step_by(SLICE as usize) {
            cancel.check()?;
            walk(&self.shared.read(), start..(start + SLICE).min(self.length));
        }
        Ok(())
    }

    /// Returns the documents that have one of the words that `choose` selects; `None` when it cannot tell.
    fn scan(
        &self,
        cancel: &CancelToken,
        choose: impl FnOnce(&Builder) -> Option<WordScan>,
    ) -> Result<Option<Bitmap>, ReadError> {
        let mut found = Bitmap::none(self.length);
        let builder = self.shared.read();
        let Some(wanted) = choose(&builder) else { return Ok(None) };
        // Learning gives the words new numbers, but only while all documents are in the first slice, which is walked
        // under the lock that the numbers were read under.
        const { assert!(LEARN_DOCUMENTS <= SLICE) };
        wanted.walk(&builder, 0..self.length.min(SLICE), &mut found);
        drop(builder);
        self.slices(cancel, |builder, documents| {
            if documents.start > 0 {
                wanted.walk(builder, documents, &mut found);
            }
        })?;
        Ok(Some(found))
    }

    /// The named columns that hold values of a name.
    fn named(&self, name: &str) -> Vec<(ActiveColumn<'_>, ValueKind)> {
        let builder = self.shared.read();
        let named = builder.columns.named.iter().enumerate().filter(|(_, named)| named.name == name);
        let column = |index| ActiveColumn { view: self, which: Which::Named(index) };
        named.map(|(index, named)| (column(index), named.kind)).collect()
    }

    fn fixed(&self, fixed: Fixed) -> ActiveColumn<'_> {
        ActiveColumn { view: self, which: Which::Fixed(fixed) }
    }

    /// Calls `visit` with each column that may hold values of a requested one, and the type of its values.
    fn sources(&self, asked: &Asked, visit: &mut SeeSource<'_>) -> Result<(), ReadError> {
        match column::resolve(asked) {
            (Some(fixed), shown) => visit(&self.fixed(fixed), &shown, None),
            (None, shown) => {
                if let Asked::Named(name) = asked {
                    let mut named = self.named(name).into_iter();
                    named.try_for_each(|(column, kind)| visit(&column, &Shown::Whole, Some(kind)))?;
                }
                visit(&self.fixed(Fixed::Rest), &shown, None)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Which {
    Fixed(Fixed),
    Named(usize),
}

/// One column of a view.
struct ActiveColumn<'a> {
    view: &'a ActiveView,
    which: Which,
}

impl ActiveColumn<'_> {
    fn with<T>(&self, read: impl FnOnce(&Column) -> T) -> T {
        let builder = self.view.shared.read();
        match self.which {
            Which::Fixed(fixed) => read(&builder.columns.fixed[fixed as usize]),
            Which::Named(index) => read(&builder.columns.named[index].column),
        }
    }
}

impl Source for ActiveColumn<'_> {
    fn distinct(&self) -> u32 {
        self.with(|column| column.values.len())
    }

    fn values(
        &self,
        _prefixes: &[Vec<u8>],
        cancel: &CancelToken,
        visit: &mut SeeValue<'_>,
    ) -> Result<(), ReadError> {
        let count = self.distinct();
        for start in (0..count).step_by(SLICE as usize) {
            cancel.check()?;
            self.with(|column| {
                (start..(start + SLICE).min(count)).try_for_each(|id| visit(id + 1, column.values.string(id)))
            })?;
        }
        Ok(())
    }

    fn value(&self, value_id: u32, value: &mut Vec<u8>) -> Result<(), ReadError> {
        value.clear();
        self.with(|column| value.extend_from_slice(column.values.string(value_id - 1)));
        Ok(())
    }

    fn runs(
        &self,
        _within: Option<&Bitmap>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(Run<'_>),
    ) -> Result<(), ReadError> {
        let mut start = 0;
        loop {
            cancel.check()?;
            let went = self.with(|column| {
                let end = column.count_below(self.view.length);
                let next = (start + SLICE as usize).min(end);
                if start < next {
                    let value_ids = &column.value_ids[start..next];
                    visit(match column.listed() {
                        Some(listed) => Run::Sparse { documents: &listed[start..next], value_ids },
                        None => Run::Dense { first: start as u32, value_ids },
                    });
                }
                next.max(start)
            });
            if went == start {
                return Ok(());
            }
            start = went;
        }
    }
}

impl SegmentView for ActiveView {
    fn len(&self) -> u32 {
        self.length
    }

    fn first_sequence(&self) -> u64 {
        self.shared.read().first_sequence
    }

    fn received_range(&self) -> (i64, i64) {
        let builder = self.shared.read();
        let received = &builder.columns.times.received[..self.length as usize];
        (received.first().copied().unwrap_or(0), received.last().copied().unwrap_or(0))
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        let edges = self.received_edges(&[from_us, to_us]);
        edges[0]..edges[1].max(edges[0])
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        let builder = self.shared.read();
        let received = &builder.columns.times.received[..self.length as usize];
        edges_us.iter().map(|edge| received.partition_point(|us| us < edge) as u32).collect()
    }

    fn event_between(&self, from_us: i64, to_us: i64, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let mut found = Bitmap::none(self.length);
        self.slices(cancel, |builder, documents| {
            let times = &builder.columns.times.event[documents.start as usize..documents.end as usize];
            for (document, us) in documents.zip(times) {
                if (from_us..to_us).contains(us) {
                    found.add(document);
                }
            }
        })?;
        Ok(found)
    }

    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        self.slices(&CancelToken::unlimited(), |builder, slice| {
            let words = &documents.words()[(slice.start >> 6) as usize..slice.end.div_ceil(64) as usize];
            for (index, word) in words.iter().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let document = slice.start + (index as u32 * 64) + rest.trailing_zeros();
                    rest &= rest - 1;
                    visit(document, builder.columns.times.event[document as usize]);
                }
            }
        })
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let found = self.scan(cancel, |builder| Some(WordScan::of(builder, pattern)))?;
        let mut found = found.unwrap_or_else(|| Bitmap::none(self.length));
        let columns = [self.fixed(Fixed::Host), self.fixed(Fixed::Program)];
        words::add_columns(
            columns.iter().map(|column| column as &dyn Source),
            &[pattern],
            cancel,
            &mut found,
        )?;
        Ok(found)
    }

    fn word_use(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Option<WordUse>, ReadError> {
        let mut words = 0;
        let found = self.scan(cancel, |builder| {
            let wanted = WordScan::of(builder, pattern);
            words = wanted.words;
            Some(wanted)
        })?;
        Ok(Some(WordUse { words, postings: found.map_or(0, |found| found.count()) }))
    }

    fn read_cost(&self, documents: &Bitmap) -> Result<Option<ReadCost>, ReadError> {
        let (mut cost, mut end) = (ReadCost::default(), 0);
        for document in documents.iter() {
            if document < end {
                continue;
            }
            let builder = self.shared.read();
            let (found, first) = builder.blocks.find(document);
            end = builder.blocks.end_of(first, builder.length);
            cost.blocks += 1;
            cost.bytes += match found {
                blocks::FoundBlock::Plain(frames) => frames.size() as u64,
                blocks::FoundBlock::Compressed(bytes, _) => bytes.len() as u64,
            };
        }
        Ok(Some(cost))
    }

    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        let mut is_exact = false;
        let mut frequent = None;
        let found = self.scan(cancel, |builder| {
            let tokens = builder.index.frequent();
            let find = |token: &[u8]| tokens.find(token);
            let whole = Excerpt::whole(phrase, find);
            is_exact = whole.is_some();
            let excerpt = whole.or_else(|| Excerpt::outline(phrase, find))?;
            frequent = Some(Arc::clone(tokens));
            let known = &builder.index.templates;
            let is_wanted = |number| excerpt.is_in(known.sequence(number));
            let templates: Vec<bool> = (0..known.len()).map(is_wanted).collect();
            Some(WordScan::of_templates(templates))
        })?;
        match found {
            Some(documents) if is_exact => Ok(PhraseAnswer { documents, sure: None }),
            found => {
                // These are the words that the templates were made from.
                let is_frequent =
                    |token: &[u8]| frequent.as_ref().is_some_and(|tokens| tokens.find(token).is_some());
                phrase::candidates(self, phrase, found, is_frequent, cancel)
            }
        }
    }

    fn values(&self, asked: &Asked, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let mut found = Bitmap::none(self.length);
        self.sources(asked, &mut |source, shown, kind| {
            column::find_typed(source, kind, shown, pattern, cancel, &mut found)
        })?;
        Ok(found)
    }

    fn count_values(
        &self,
        asked: &Asked,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        self.sources(asked, &mut |source, shown, _| column::count(source, shown, documents, cancel, add))
    }

    fn value_ids(
        &self,
        asked: &Asked,
        documents: &Bitmap,
        cancel: &CancelToken,
    ) -> Result<Option<ColumnValues>, ReadError> {
        let mut ids = ValueIds::new(documents);
        self.sources(asked, &mut |source, shown, _| ids.add(source, shown, cancel))?;
        Ok(ids.finish())
    }

    fn columns(&self) -> Vec<ColumnUse> {
        let builder = self.shared.read();
        let count = |column: &Column| column.count_below(self.length) as u64;
        let fixed = Fixed::ALL.map(|fixed| {
            let column = &builder.columns.fixed[fixed as usize];
            (fixed, count(column), column.numeric)
        });
        let named = builder.columns.named.iter();
        let named = named.map(|Named { name, column, .. }| (name.as_str(), count(column), column.numeric));
        words::column_uses(fixed.into_iter(), named)
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        documents::read(self, documents, cancel, visit)
    }
}

impl Stored for ActiveView {
    fn open_block(&self, document: u32, block: &mut Block) -> Result<(), ReadError> {
        if document >= self.length {
            return Err(self.damage(document, "no such document"));
        }
        let builder = self.shared.read();
        let (found, first) = builder.blocks.find(document);
        block.documents = first..builder.blocks.end_of(first, builder.length);
        block.bytes.clear();
        match found {
            blocks::FoundBlock::Plain(frames) => frames.encode(&mut block.bytes),
            blocks::FoundBlock::Compressed(bytes, stored) => {
                let useless = || self.damage(document, "a block does not decompress");
                // The blocks were compressed with the learned dictionary, which no longer changes.
                let decoder =
                    self.shared.decoder.get_or_init(|| DDict::try_create(builder.blocks.dictionary()));
                let decoder = decoder.as_ref().ok_or_else(useless)?;
                let mut decompressor = DCtx::try_create().ok_or_else(useless)?;
                decompressor.ref_ddict(decoder).map_err(|_| useless())?;
                block.bytes.reserve_exact(stored.plain_bytes as usize);
                let size = decompressor.decompress(&mut block.bytes, bytes);
                if size.ok() != Some(stored.plain_bytes as usize) {
                    return Err(useless());
                }
            }
        }
        drop(builder);
        block.find_frames().map_err(|damage| self.damage(document, damage.what))
    }

    fn shown_block(&self, document: u32) -> Result<Arc<Block>, ReadError> {
        // A compressed block never changes; others still grow, and are cheap to copy.
        let fixed = match self.shared.read().blocks.find(document) {
            (blocks::FoundBlock::Compressed(..), first) => Some(first),
            (blocks::FoundBlock::Plain(_), _) => None,
        };
        let kept = fixed.and_then(|first| self.shared.kept.find(first));
        if let Some(block) = kept.filter(|block| block.documents.contains(&document)) {
            return Ok(block);
        }
        let mut block = Block::default();
        self.open_block(document, &mut block)?;
        let block = Arc::new(block);
        if fixed == Some(block.documents.start) {
            self.shared.kept.keep(&block);
        }
        Ok(block)
    }

    fn describe(&self, document: u32, out: &mut Document) -> Result<(i64, i64), ReadError> {
        if document >= self.length {
            return Err(self.damage(document, "no such document"));
        }
        let builder = self.shared.read();
        let columns = &builder.columns;
        let value = |fixed: Fixed| columns.fixed[fixed as usize].value_of(document);
        let text = |fixed: Fixed| String::from_utf8_lossy(value(fixed)).into_owned();
        let copy = |out: &mut Vec<u8>, fixed: Fixed| value(fixed).clone_into(out);
        copy(&mut out.host, Fixed::Host);
        copy(&mut out.program, Fixed::Program);
        copy(&mut out.pid, Fixed::Pid);
        copy(&mut out.msgid, Fixed::Msgid);
        out.pri = decimal(value(Fixed::Pri));
        (out.source, out.peer) = (text(Fixed::Source), text(Fixed::Peer));
        out.sequence = builder.first_sequence + u64::from(document);
        let (at, times) = (document as usize, &columns.times);
        out.received_us = times.received[at];
        out.event = stamp_of(times.event[at], times.zone[at]);
        out.tags.clear();
        out.tags.extend(words::tags(value(Fixed::Tags)));
        out.values.clear();
        let present = |named: &&Named| named.column.value_id_of(document) > 0;
        let named = columns.named.iter().filter(present);
        out.values.extend(
            named.map(|named| (named.name.clone(), named.column.value_of(document).to_vec(), named.kind)),
        );
        out.values.extend(list::entries(value(Fixed::Rest)).flatten().map(words::owned));
        words::sort_values(&mut out.values);
        Ok((times.text_start[at], times.text_tail[at]))
    }

    fn texts_apart(&self, documents: Range<u32>) -> Result<usize, ReadError> {
        let builder = self.shared.read();
        let tails = &builder.columns.times.text_tail[documents.start as usize..documents.end as usize];
        Ok(tails.iter().filter(|tail| **tail == APART).count())
    }

    fn damage(&self, document: u32, what: &'static str) -> ReadError {
        // There is no file yet: the location is the document's number.
        ReadError::Corrupt { path: PathBuf::from("active segment"), offset: u64::from(document), what }
    }
}

//! A column of values of a sealed segment.
//!
//! In: its bytes. Out: values, value ids. The values are sorted lower-cased, so that a prefix is a range of blocks.
//! Holds: nothing between calls. Limits: none of its own.

use super::{Entry, Sealed};
use crate::format::columns::{Form, Kind};
use crate::{
    answers::column::{self, Run, SeeValue, Source, ValueIdRange},
    format::{
        Damage, FileSlice,
        dictionary::{self, Dictionary},
        directory::HEAD_BYTES,
        ordinals::{self, GROUP, group_bytes, width_of},
        postings,
    },
};
use lookup::{Bitmap, CancelToken, ReadError, tokens::Tokenizer};

use message::ValueKind;

/// Most bytes of a *var* number.
const VARINT_BYTES_MAX: usize = 10;

/// Groups between two checks of the token: about a tenth of a millisecond.
const GROUPS_A_LOOK: usize = 1024;

/// Text of the error for an invalid value id.
const NOT_A_VALUE: &str = "a value that the dictionary does not have";

/// Most distinct values: no segment has as many messages.
const DISTINCT_MAX: u32 = u32::MAX >> 1;

/// A column, its head read.
pub(crate) struct SealedColumn<'a> {
    pub(super) owner: &'a Sealed,
    pub(super) entry: &'a Entry,
    form: Form,
    values: Dictionary<'a>,
    /// The documents, where they are listed.
    listed: FileSlice<'a>,
    packed: FileSlice<'a>,
    width: u8,
}

impl Sealed {
    /// A column of values.
    pub(super) fn column<'a>(&'a self, entry: &'a Entry) -> Result<SealedColumn<'a>, Damage> {
        SealedColumn::open(self, entry, self.bytes_of(entry)?)
    }
}

impl<'a> SealedColumn<'a> {
    pub(super) fn open(
        owner: &'a Sealed,
        entry: &'a Entry,
        part: FileSlice<'a>,
    ) -> Result<SealedColumn<'a>, Damage> {
        // Only the parts that are read are checked: a query for a few values reads little of the column.
        let check = |start: usize, size: usize| {
            owner.file.check_part(&part.piece(start, size.min(part.bytes.len().saturating_sub(start)))?)
        };
        check(0, 1 + HEAD_BYTES)?;
        let mut reader = part.reader();
        let (form, largest) = match reader.byte()? {
            0 => (Form::Dense, entry.distinct),
            1 => (Form::Full, entry.distinct.saturating_sub(1)),
            2 => (Form::Sparse, entry.distinct.saturating_sub(1)),
            _ => return Err(reader.damage("unknown form of a column")),
        };
        let values = Dictionary::read(&mut reader)?;
        owner.file.check_part(&values.lookup())?;
        if values.len() != entry.distinct as usize || !(1..=DISTINCT_MAX).contains(&entry.distinct) {
            return Err(reader.damage("wrong number of values"));
        }
        let mut listed = FileSlice::default();
        if form == Form::Sparse {
            check(reader.position(), VARINT_BYTES_MAX)?;
            let size = reader.varint_to(part.bytes.len())?;
            listed = reader.take_part(size)?;
        }
        let at = reader.position();
        let packed = part.piece(at, part.bytes.len() - at)?;
        Ok(SealedColumn { owner, entry, form, values, listed, packed, width: width_of(largest) })
    }

    /// The type of the values of a name-value pair.
    pub(super) fn kind(&self) -> Option<ValueKind> {
        (self.entry.code == Kind::Named as u8).then_some(self.entry.kind)
    }

    /// The documents of a sparse column, ascending; empty for others.
    pub(super) fn listed(&self) -> Result<Vec<u32>, Damage> {
        if self.form != Form::Sparse {
            return Ok(Vec::new());
        }
        self.owner.file.check_part(&self.listed)?;
        let mut documents = Bitmap::none(self.owner.meta.length);
        postings::decode(self.listed, u64::from(self.entry.documents), &mut documents)?;
        let documents: Vec<u32> = documents.iter().collect();
        if documents.len() != self.entry.documents as usize {
            return Err(self.listed.damage(0, "wrong number of documents"));
        }
        Ok(documents)
    }

    /// The value ids of group `index`.
    fn group(&self, index: usize, value_ids: &mut [u32; GROUP]) -> Result<(), Damage> {
        let size = group_bytes(self.width);
        self.owner.file.check_part(&self.packed.piece(index.saturating_mul(size), size)?)?;
        ordinals::decode_group(&self.packed, index, self.width, value_ids)?;
        let add = u32::from(self.form != Form::Dense);
        let mut beyond = 0;
        for value_id in value_ids.iter_mut() {
            *value_id = value_id.wrapping_add(add);
            // Value ids and their number have at most 31 bits: the highest bit is set when an id is too large.
            // Comparing takes three times as long.
            beyond |= self.entry.distinct.wrapping_sub(*value_id);
        }
        if beyond >> 31 != 0 {
            return Err(self.packed.damage(0, NOT_A_VALUE));
        }
        Ok(())
    }

    /// The value id of a document; `listed` is the result of [`SealedColumn::listed`].
    pub(super) fn value_id_of(&self, document: u32, listed: &[u32]) -> Result<u32, Damage> {
        let at = match self.form {
            Form::Sparse => match listed.binary_search(&document) {
                Ok(at) => at,
                Err(_) => return Ok(0),
            },
            _ => document as usize,
        };
        let mut value_ids = [0; GROUP];
        self.group(at / GROUP, &mut value_ids)?;
        Ok(value_ids[at % GROUP])
    }

    /// The value of an id.
    pub(super) fn string(&self, value_id: u32, value: &mut Vec<u8>) -> Result<(), Damage> {
        let ordinal = value_id.wrapping_sub(1);
        if ordinal as usize >= self.values.len() {
            return Err(self.packed.damage(0, NOT_A_VALUE));
        }
        self.owner.file.check_part(&self.values.block(ordinal as usize / dictionary::BLOCK)?)?;
        self.values.string(ordinal, value)
    }

    /// Adds the documents of a column that has a value id for every document: see [`Source::add_value_ids`].
    fn add_dense(
        &self,
        value_ids: &ValueIdRange,
        cancel: &CancelToken,
        found: &mut Bitmap,
    ) -> Result<(), ReadError> {
        let corrupt = |damage| self.owner.corrupt(damage);
        let length = self.owner.meta.length as usize;
        let (stored, largest) = match self.form {
            Form::Full => (&value_ids.less_one(), self.entry.distinct - 1),
            _ => (value_ids, self.entry.distinct),
        };
        let size = group_bytes(self.width);
        let mut raw = [0; GROUP];
        for (group, words) in found.words_mut().chunks_mut(GROUP / 64).enumerate() {
            if group % GROUPS_A_LOOK == 0 {
                cancel.check()?;
                let start = (group * size).min(self.packed.bytes.len());
                let ahead = (GROUPS_A_LOOK * size).min(self.packed.bytes.len() - start);
                self.packed
                    .piece(start, ahead)
                    .and_then(|part| self.owner.file.check_part(&part))
                    .map_err(corrupt)?;
            }
            ordinals::decode_group(&self.packed, group, self.width, &mut raw).map_err(corrupt)?;
            // See `SealedColumn::group`.
            let beyond = raw.iter().fold(0, |beyond, value_id| beyond | largest.wrapping_sub(*value_id));
            if beyond >> 31 != 0 {
                return Err(corrupt(self.packed.damage(0, NOT_A_VALUE)));
            }
            for (index, (word, value_ids)) in words.iter_mut().zip(raw.as_chunks::<64>().0).enumerate() {
                let left = length - (group * GROUP + index * 64);
                *word |= stored.marks(value_ids) & u64::MAX >> 64_usize.saturating_sub(left);
            }
        }
        Ok(())
    }

    fn sparse_runs(&self, visit: &mut dyn FnMut(Run<'_>)) -> Result<(), Damage> {
        let mut value_ids = [0; GROUP];
        for (index, documents) in self.listed()?.chunks(GROUP).enumerate() {
            self.group(index, &mut value_ids)?;
            visit(Run::Sparse { documents, value_ids: &value_ids[..documents.len()] });
        }
        Ok(())
    }
}

fn begins_with(value: &[u8], prefix: &[u8]) -> bool {
    value.len() >= prefix.len() && value[..prefix.len()].eq_ignore_ascii_case(prefix)
}

impl Source for SealedColumn<'_> {
    fn distinct(&self) -> u32 {
        self.entry.distinct
    }

    fn values(
        &self,
        prefixes: &[Vec<u8>],
        cancel: &CancelToken,
        visit: &mut SeeValue<'_>,
    ) -> Result<(), ReadError> {
        let corrupt = |damage| self.owner.corrupt(damage);
        let mut string = Vec::new();
        // Blocks before this one were visited for a prefix before.
        let mut unseen = 0;
        for prefix in prefixes {
            let lowered = |value: &[u8]| value.iter().map(u8::to_ascii_lowercase).lt(prefix.iter().copied());
            let start = if prefix.is_empty() { 0 } else { self.values.block_of(lowered).map_err(corrupt)? };
            for block in start..self.values.blocks() {
                if block % 64 == 0 {
                    cancel.check()?;
                }
                let first = self.values.first(block).map_err(corrupt)?;
                if block > start && !begins_with(first, prefix) && !lowered(first) {
                    break;
                }
                if block < unseen {
                    continue;
                }
                unseen = block + 1;
                self.values
                    .block(block)
                    .and_then(|part| self.owner.file.check_part(&part))
                    .map_err(corrupt)?;
                let mut stopped = Ok(());
                let walked = self.values.walk(block, &mut string, |entry, _| {
                    stopped = visit(entry.ordinal + 1, entry.string);
                    Ok(stopped.is_ok())
                });
                stopped?;
                walked.map_err(corrupt)?;
            }
        }
        Ok(())
    }

    fn value(&self, value_id: u32, value: &mut Vec<u8>) -> Result<(), ReadError> {
        self.string(value_id, value).map_err(|damage| self.owner.corrupt(damage))
    }

    fn runs(
        &self,
        within: Option<&Bitmap>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(Run<'_>),
    ) -> Result<(), ReadError> {
        let corrupt = |damage| self.owner.corrupt(damage);
        if self.form == Form::Sparse {
            return self.sparse_runs(visit).map_err(corrupt);
        }
        let length = self.owner.meta.length as usize;
        let mut value_ids = [0; GROUP];
        for group in 0..length.div_ceil(GROUP) {
            if group % GROUPS_A_LOOK == 0 {
                cancel.check()?;
            }
            let words = group * GROUP / 64;
            let is_outside =
                |within: &Bitmap| within.words().iter().skip(words).take(GROUP / 64).all(|word| *word == 0);
            if within.is_some_and(is_outside) {
                continue;
            }
            self.group(group, &mut value_ids).map_err(corrupt)?;
            let count = (length - group * GROUP).min(GROUP);
            visit(Run::Dense { first: (group * GROUP) as u32, value_ids: &value_ids[..count] });
        }
        Ok(())
    }

    fn add_value_ids(
        &self,
        value_ids: &ValueIdRange,
        cancel: &CancelToken,
        found: &mut Bitmap,
    ) -> Result<(), ReadError> {
        match self.form {
            Form::Sparse => column::add_by_runs(self, value_ids, cancel, found),
            Form::Dense | Form::Full => self.add_dense(value_ids, cancel, found),
        }
    }

    fn is_of_tokens(&self, cancel: &CancelToken) -> Result<bool, ReadError> {
        if let Some(known) = self.entry.of_tokens.get() {
            return Ok(*known);
        }
        let mut tokenizer = Tokenizer::default();
        let mut all = true;
        self.values(&[Vec::new()], cancel, &mut |_, value| {
            tokenizer.read(value);
            all &= tokenizer.tokens().next().is_some_and(|token| token.length as usize == value.len());
            Ok(())
        })?;
        Ok(*self.entry.of_tokens.get_or_init(|| all))
    }
}

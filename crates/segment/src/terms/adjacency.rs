//! The frequent words next to a term: together with templates they answer most phrases without reading messages.
//!
//! In: terms that several messages have, their neighbours, the positions of words between the frequent ones of
//! templates.
//! Out: a section, and its contents again. Holds nothing. Limits: only terms of at least [`DOCUMENTS_MIN`]
//! messages: fewer are read just as fast.

use crate::{
    format::{Damage, FileSlice, Reader, put_varint},
    memory::{Item, Spares},
};

/// Fewest messages of a term whose neighbours are stored. Tests have smaller segments.
pub(crate) const DOCUMENTS_MIN: u32 = if cfg!(test) { 2 } else { 192 };

/// The numbers of the frequent words beside a token; [`u16::MAX`] for any other word, and at the beginning or end
/// of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Adjacency(u32);

impl Adjacency {
    /// The number of what is not a frequent word.
    pub(crate) const OTHER: u16 = u16::MAX;
    /// In a name-value pair, not in the text. No frequent word has this number.
    pub(crate) const IN_VALUE: Adjacency = Adjacency::new(u16::MAX - 1, u16::MAX - 1);

    #[inline]
    pub(crate) const fn new(left: u16, right: u16) -> Adjacency {
        Adjacency((left as u32) << 16 | right as u32)
    }

    pub(crate) fn left(self) -> u16 {
        (self.0 >> 16) as u16
    }

    pub(crate) fn right(self) -> u16 {
        self.0 as u16
    }

    /// Returns it as a number; different values have different numbers.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl Item for Adjacency {
    fn spares() -> &'static Spares<Adjacency> {
        static SPARES: Spares<Adjacency> = Spares::new();
        &SPARES
    }
}

/// The positions of words that are not frequent in the texts of a template.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Layout(u8);

impl Layout {
    /// Before the last frequent word there are several consecutive ones.
    const LOOSE: u8 = 1;
    /// After the last frequent word there is at least one.
    const TAIL: u8 = 2;
    /// After the last frequent word there are several.
    const LONG_TAIL: u8 = 4;
    /// The message has name-value pairs.
    const VALUES: u8 = 8;

    /// Makes the layout of a text with `inner` such words in `gaps` gaps before its last frequent word, and `tail`
    /// after it.
    #[inline]
    pub(crate) fn new(inner: usize, gaps: usize, tail: usize) -> Layout {
        let one = |is: bool, bit: u8| if is { bit } else { 0 };
        // More words than gaps: one of them has several consecutive ones.
        let loose = one(inner > gaps, Layout::LOOSE);
        Layout(loose | one(tail > 0, Layout::TAIL) | one(tail > 1, Layout::LONG_TAIL))
    }

    /// The same of a message with name-value pairs.
    #[inline]
    pub(crate) fn with_values(self) -> Layout {
        Layout(self.0 | Layout::VALUES)
    }

    /// Joins this layout with that of another text.
    #[inline]
    pub(crate) fn add(&mut self, other: Layout) {
        self.0 |= other.0;
    }

    pub(crate) fn has_values(self) -> bool {
        self.0 & Layout::VALUES != 0
    }

    pub(crate) fn has_tail(self) -> bool {
        self.0 & Layout::TAIL != 0
    }

    /// Returns true when a word in a gap between frequent words may have other such words next to it.
    pub(crate) fn is_loose(self) -> bool {
        self.0 & Layout::LOOSE != 0
    }

    /// Returns true when a word after the last frequent word may have other such words next to it.
    pub(crate) fn has_long_tail(self) -> bool {
        self.0 & Layout::LONG_TAIL != 0
    }
}

/// Writes the section.
pub(crate) struct Encoder {
    out: Vec<u8>,
    /// The term before.
    last: u32,
}

impl Encoder {
    /// Creates an encoder for templates with these layouts.
    pub(crate) fn new(layouts: &[Layout]) -> Encoder {
        let mut out = Vec::new();
        put_varint(&mut out, layouts.len() as u64);
        out.extend(layouts.iter().map(|layout| layout.0));
        Encoder { out, last: 0 }
    }

    /// Appends a term by its ordinal, with all its neighbours, in order.
    pub(crate) fn push(&mut self, term: u32, found: &[Adjacency]) {
        debug_assert!(term >= self.last && found.is_sorted(), "terms and their neighbours in order");
        put_varint(&mut self.out, u64::from(term - self.last));
        put_varint(&mut self.out, found.len() as u64);
        found.iter().for_each(|one| self.out.extend_from_slice(&one.bits().to_le_bytes()));
        self.last = term;
    }

    /// The section.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// The section, read.
pub(crate) struct Section<'a> {
    layouts: &'a [u8],
    /// A reader positioned at the terms.
    terms: Reader<'a>,
}

impl<'a> Section<'a> {
    pub(crate) fn read(part: &FileSlice<'a>) -> Result<Section<'a>, Damage> {
        let mut terms = part.reader();
        let count = terms.varint_to(part.bytes.len())?;
        Ok(Section { layouts: terms.take(count)?, terms })
    }

    /// Returns the layout of a template; one that the section does not have may have any.
    pub(crate) fn layout(&self, template: u32) -> Layout {
        Layout(self.layouts.get(template as usize).copied().unwrap_or(u8::MAX))
    }

    /// Returns the neighbours of a term; `None` when they were not stored.
    pub(crate) fn find(&self, term: u32) -> Result<Option<Vec<Adjacency>>, Damage> {
        let mut reader = self.terms.clone();
        let mut at = 0u64;
        while !reader.is_done() {
            at = at.saturating_add(reader.varint()?);
            let count = reader.varint_to(u16::MAX as usize * u16::MAX as usize)?;
            let (found, _) = reader.take(count.saturating_mul(size_of::<u32>()))?.as_chunks();
            if at >= u64::from(term) {
                let found = || found.iter().map(|bits| Adjacency(u32::from_le_bytes(*bits))).collect();
                return Ok((at == u64::from(term)).then(found));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    //! Rows for the section.

    use super::*;

    #[test]
    fn what_was_put_is_found() {
        let layouts = [Layout::new(0, 0, 0), Layout::new(2, 1, 1).with_values(), Layout::new(1, 1, 2)];
        let rows = [
            (0, vec![Adjacency::new(1, 2)]),
            (7, vec![Adjacency::new(1, 2), Adjacency::new(1, u16::MAX), Adjacency::new(u16::MAX, 2)]),
            (70_000, vec![Adjacency::new(9, u16::MAX), Adjacency::IN_VALUE]),
        ];
        let mut encoder = Encoder::new(&layouts);
        rows.iter().for_each(|(term, found)| encoder.push(*term, found));
        let bytes = encoder.finish();
        let section = Section::read(&FileSlice::loose(&bytes)).ok().unwrap();
        for (term, found) in rows {
            assert_eq!(section.find(term).ok().flatten(), Some(found), "{term}");
        }
        for missing in [1, 6, 8, 70_001] {
            assert_eq!(section.find(missing).ok().flatten(), None, "{missing}");
        }
        for (template, layout) in (0..).zip(layouts) {
            assert_eq!(section.layout(template), layout);
        }
        let unknown = section.layout(3);
        assert!(unknown.has_values() && unknown.has_tail() && unknown.has_long_tail() && unknown.is_loose());
        for length in 0..bytes.len() {
            let cut = bytes[..length].to_vec();
            let _ = Section::read(&FileSlice::loose(&cut)).map(|section| section.find(70_000).is_ok());
        }
    }
}

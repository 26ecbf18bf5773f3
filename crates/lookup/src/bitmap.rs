//! A set of documents of one segment.
//!
//! In: document numbers. Out: set algebra on 64-bit words, counts of ranges, walks from either end.
//! Limits: one bit per document: 125 KB for a segment of a million.

use std::ops::Range;

/// A fixed-length bit set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bitmap {
    words: Vec<u64>,
    length: u32,
}

impl Bitmap {
    /// No document of `length`.
    pub fn none(length: u32) -> Bitmap {
        Bitmap { words: vec![0; (length as usize).div_ceil(64)], length }
    }

    /// Every document of `length`.
    pub fn all(length: u32) -> Bitmap {
        let mut bitmap = Bitmap { words: vec![u64::MAX; (length as usize).div_ceil(64)], length };
        bitmap.clear_tail();
        bitmap
    }

    /// Number of documents in the segment.
    #[inline]
    pub fn len(&self) -> u32 {
        self.length
    }

    /// Returns true when no document is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Adds a document, which must be below the length.
    #[inline]
    pub fn add(&mut self, document: u32) {
        assert!(document < self.length, "document {document} of {}", self.length);
        self.words[(document >> 6) as usize] |= 1 << (document & 63);
    }

    /// Removes a document.
    #[inline]
    pub fn remove(&mut self, document: u32) {
        if let Some(word) = self.words.get_mut((document >> 6) as usize) {
            *word &= !(1 << (document & 63));
        }
    }

    /// Returns true when a document is in the set.
    #[inline]
    pub fn has(&self, document: u32) -> bool {
        self.words.get((document >> 6) as usize).is_some_and(|word| word >> (document & 63) & 1 == 1)
    }

    /// Returns the number of documents in the set.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the number of documents of a range that are in the set.
    pub fn count_range(&self, range: Range<u32>) -> u64 {
        let (start, end) = (range.start.min(self.length), range.end.min(self.length));
        if start >= end {
            return 0;
        }
        let (first, last) = ((start >> 6) as usize, ((end - 1) >> 6) as usize);
        let head = u64::MAX << (start & 63);
        let tail = u64::MAX >> (63 - ((end - 1) & 63));
        if first == last {
            return u64::from((self.words[first] & head & tail).count_ones());
        }
        let middle: u64 = self.words[first + 1..last].iter().map(|word| u64::from(word.count_ones())).sum();
        u64::from((self.words[first] & head).count_ones())
            + middle
            + u64::from((self.words[last] & tail).count_ones())
    }

    /// Keeps the documents that both have.
    pub fn and(&mut self, other: &Bitmap) {
        debug_assert_eq!(self.length, other.length, "bitmaps of one segment");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Adds the documents of the other.
    pub fn or(&mut self, other: &Bitmap) {
        debug_assert_eq!(self.length, other.length, "bitmaps of one segment");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Removes the documents of the other.
    pub fn and_not(&mut self, other: &Bitmap) {
        debug_assert_eq!(self.length, other.length, "bitmaps of one segment");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// Replaces the set by its complement.
    pub fn negate(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.clear_tail();
    }

    /// Keeps the documents of a range.
    pub fn keep_range(&mut self, range: Range<u32>) {
        let mut kept = Bitmap::none(self.length);
        kept.add_range(range);
        self.and(&kept);
    }

    /// Adds a range of documents; cut at the length.
    pub fn add_range(&mut self, range: Range<u32>) {
        let (start, end) = (range.start.min(self.length), range.end.min(self.length));
        if start >= end {
            return;
        }
        let (first, last) = ((start >> 6) as usize, ((end - 1) >> 6) as usize);
        let head = u64::MAX << (start & 63);
        let tail = u64::MAX >> (63 - ((end - 1) & 63));
        if first == last {
            self.words[first] |= head & tail;
            return;
        }
        self.words[first] |= head;
        self.words[first + 1..last].fill(u64::MAX);
        self.words[last] |= tail;
    }

    /// The documents, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    (index as u32) << 6 | bit
                })
            })
        })
    }

    /// The documents, descending.
    #[inline]
    pub fn iter_rev(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().rev().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = 63 - rest.leading_zeros();
                    rest &= !(1 << bit);
                    (index as u32) << 6 | bit
                })
            })
        })
    }

    /// The words of the set; bit 0 of word 0 is document 0.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words, to be filled by a decoder; bits at or above the length must stay 0.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    fn clear_tail(&mut self) {
        let used = self.length & 63;
        if let Some(last) = self.words.last_mut()
            && used != 0
        {
            *last &= (1 << used) - 1;
        }
    }
}

#[cfg(test)]
mod tests;

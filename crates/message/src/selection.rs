//! The messages of a batch that a step applies to.
//!
//! In: indices of messages. Out: the same indices, ascending. Holds: one bit for each message of the batch.

/// A set of messages of one batch, as bits in message order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    words: Vec<u64>,
    /// Number of messages in the batch.
    length: usize,
}

impl Selection {
    /// Selects all messages of a batch of `length`.
    pub fn all(length: usize) -> Selection {
        let mut words = vec![u64::MAX; length.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !length.is_multiple_of(64)
        {
            *last = (1 << (length % 64)) - 1;
        }
        Selection { words, length }
    }

    /// Selects no message of a batch of `length`.
    pub fn none(length: usize) -> Selection {
        Selection { words: vec![0; length.div_ceil(64)], length }
    }

    /// Returns the number of messages of the batch.
    pub fn batch_len(&self) -> usize {
        self.length
    }

    /// Returns true when message `index` is selected.
    #[inline]
    pub fn has(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Selects message `index`, which must be below the batch's length.
    #[inline]
    pub fn add(&mut self, index: usize) {
        assert!(index < self.length, "message {index} of {}", self.length);
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Deselects message `index`.
    #[inline]
    pub fn remove(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// Returns the number of selected messages.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true when no message is selected.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns true when every message is selected.
    pub fn is_all(&self) -> bool {
        self.count() == self.length
    }

    /// Returns the first `count` of the selected messages.
    pub fn first(&self, count: usize) -> Selection {
        let mut first = Selection::none(self.length);
        self.iter().take(count).for_each(|index| first.add(index));
        first
    }

    /// Keeps only the messages that both select.
    pub fn and(&mut self, other: &Selection) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds the messages that the other selects.
    pub fn or(&mut self, other: &Selection) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Removes the messages that the other selects.
    pub fn subtract(&mut self, other: &Selection) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Returns the selected messages, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Returns the words of the bitmap: bit 0 of word 0 is message 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

//! The cost of answers, for planning and explaining them.
//!
//! In: counts of what is read. Out: the same, added up.

/// The cost of looking a pattern up in the index of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WordUse {
    /// Distinct words that match.
    pub words: u64,
    /// Entries of the lists that are read: the messages of each word and of each template of frequent words.
    pub postings: u64,
}

impl WordUse {
    /// Counts a word whose list has this many entries.
    #[inline]
    pub fn add(&mut self, postings: u64) {
        self.words += 1;
        self.postings += postings;
    }
}

/// The cost of reading messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadCost {
    /// Blocks of neighbouring messages that are opened.
    pub blocks: u64,
    /// Their size as stored.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    //! Words added up.

    use super::WordUse;

    #[test]
    fn words_and_their_entries_are_counted() {
        let mut cost = WordUse::default();
        [3, 0, 4].into_iter().for_each(|postings| cost.add(postings));
        assert_eq!(cost, WordUse { words: 3, postings: 7 });
    }
}

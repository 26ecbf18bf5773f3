//! Phrases: consecutive words.
//!
//! In: patterns of words. Out: the documents that may hold them, and those that certainly do.

use crate::{Bitmap, Pattern};

/// Consecutive words of a text.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// The words in order, each a pattern; `Pattern::Any` is a gap of one word.
    pub words: Vec<Pattern>,
    /// Moves allowed in positions (Lucene's slop); a transposition costs two.
    pub slop: u32,
}

/// Documents that may hold a phrase.
pub struct PhraseAnswer {
    /// The documents.
    pub documents: Bitmap,
    /// Those that are known to hold it; the texts of the others must be checked. `None`: all are known to.
    pub sure: Option<Bitmap>,
}

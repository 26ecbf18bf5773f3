//! Phrases: words that follow each other.
//!
//! In: patterns of words. Out: the documents that may hold them, and those that surely do.

use crate::{Bitmap, Pattern};

/// Words that follow each other in the text.
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
    /// Those that are known to hold it; the text of each other one must be looked at. `None`: all of them are known to.
    pub sure: Option<Bitmap>,
}

//! Several grok patterns as a parser.
//!
//! In: a text. Out: the values of the first pattern that matches it. Holds: the patterns. Limits: those of each pattern.

use super::compiled::Grok;
use crate::parser::{Reader, Writer};

/// The fate of a text that no pattern matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmatched {
    /// Its message is stopped.
    Stops,
    /// Its message passes unchanged.
    Passes,
}

/// Several patterns: the first one that matches sets the values.
#[derive(Debug)]
pub struct GrokReader {
    patterns: Vec<Grok>,
    unmatched: Unmatched,
}

impl GrokReader {
    /// Makes a reader with its patterns in order.
    pub fn new(patterns: Vec<Grok>, unmatched: Unmatched) -> GrokReader {
        GrokReader { patterns, unmatched }
    }
}

impl Reader for GrokReader {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        self.patterns.iter().any(|pattern| pattern.read(text, out)) || self.unmatched == Unmatched::Passes
    }
}

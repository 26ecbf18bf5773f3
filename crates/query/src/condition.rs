//! The condition of a question: its tree with every name, text and number resolved.
//!
//! In: made by `compile`. Out: run over an index by `plan`, over one message by `matcher`; both must agree.

pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod highlight;
pub(crate) mod matcher;

use crate::language::tree::Text;
use lookup::{Column, Pattern, Phrase};
use regex::bytes::Regex;

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// Always.
    All,
    /// Never.
    Never,
    /// All of them, cheapest first.
    And(Vec<Condition>),
    /// At least one of them.
    Or(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
    /// A token anywhere.
    Word(Pattern),
    /// Tokens of the message text that follow each other.
    Phrase(Phrase),
    /// The same with case; `words` in lower case find the candidates.
    CasePhrase {
        /// The words in lower case, for the index.
        words: Phrase,
        /// The words as written.
        exact: Vec<Vec<u8>>,
    },
    /// A value of a column.
    Value(Column, ValueTest),
    /// A value of any column whose name matches.
    Values(Text, ValueTest),
    /// An expression found in the message text.
    TextRegex {
        /// The expression.
        regex: Regex,
        /// Tokens that every match contains.
        tokens: Vec<Pattern>,
    },
    /// An expression found in the frame as received.
    RawRegex(Regex),
    /// The very bytes within the message text.
    TextHas {
        /// The bytes.
        bytes: Vec<u8>,
        /// Tokens that every message with these bytes contains.
        tokens: Vec<Pattern>,
    },
    /// The very bytes within the frame as received.
    RawHas(Vec<u8>),
    /// Received time, from and before.
    Received(i64, i64),
    /// Sender's time, from and before.
    Event(i64, i64),
    /// Received minus sender's time, from and before.
    Skew(i64, i64),
}

/// A test of a single value.
#[derive(Clone, Debug)]
pub(crate) enum ValueTest {
    /// The value matches a pattern.
    Pattern(Pattern),
    /// The expression is found in the value.
    Regex(Regex),
}

impl Condition {
    /// All of them: nested ones joined, constants folded, cheapest first.
    pub(crate) fn and(members: Vec<Condition>) -> Condition {
        let mut flat = Vec::new();
        for member in members {
            match member {
                Condition::All => {}
                Condition::Never => return Condition::Never,
                Condition::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_by_key(Condition::cost);
        match flat.len() {
            0 => Condition::All,
            1 => flat.remove(0),
            _ => Condition::And(flat),
        }
    }

    /// Joins conditions by OR: nested ones flattened, constants folded, cheapest first.
    pub(crate) fn or(members: Vec<Condition>) -> Condition {
        let mut flat = Vec::new();
        for member in members {
            match member {
                Condition::All => return Condition::All,
                Condition::Never => {}
                Condition::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_by_key(Condition::cost);
        match flat.len() {
            0 => Condition::Never,
            1 => flat.remove(0),
            _ => Condition::Or(flat),
        }
    }

    /// The opposite.
    pub(crate) fn not(inner: Condition) -> Condition {
        match inner {
            Condition::All => Condition::Never,
            Condition::Never => Condition::All,
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// A rank of what it costs to answer: look-ups, then walks of a dictionary, then scans of messages.
    fn cost(&self) -> u32 {
        match self {
            Condition::All | Condition::Never | Condition::Received(..) => 0,
            Condition::Word(pattern) => pattern_cost(pattern),
            Condition::Value(_, ValueTest::Pattern(pattern)) => pattern_cost(pattern),
            Condition::Phrase(phrase) => 4 + phrase.words.iter().map(pattern_cost).max().unwrap_or(0),
            Condition::Values(_, ValueTest::Pattern(pattern)) => 10 + pattern_cost(pattern),
            Condition::Event(..) => 20,
            Condition::Value(_, ValueTest::Regex(_)) => 30,
            Condition::Values(_, ValueTest::Regex(_)) => 40,
            Condition::CasePhrase { .. } => 50,
            Condition::Skew(..) => 55,
            Condition::TextHas { .. } => 60,
            Condition::RawHas(_) => 65,
            Condition::TextRegex { .. } => 70,
            Condition::RawRegex(_) => 75,
            Condition::Not(inner) => inner.cost() + 1,
            Condition::And(members) => members.first().map_or(0, Condition::cost) + 1,
            Condition::Or(members) => members.last().map_or(0, Condition::cost) + 1,
        }
    }
}

fn pattern_cost(pattern: &Pattern) -> u32 {
    match pattern {
        Pattern::Any => 1,
        Pattern::Exact(_) => 2,
        Pattern::CaseExact(_) => 3,
        Pattern::Prefix(_) => 4,
        Pattern::Range { .. } | Pattern::Network { .. } | Pattern::Number(_) => 6,
        Pattern::Wildcard(_) => 8,
        Pattern::Fuzzy { .. } => 9,
    }
}

#[cfg(test)]
mod tests;

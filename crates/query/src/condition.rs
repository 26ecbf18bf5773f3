//! The condition of a query: its tree with every name, text and number resolved.
//!
//! In: trees resolved by `compile`. Out: conditions for `plan`, over an index, and `matcher`, over one message;
//! both must agree.

pub(crate) mod compile;
pub(crate) mod explain;
pub(crate) mod highlight;
pub(crate) mod matcher;
pub(crate) mod required;

use crate::language::tree::Text;
use lookup::{Column, Pattern, Phrase};
use regex::bytes::Regex;

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// Matches every message.
    All,
    /// Matches no message.
    Never,
    /// All of them, cheapest first.
    And(Vec<Condition>),
    /// At least one of them.
    Or(Vec<Condition>),
    /// Negates a condition.
    Not(Box<Condition>),
    /// A token anywhere.
    Word(Pattern),
    /// Consecutive tokens of the message text.
    Phrase(Phrase),
    /// The same with case; the index finds candidates by `words`, in lower case.
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
    /// Exact bytes within the message text.
    TextHas {
        /// The bytes.
        bytes: Vec<u8>,
        /// Tokens that every message with these bytes contains.
        tokens: Vec<Pattern>,
    },
    /// Exact bytes within the frame as received.
    RawHas(Vec<u8>),
    /// Received time, from (inclusive) and before.
    Received(i64, i64),
    /// Event time, from (inclusive) and before.
    Event(i64, i64),
    /// Received minus event time, from (inclusive) and before.
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
    /// Joins conditions by AND: nested ones flattened, constants folded, cheapest first.
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

    /// Returns the negation.
    pub(crate) fn not(inner: Condition) -> Condition {
        match inner {
            Condition::All => Condition::Never,
            Condition::Never => Condition::All,
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Ranks the cost of evaluation: look-ups, then dictionary scans, then message scans.
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

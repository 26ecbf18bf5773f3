//! Evaluates a condition on one message; the result equals what the index returns for millions.
//!
//! In: a message. Out: whether it matches. Used for live tail, and for candidates that an index alone cannot
//! decide. Holds: the tokens of the current message, in memory that is reused.

pub(crate) mod phrase;

use crate::{
    condition::{Condition, ValueTest},
    language::{fields::column_name, words},
};
use lookup::{Column, Document, Pattern};
use memchr::memmem;
use message::{Facility, Severity};
use std::{borrow::Cow, ops::Range, sync::Arc};

/// Tests messages against a query, one by one.
#[derive(Clone, Debug)]
pub struct Matcher {
    condition: Arc<Condition>,
    tokens: MessageTokens,
}

impl Matcher {
    pub(crate) fn new(condition: Arc<Condition>) -> Matcher {
        Matcher { condition, tokens: MessageTokens::default() }
    }

    /// Returns true if the message matches.
    pub fn matches(&mut self, document: &Document) -> bool {
        self.tokens.forget();
        holds(&self.condition, document, &mut self.tokens)
    }

    /// Returns true if the message matches; several matchers share the tokens of one message, which the caller
    /// makes forget the previous one.
    pub fn matches_sharing(&self, document: &Document, tokens: &mut MessageTokens) -> bool {
        holds(&self.condition, document, tokens)
    }
}

/// The tokens of one message, computed on first use.
#[derive(Clone, Debug, Default)]
pub struct MessageTokens {
    /// Lower-cased text, followed by the other fields that are searched for words.
    lowered: Vec<u8>,
    /// MessageTokens of the text.
    text: Vec<Range<usize>>,
    /// MessageTokens of the other fields.
    others: Vec<Range<usize>>,
    text_known: bool,
    others_known: bool,
}

impl MessageTokens {
    /// Resets for the next message.
    pub fn forget(&mut self) {
        self.text_known = false;
        self.others_known = false;
    }

    /// Finds the tokens of the text; their positions in the text and in `lowered` are equal.
    fn read_text(&mut self, document: &Document) {
        if !self.text_known {
            self.text_known = true;
            self.lowered.clear();
            self.text.clear();
            self.lowered.extend(document.text.iter().map(u8::to_ascii_lowercase));
            words::tokens(&document.text, &mut |range| self.text.push(range));
        }
    }

    fn read_others(&mut self, document: &Document) {
        self.read_text(document);
        if !self.others_known {
            self.others_known = true;
            self.others.clear();
            self.lowered.truncate(document.text.len());
            let values = document.values.iter().map(|(_, value, _)| value);
            for field in [&document.host, &document.program].into_iter().chain(values) {
                let base = self.lowered.len();
                self.lowered.extend(field.iter().map(u8::to_ascii_lowercase));
                words::tokens(field, &mut |range| self.others.push(base + range.start..base + range.end));
            }
        }
    }

    /// Calls `visit` with each token of the text, the host, the program and the name-value pairs, in lower case.
    pub fn each(&mut self, document: &Document, visit: &mut dyn FnMut(&[u8])) {
        self.read_others(document);
        self.text.iter().chain(&self.others).for_each(|range| visit(&self.lowered[range.clone()]));
    }

    /// Returns the texts in which tokens are found, in lower case, one behind the other.
    pub fn lowered(&mut self, document: &Document) -> &[u8] {
        self.read_others(document);
        &self.lowered
    }

    fn any(&self, ranges: &[Range<usize>], pattern: &Pattern) -> bool {
        ranges.iter().any(|range| {
            let token = &self.lowered[range.clone()];
            words::matches(pattern, token, token)
        })
    }
}

/// Returns true if the condition matches the message.
pub(crate) fn holds(condition: &Condition, document: &Document, tokens: &mut MessageTokens) -> bool {
    match condition {
        Condition::All => true,
        Condition::Never => false,
        Condition::And(members) => members.iter().all(|member| holds(member, document, tokens)),
        Condition::Or(members) => members.iter().any(|member| holds(member, document, tokens)),
        Condition::Not(inner) => !holds(inner, document, tokens),
        Condition::Word(pattern) => {
            tokens.read_text(document);
            tokens.any(&tokens.text, pattern) || {
                tokens.read_others(document);
                tokens.any(&tokens.others, pattern)
            }
        }
        Condition::Phrase(phrase) => {
            tokens.read_text(document);
            phrase::holds(phrase, tokens.text.len(), |index, pattern| {
                let token = &tokens.lowered[tokens.text[index].clone()];
                words::matches(pattern, token, token)
            })
        }
        Condition::CasePhrase { exact, .. } => {
            tokens.read_text(document);
            let token = |range: &Range<usize>| &document.text[range.clone()];
            tokens.text.windows(exact.len()).any(|run| run.iter().zip(exact).all(|(a, b)| token(a) == b))
        }
        Condition::Value(column, test) => column_holds(document, column, test),
        Condition::Values(names, test) => {
            let name = words::pattern(&names.glyphs);
            columns(document).any(|column| {
                let known = column_name(&column).as_bytes();
                words::value_matches(&name, known) && column_holds(document, &column, test)
            })
        }
        Condition::TextRegex { regex, .. } => regex.is_match(&document.text),
        Condition::RawRegex(regex) => regex.is_match(&document.raw),
        Condition::TextHas { bytes, .. } => memmem::find(&document.text, bytes).is_some(),
        Condition::RawHas(bytes) => memmem::find(&document.raw, bytes).is_some(),
        Condition::Received(from, to) => (*from..*to).contains(&document.received_us),
        Condition::Event(from, to) => (*from..*to).contains(&document.event.unix_us),
        Condition::Skew(from, to) => {
            (*from..*to).contains(&document.received_us.saturating_sub(document.event.unix_us))
        }
    }
}

/// Returns true if some value of the column passes the test; numbers are compared with values of numeric
/// types only.
fn column_holds(document: &Document, column: &Column, test: &ValueTest) -> bool {
    match (column, test) {
        (Column::Named(name), ValueTest::Pattern(pattern @ Pattern::Number(_))) => {
            document.values.iter().filter(|(known, ..)| known == name).any(|(_, value, kind)| {
                pattern.of_kind(*kind).is_some_and(|pattern| words::value_matches(&pattern, value))
            })
        }
        (_, ValueTest::Pattern(Pattern::Number(_))) => false,
        _ => any_value(document, column, &mut |value| value_holds(test, value)),
    }
}

fn value_holds(test: &ValueTest, value: &[u8]) -> bool {
    match test {
        ValueTest::Pattern(pattern) => words::value_matches(pattern, value),
        ValueTest::Regex(regex) => regex.is_match(value),
    }
}

/// Returns true if `test` accepts one of the message's values in the column.
pub fn any_value(document: &Document, column: &Column, test: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let mut set = |value: &[u8]| !value.is_empty() && test(value);
    match column {
        Column::Host => set(&document.host),
        Column::Program => set(&document.program),
        Column::Pid => set(&document.pid),
        Column::Msgid => set(&document.msgid),
        Column::Source => set(document.source.as_bytes()),
        Column::Peer => set(document.peer.as_bytes()),
        Column::Facility => set(facility(document.pri).as_bytes()),
        Column::Severity => set(Severity((document.pri & 7) as u8).name().as_bytes()),
        Column::Tags => document.tags.iter().any(|tag| test(tag.as_bytes())),
        Column::Named(name) => {
            let mut values = document.values.iter().filter(|(known, ..)| known == name);
            values.any(|(_, value, _)| test(value))
        }
    }
}

fn facility(pri: u16) -> Cow<'static, str> {
    let code = pri >> 3;
    Facility(code).name().map_or_else(|| Cow::Owned(code.to_string()), Cow::Borrowed)
}

/// Returns the columns in which the message has a value.
pub(crate) fn columns(document: &Document) -> impl Iterator<Item = Column> + '_ {
    let fixed = [
        Column::Host,
        Column::Program,
        Column::Pid,
        Column::Msgid,
        Column::Facility,
        Column::Severity,
        Column::Source,
        Column::Peer,
        Column::Tags,
    ];
    fixed.into_iter().chain(document.values.iter().map(|(name, ..)| Column::Named(name.clone())))
}

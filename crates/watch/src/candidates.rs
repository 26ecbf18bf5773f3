//! Chooses the rules that a message may concern, so that most rules cost nothing.
//!
//! In: the marks that the queries of rules require; a message. Out: the rules of which the message has a mark, and
//! those without marks. Cost: a look-up for each token and for each value of a field that a rule names, and one pass
//! over the texts if a rule requires a part of a word, whatever the number of rules.

use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use hashbrown::HashMap;
use lookup::{Column, Document};
use query::{MessageTokens, Query, RequiredMark};
use std::collections::BTreeMap;

/// Positions of rules in their list.
type Positions = Vec<u32>;

/// The rules by the marks that they require.
#[derive(Debug)]
pub(crate) struct Candidates {
    words: HashMap<Box<[u8]>, Positions>,
    parts: Option<Parts>,
    /// The columns that every message may have.
    fixed: Vec<(Column, ColumnMarks)>,
    named: HashMap<String, ColumnMarks>,
    /// Rules without marks.
    always: Positions,
    /// The last message for which each rule was chosen.
    chosen: Vec<u64>,
    messages: u64,
}

/// The rules by their marks in a column.
#[derive(Debug, Default)]
struct ColumnMarks {
    values: HashMap<Box<[u8]>, Positions>,
    numbers: HashMap<u64, Positions>,
    present: Positions,
    parts: Option<Parts>,
}

/// Parts of texts and the rules that require each.
#[derive(Debug)]
struct Parts {
    finder: AhoCorasick,
    rules: Vec<Positions>,
}

impl Parts {
    fn build(parts: BTreeMap<Vec<u8>, Positions>) -> Result<Option<Parts>, BuildError> {
        if parts.is_empty() {
            return Ok(None);
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(parts.keys())?;
        Ok(Some(Parts { finder, rules: parts.into_values().collect() }))
    }

    fn each(&self, text: &[u8], add: &mut dyn FnMut(&[u32])) {
        self.finder
            .find_overlapping_iter(text)
            .for_each(|found| add(&self.rules[found.pattern().as_usize()]));
    }
}

/// Marks while they are collected.
#[derive(Default)]
struct Collected {
    parts: BTreeMap<Vec<u8>, Positions>,
    of_columns: HashMap<Column, (ColumnMarks, BTreeMap<Vec<u8>, Positions>)>,
    words: HashMap<Box<[u8]>, Positions>,
    always: Positions,
}

impl Collected {
    fn add(&mut self, rule: u32, mark: RequiredMark) {
        match mark {
            RequiredMark::Word(word) => self.words.entry(word.into()).or_default().push(rule),
            RequiredMark::Part(part) => self.parts.entry(part).or_default().push(rule),
            RequiredMark::Value(column, value) => {
                self.column(column).0.values.entry(value.into()).or_default().push(rule);
            }
            RequiredMark::Number(column, number) => {
                self.column(column).0.numbers.entry(number_bits(number)).or_default().push(rule);
            }
            RequiredMark::ValuePart(column, part) => {
                self.column(column).1.entry(part).or_default().push(rule);
            }
            RequiredMark::Present(column) => self.column(column).0.present.push(rule),
        }
    }

    fn column(&mut self, column: Column) -> &mut (ColumnMarks, BTreeMap<Vec<u8>, Positions>) {
        self.of_columns.entry(column).or_default()
    }
}

/// Bits of a number; both zeros are equal.
fn number_bits(number: f64) -> u64 {
    if number == 0.0 { 0 } else { number.to_bits() }
}

impl Candidates {
    /// Collects the marks of rules: the queries of each, of which one must match.
    pub(crate) fn of<'a>(
        rules: impl Iterator<Item = [Option<&'a Query>; 2]>,
    ) -> Result<Candidates, BuildError> {
        let mut collected = Collected::default();
        let mut count = 0;
        for (rule, queries) in (0u32..).zip(rules) {
            count += 1;
            let marks: Option<Vec<_>> = queries.into_iter().flatten().map(Query::required_marks).collect();
            match marks {
                Some(marks) => marks.into_iter().flatten().for_each(|mark| collected.add(rule, mark)),
                None => collected.always.push(rule),
            }
        }
        let mut candidates = Candidates {
            words: collected.words,
            parts: Parts::build(collected.parts)?,
            fixed: Vec::new(),
            named: HashMap::new(),
            always: collected.always,
            chosen: vec![0; count],
            messages: 0,
        };
        for (column, (mut marks, parts)) in collected.of_columns {
            marks.parts = Parts::build(parts)?;
            match column {
                Column::Named(name) => {
                    candidates.named.insert(name, marks);
                }
                fixed => candidates.fixed.push((fixed, marks)),
            }
        }
        Ok(candidates)
    }

    /// Collects the rules that a message may concern, ascending, each once.
    pub(crate) fn find(&mut self, document: &Document, tokens: &mut MessageTokens, found: &mut Vec<u32>) {
        found.clear();
        self.messages += 1;
        let Candidates { words, parts, fixed, named, always, chosen, messages } = self;
        let mut add = |rules: &[u32]| {
            for rule in rules {
                let last = &mut chosen[*rule as usize];
                if *last != *messages {
                    *last = *messages;
                    found.push(*rule);
                }
            }
        };
        add(always);
        if !words.is_empty() {
            tokens.each(document, &mut |token| words.get(token).into_iter().for_each(|rules| add(rules)));
        }
        if let Some(parts) = parts {
            parts.each(tokens.lowered(document), &mut add);
        }
        for (column, marks) in fixed {
            query::any_value(document, column, &mut |value| {
                marks.each(value, &mut add);
                false
            });
        }
        if !named.is_empty() {
            for (name, value, _) in &document.values {
                named.get(name).into_iter().for_each(|marks| marks.each(value, &mut add));
            }
        }
        found.sort_unstable();
    }
}

impl ColumnMarks {
    /// Calls `add` with the rules of which a value has a mark.
    fn each(&self, value: &[u8], add: &mut dyn FnMut(&[u32])) {
        add(&self.present);
        if !self.values.is_empty() {
            let rules = match value.iter().any(u8::is_ascii_uppercase) {
                true => self.values.get(value.to_ascii_lowercase().as_slice()),
                false => self.values.get(value),
            };
            rules.into_iter().for_each(|rules| add(rules));
        }
        if !self.numbers.is_empty()
            && let Some(number) = query::number_of(value)
        {
            self.numbers.get(&number_bits(number)).into_iter().for_each(|rules| add(rules));
        }
        self.parts.iter().for_each(|parts| parts.each(value, add));
    }
}

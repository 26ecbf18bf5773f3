//! The options of a rule: typed values of the keys of a map.
//!
//! In: the map of a rule. Out: values; notes what is wrong and which keys nobody asked for. Holds: the errors so far.

use super::{
    fault::{NotificationFault, RuleError, RuleFault},
    node::{Content, Node, Quoting},
};
use crate::rule::{BY_MAX, Threshold, WINDOW_US_MAX, WINDOW_US_MIN};
use query::{Name, ParseOptions, Query};

/// Longest identifier, in bytes.
const ID_BYTES_MAX: usize = 128;

/// The keys of thresholds.
pub(super) const THRESHOLDS: &str = "at-least, more-than, at-most, less-than, exactly, between";

/// The options of a rule that are being read.
pub(super) struct Options<'a> {
    node: &'a Node,
    entries: Vec<(&'a str, &'a Node, &'a Node)>,
    /// The text of the file, to place errors within queries.
    text: &'a str,
    /// The keys that were asked for.
    asked: Vec<&'static str>,
    errors: Vec<RuleError>,
    /// Unknown keys are errors, unless the kind that decides which are known is unknown itself.
    unknown: UnknownKeys,
}

/// The treatment of keys that nobody asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UnknownKeys {
    Refused,
    Ignored,
}

impl<'a> Options<'a> {
    /// Begins to read a map.
    pub(super) fn of(node: &'a Node, text: &'a str) -> Result<Options<'a>, Vec<RuleError>> {
        let Content::Map(map) = &node.content else { return Err(vec![node.fault(RuleFault::NotAMap)]) };
        let mut entries = Vec::new();
        for (key, value) in map {
            match &key.content {
                Content::Text { text, .. } => entries.push((text.as_str(), key, value)),
                Content::List(_) | Content::Map(_) => return Err(vec![key.fault(RuleFault::NotAText)]),
            }
        }
        Ok(Options {
            node,
            entries,
            text,
            asked: Vec::new(),
            errors: Vec::new(),
            unknown: UnknownKeys::Refused,
        })
    }

    /// The value of a key; none when it is not there.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'a Node> {
        self.asked.push(key);
        self.entries.iter().find(|(known, ..)| *known == key).map(|(_, _, value)| *value)
    }

    /// Notes an error at the value of a key, or at the rule when it has no such key.
    pub(super) fn fault(&mut self, key: &'static str, fault: RuleFault) {
        let value = self.entries.iter().find(|(known, ..)| *known == key).map(|(_, _, value)| *value);
        self.errors.push(value.unwrap_or(self.node).fault(fault));
    }

    /// A text or a number as it is written.
    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        match &self.value(key)?.content {
            Content::Text { text, .. } => Some(text.clone()),
            Content::List(_) | Content::Map(_) => {
                self.fault(key, RuleFault::NotAText);
                None
            }
        }
    }

    /// A text that must be there and not be empty.
    pub(super) fn required_text(&mut self, key: &'static str) -> Option<String> {
        match self.value(key) {
            Some(value) if !value.is_null() => self.text(key).filter(|text| !text.is_empty()),
            _ => {
                self.fault(key, RuleFault::MissingKey { key });
                None
            }
        }
    }

    /// The identifier of a rule, a channel or a route.
    pub(super) fn id(&mut self) -> Option<String> {
        let id = self.required_text("id");
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            self.fault("id", RuleFault::BadId);
        }
        id
    }

    /// A text or a list of texts, one at least.
    pub(super) fn some_texts(&mut self, key: &'static str, most: usize) -> Vec<String> {
        if self.value(key).is_none() {
            self.fault(key, RuleFault::MissingKey { key });
            return Vec::new();
        }
        let texts = self.texts(key).unwrap_or_default();
        if texts.len() > most {
            self.fault(key, RuleFault::Notification(NotificationFault::MoreThan { most }));
        } else if texts.is_empty() {
            self.fault(key, RuleFault::NotTexts);
        }
        texts
    }

    /// A text or a list of texts.
    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let texts = match &self.value(key)?.content {
            Content::Text { text, .. } => Some(vec![text.clone()]),
            Content::List(list) => list.iter().map(text_of).collect(),
            Content::Map(_) => None,
        };
        if texts.is_none() {
            self.fault(key, RuleFault::NotTexts);
        }
        texts
    }

    /// A length of time in microseconds.
    pub(super) fn duration(&mut self, key: &'static str) -> Option<i64> {
        let text = self.text(key)?;
        let us = query::parse_duration(&text).filter(|us| (WINDOW_US_MIN..=WINDOW_US_MAX).contains(us));
        if us.is_none() {
            self.fault(key, RuleFault::NotADuration);
        }
        us
    }

    /// A length of time in microseconds, which may be none: `0`.
    pub(super) fn duration_or_zero(&mut self, key: &'static str) -> Option<i64> {
        let is_zero = |text: &str| matches!(text, "0" | "0s");
        if self.value(key)?.text().is_some_and(is_zero) { Some(0) } else { self.duration(key) }
    }

    /// A length of time that must be there.
    pub(super) fn required_duration(&mut self, key: &'static str) -> Option<i64> {
        if self.value(key).is_none() {
            self.fault(key, RuleFault::MissingKey { key });
        }
        self.duration(key)
    }

    /// A whole number within bounds.
    pub(super) fn count(&mut self, key: &'static str, from: u64, to: u64) -> Option<u64> {
        let text = self.text(key)?;
        let count = text.parse().ok().filter(|count| (from..=to).contains(count));
        if count.is_none() {
            self.fault(key, RuleFault::NotACount { from, to });
        }
        count
    }

    /// A share in thousandths, above 0 and at most 1.
    pub(super) fn permille(&mut self, key: &'static str) -> Option<u16> {
        let text = self.text(key)?;
        let share = text.parse::<f64>().ok().map(|share| share * 1_000.0);
        let exact = share.filter(|share| (1.0..=1_000.0).contains(share));
        let exact = exact.filter(|share| (share - share.round()).abs() < 1e-6);
        if exact.is_none() {
            self.fault(key, RuleFault::NotAShare);
        }
        exact.map(|share| share.round() as u16)
    }

    /// Names of fields that messages are grouped by.
    pub(super) fn names(&mut self, key: &'static str) -> Vec<Name> {
        let Some(names) = self.texts(key) else { return Vec::new() };
        if names.len() > BY_MAX {
            self.fault(key, RuleFault::TooManyFields { most: BY_MAX });
        }
        if names.iter().any(|name| name.is_empty() || name.starts_with('@') || name.contains('*')) {
            self.fault(key, RuleFault::NotAField);
        }
        names.iter().map(|name| Name::of(name)).collect()
    }

    /// A query without pipes that means the same at every time.
    pub(super) fn query(&mut self, key: &'static str) -> Option<Query> {
        let Some(node) = self.value(key) else {
            self.fault(key, RuleFault::MissingKey { key });
            return None;
        };
        let text = self.text(key)?;
        let query = match Query::parse(&text, &ParseOptions::default()) {
            Ok(query) => query,
            Err(error) => {
                let (line, column) = self.place_within(node, error.position);
                self.errors.push(RuleError { line, column, fault: RuleFault::Query(error) });
                return None;
            }
        };
        if !query.written_pipes().is_empty() {
            self.fault(key, RuleFault::Pipes);
        }
        if let Some(part) = query.relative_part() {
            let (line, column) = self.place_within(node, part.start);
            self.errors.push(RuleError { line, column, fault: RuleFault::Relative });
        }
        Some(query)
    }

    /// The one threshold of a map.
    pub(super) fn threshold(&mut self) -> Option<Threshold> {
        let mut found = Vec::new();
        let mut wrong = Vec::new();
        for (key, make) in NUMBER_THRESHOLDS {
            if let Some(text) = self.text(key) {
                match text.parse::<f64>().ok().filter(|number| number.is_finite()) {
                    Some(number) => found.push(make(number)),
                    None => wrong.push((*key, RuleFault::NotANumber)),
                }
            }
        }
        if let Some(texts) = self.texts("between") {
            let numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
            match (numbers.as_slice(), texts.len()) {
                ([from, to], 2) if from <= to && from.is_finite() && to.is_finite() => {
                    found.push(Threshold::Between(*from, *to));
                }
                _ => wrong.push(("between", RuleFault::NotBetween)),
            }
        }
        let one = found.len() == 1;
        if wrong.is_empty() && !one {
            self.errors.push(self.node.fault(RuleFault::OneThreshold { keys: THRESHOLDS }));
        }
        wrong.into_iter().for_each(|(key, fault)| self.fault(key, fault));
        found.pop().filter(|_| one)
    }

    /// The threshold of a map inside this one.
    pub(super) fn threshold_in(&mut self, key: &'static str) -> Option<Threshold> {
        let node = self.value(key)?;
        let read = Options::of(node, self.text).and_then(|mut inner| {
            let threshold = inner.threshold();
            inner.finish().map(|()| threshold)
        });
        match read {
            Ok(threshold) => threshold,
            Err(mut errors) => {
                self.errors.append(&mut errors);
                None
            }
        }
    }

    /// Ignores keys that nobody asks for: another error keeps them from being known.
    pub(super) fn ignore_unknown(&mut self) {
        self.unknown = UnknownKeys::Ignored;
    }

    /// Checks that every key was asked for, and returns the errors.
    pub(super) fn finish(mut self) -> Result<(), Vec<RuleError>> {
        let mut known = std::mem::take(&mut self.asked);
        for (key, node, _) in &self.entries {
            if self.unknown == UnknownKeys::Refused && !known.contains(key) {
                known.sort_unstable();
                known.dedup();
                let known = known.join(", ");
                self.errors.push(node.fault(RuleFault::UnknownKey { key: (*key).to_owned(), known }));
            }
        }
        if self.errors.is_empty() { Ok(()) } else { Err(self.errors) }
    }

    /// Returns line and column of a character of a text, where the text stands in one line as it is.
    fn place_within(&self, node: &Node, position: usize) -> (usize, usize) {
        let Content::Text { text, quoting } = &node.content else { return (node.line, node.column) };
        let quote = usize::from(*quoting == Quoting::Quoted);
        let written = self.text.chars().skip(node.start + quote).take(text.chars().count());
        match *quoting != Quoting::Block && written.eq(text.chars()) {
            true => (node.line, node.column + quote + position),
            false => (node.line, node.column),
        }
    }
}

/// Makes a threshold of a number.
type OfNumber = fn(f64) -> Threshold;

/// The thresholds of one number.
const NUMBER_THRESHOLDS: &[(&str, OfNumber)] = &[
    ("at-least", Threshold::AtLeast),
    ("more-than", Threshold::MoreThan),
    ("at-most", Threshold::AtMost),
    ("less-than", Threshold::LessThan),
    ("exactly", Threshold::Exactly),
];

/// Returns true for an identifier: letters, digits and some signs, so that it can stand in a URL and a file name.
fn is_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !id.is_empty() && id.len() <= ID_BYTES_MAX && id.bytes().all(fits)
}

/// Returns the text of a node.
pub(super) fn text_of(node: &Node) -> Option<String> {
    match &node.content {
        Content::Text { text, .. } => Some(text.clone()),
        Content::List(_) | Content::Map(_) => None,
    }
}

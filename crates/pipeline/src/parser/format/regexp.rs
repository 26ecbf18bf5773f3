//! `regexp-parser()`: the groups of the first pattern that matches.
//!
//! In: a text. Out: named groups as values, with the prefix; groups by number as `$0`, `$1` and so on, as `match()` with
//! `store-matches` sets them. A message that no pattern matches is stopped.
//! Limits: those of patterns and of [`Writer`].

use crate::parser::reader::{Reader, Writer};
use message::ValueKind;
use std::sync::Arc;
use template::pattern::{GROUPS_MAX, Groups, Pattern};

/// Reads with patterns.
#[derive(Clone, Debug)]
pub struct Regexp {
    patterns: Vec<Arc<Pattern>>,
    /// The names of groups without names.
    numbers: Vec<String>,
}

impl Regexp {
    /// Patterns, tried in order.
    pub fn new(patterns: Vec<Arc<Pattern>>) -> Regexp {
        Regexp { patterns, numbers: (0..GROUPS_MAX).map(|number| number.to_string()).collect() }
    }
}

impl Reader for Regexp {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let mut groups = Groups::default();
        let Some(pattern) = self.patterns.iter().find(|pattern| pattern.find(text, 0, &mut groups)) else {
            return false;
        };
        let slice = |group: usize| groups.range(group).map(|(start, end)| &text[start..end]);
        let count = groups.count().min(GROUPS_MAX);
        for (group, number) in self.numbers.iter().enumerate().take(count) {
            match slice(group) {
                Some(value) => out.set_unprefixed(number.as_bytes(), value, ValueKind::String),
                None if pattern.flags().keeps_unused_groups => {}
                None => out.unset_unprefixed(number),
            }
        }
        // Groups that a longer match before has left.
        out.unset_numbered(count);
        for (name, group) in pattern.names() {
            if let Some(value) = slice(*group) {
                out.set(name.as_bytes(), value, ValueKind::String);
            }
        }
        true
    }
}

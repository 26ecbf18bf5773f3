//! Compares tokens and values with a pattern, millions of times.
//!
//! In: a pattern, then tokens or values. Out: yes or no; the common beginning of all matches. The rules are those of
//! [`Pattern`]; tokens are already lower-cased. Holds: the pattern in its fastest form, and a buffer for one value.
//! Limits: a wildcard costs at most its length times the text's; fuzzy distance is at most 2.

use super::{CharFilter, Pattern, form::Form, in_order::InOrder};

/// A pattern ready for use.
pub struct Matcher {
    form: Form,
    lowered: Vec<u8>,
}

impl Matcher {
    /// Makes a pattern ready for use.
    pub fn new(pattern: &Pattern) -> Matcher {
        Matcher { form: Form::new(pattern), lowered: Vec::new() }
    }

    /// The only token that can match.
    pub fn exact(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Exact(text) | Form::CaseExact(text) => Some(text),
            _ => None,
        }
    }

    /// Returns texts of which every matching token begins with one, and every matching value after lower-casing. They
    /// are in order, none begins with another, and there is at least one.
    pub fn prefixes(&self) -> Vec<Vec<u8>> {
        match &self.form {
            Form::Exact(text) | Form::Prefix(text) => vec![text.clone()],
            Form::CaseExact(text) => vec![text.to_ascii_lowercase()],
            Form::Wildcard(wildcard) => wildcard.prefixes().to_vec(),
            _ => vec![Vec::new()],
        }
    }

    /// Returns bytes that every matching token contains, and every matching value after lower-casing.
    pub fn needle(&self) -> Vec<u8> {
        match &self.form {
            Form::Infix(infix) => infix.needle().to_vec(),
            Form::Suffix(text) => text.clone(),
            _ => match self.prefixes().as_mut_slice() {
                [prefix] => std::mem::take(prefix),
                _ => Vec::new(),
            },
        }
    }

    /// Returns the characters that every matching token has, except those that its prefix implies.
    pub fn char_filter(&self) -> CharFilter {
        match &self.form {
            Form::Infix(infix) => CharFilter::of(infix.needle()),
            Form::Suffix(text) => CharFilter::of(text),
            Form::Wildcard(wildcard) => CharFilter::of(&wildcard.bytes()),
            _ => CharFilter::default(),
        }
    }

    /// Returns true when [`Matcher::impossible_prefix`] can ever return a length.
    pub fn refuses_prefixes(&self) -> bool {
        matches!(self.form, Form::Fuzzy(_))
    }

    /// Returns the length of the part of a prefix that already shows that no token with it matches; `None` when
    /// some may.
    pub fn impossible_prefix(&self, prefix: &[u8]) -> Option<usize> {
        match &self.form {
            Form::Fuzzy(fuzzy) => fuzzy.impossible_prefix(prefix),
            _ => None,
        }
    }

    /// Returns a comparison for the tokens of a sorted list, each given with its common prefix with the previous one.
    pub fn in_order(&self) -> InOrder<'_> {
        match &self.form {
            Form::Infix(infix) => InOrder::infix(infix),
            Form::Suffix(text) => InOrder::suffix(text),
            form => InOrder::any(form),
        }
    }

    /// Returns true when a token matches, which must be lower-cased.
    #[inline]
    pub fn matches_token(&self, token: &[u8]) -> bool {
        self.form.matches(token, token)
    }

    /// Returns true when a value matches.
    #[inline]
    pub fn matches_value(&mut self, value: &[u8]) -> bool {
        if !value.iter().any(u8::is_ascii_uppercase) {
            return self.form.matches(value, value);
        }
        self.lowered.clear();
        self.lowered.extend(value.iter().map(u8::to_ascii_lowercase));
        self.form.matches(value, &self.lowered)
    }
}

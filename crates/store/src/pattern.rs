//! Compares tokens and values with a pattern, millions of times.
//!
//! In: a pattern, then tokens or values. Out: yes or no; what all matches begin with. The rules are those of
//! [`crate::Pattern`]; tokens are lower-cased already. Holds: the pattern in its quickest form, and room for one value.
//! Limits: a wildcard costs at most its length times the text's; fuzzy distance is at most 2.

mod fuzzy;
mod infix;
mod wildcard;

use crate::{Bound, Pattern, segment::letters};
use fuzzy::Fuzzy;
pub(crate) use infix::InOrder;
use infix::Infix;
use std::net::IpAddr;
use wildcard::Wildcard;

/// A pattern ready for use.
pub(crate) struct Matcher {
    form: Form,
    lowered: Vec<u8>,
}

enum Form {
    Exact(Vec<u8>),
    CaseExact(Vec<u8>),
    Prefix(Vec<u8>),
    Infix(Box<Infix>),
    Suffix(Vec<u8>),
    Wildcard(Wildcard),
    Fuzzy(Fuzzy),
    Any,
    Range { lower: Bound, upper: Bound, is_numeric: bool },
    Network { prefix: u128, shift: u32 },
    Number(f64),
}

impl Matcher {
    pub(crate) fn new(pattern: &Pattern) -> Matcher {
        let form = match pattern {
            Pattern::Exact(text) => Form::Exact(text.clone()),
            Pattern::CaseExact(text) => Form::CaseExact(text.clone()),
            Pattern::Prefix(text) => Form::Prefix(text.clone()),
            Pattern::Wildcard(text) => wild(text),
            Pattern::Fuzzy { text, distance } => Form::Fuzzy(Fuzzy::new(text, (*distance).min(2))),
            Pattern::Any => Form::Any,
            Pattern::Range { lower, upper } => {
                let is_number = |bound: &Bound| matches!(bound, Bound::Number { .. });
                let is_numeric = is_number(lower) || is_number(upper);
                Form::Range { lower: lower.clone(), upper: upper.clone(), is_numeric }
            }
            Pattern::Network { address, bits } => {
                let shift = 128 - u32::from(*bits).min(128);
                let prefix = u128::from_be_bytes(*address).checked_shr(shift).unwrap_or(0);
                Form::Network { prefix, shift }
            }
            Pattern::Number(number) => Form::Number(*number),
        };
        Matcher { form, lowered: Vec::new() }
    }

    /// The only token that can match.
    pub(crate) fn exact(&self) -> Option<&[u8]> {
        match &self.form {
            Form::Exact(text) | Form::CaseExact(text) => Some(text),
            _ => None,
        }
    }

    /// What every matching token begins with, and every matching value after lower-casing.
    pub(crate) fn head(&mut self) -> &[u8] {
        match &self.form {
            Form::Exact(text) | Form::Prefix(text) => text,
            Form::CaseExact(text) => {
                self.lowered = text.to_ascii_lowercase();
                &self.lowered
            }
            Form::Wildcard(wildcard) => wildcard.head(),
            _ => b"",
        }
    }

    /// What every matching token holds somewhere, and every matching value after lower-casing.
    pub(crate) fn needle(&mut self) -> Vec<u8> {
        match &self.form {
            Form::Infix(infix) => infix.needle().to_vec(),
            Form::Suffix(text) => text.clone(),
            _ => self.head().to_vec(),
        }
    }

    /// The letters that every matching token has, behind what it begins with.
    pub(crate) fn letters(&self) -> u32 {
        match &self.form {
            Form::Infix(infix) => letters(infix.needle()),
            Form::Suffix(text) => letters(text),
            Form::Wildcard(wildcard) => letters(&wildcard.bytes()),
            _ => 0,
        }
    }

    /// Whether [`Matcher::dead_head`] ever knows anything.
    pub(crate) fn narrows_heads(&self) -> bool {
        matches!(self.form, Form::Fuzzy(_))
    }

    /// How many bytes of a beginning are enough to know that no token that begins so matches; `None` when some may.
    pub(crate) fn dead_head(&self, head: &[u8]) -> Option<usize> {
        match &self.form {
            Form::Fuzzy(fuzzy) => fuzzy.dead_head(head),
            _ => None,
        }
    }

    /// How the tokens of a sorted list are compared, each with what it shares with the one before.
    pub(crate) fn in_order(&self) -> InOrder<'_> {
        match &self.form {
            Form::Infix(infix) => InOrder::infix(infix),
            Form::Suffix(text) => InOrder::suffix(text),
            form => InOrder::any(form),
        }
    }

    /// Whether a token, which is lower-cased, matches.
    #[inline]
    pub(crate) fn matches_token(&self, token: &[u8]) -> bool {
        self.form.matches(token, token)
    }

    /// Whether a value matches.
    pub(crate) fn matches_value(&mut self, value: &[u8]) -> bool {
        if !value.iter().any(u8::is_ascii_uppercase) {
            return self.form.matches(value, value);
        }
        self.lowered.clear();
        self.lowered.extend(value.iter().map(u8::to_ascii_lowercase));
        self.form.matches(value, &self.lowered)
    }
}

impl Form {
    #[inline]
    fn matches(&self, value: &[u8], lowered: &[u8]) -> bool {
        match self {
            Form::Exact(text) => lowered == text,
            Form::CaseExact(text) => value == text,
            Form::Prefix(text) => lowered.starts_with(text),
            Form::Infix(infix) => infix.end_in(lowered, 0).is_some(),
            Form::Suffix(text) => lowered.ends_with(text),
            Form::Wildcard(wildcard) => wildcard.matches(lowered),
            Form::Fuzzy(fuzzy) => fuzzy.matches(lowered),
            Form::Any => true,
            Form::Range { lower, upper, is_numeric } => in_range(lower, upper, *is_numeric, lowered),
            Form::Network { prefix, shift } => in_network(*prefix, *shift, value),
            Form::Number(wanted) => number(value) == Some(*wanted),
        }
    }
}

/// The quickest form of a wildcard: `*text*`, `*text` and `text*` need no walk.
fn wild(text: &[u8]) -> Form {
    let plain = |text: &[u8]| !text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'\\'));
    let open_start = text.strip_prefix(b"*");
    match (open_start, text.strip_suffix(b"*")) {
        (Some(_), Some(_)) if text.len() <= 2 => Form::Any,
        (Some(rest), Some(_)) if plain(&rest[..rest.len() - 1]) => {
            Form::Infix(Box::new(Infix::new(&rest[..rest.len() - 1])))
        }
        (Some(rest), None) if plain(rest) => Form::Suffix(rest.to_vec()),
        (None, Some(rest)) if plain(rest) => Form::Prefix(rest.to_vec()),
        (None, None) if plain(text) => Form::Exact(text.to_vec()),
        _ => Form::Wildcard(Wildcard::new(text)),
    }
}

fn in_range(lower: &Bound, upper: &Bound, is_numeric: bool, lowered: &[u8]) -> bool {
    let number = if is_numeric { number(lowered) } else { None };
    let above = match lower {
        Bound::Open => true,
        Bound::Number { value, inclusive } => number.is_some_and(|n| n > *value || *inclusive && n == *value),
        Bound::Text { value, inclusive } => lowered > value.as_slice() || *inclusive && lowered == value,
    };
    let below = match upper {
        Bound::Open => true,
        Bound::Number { value, inclusive } => number.is_some_and(|n| n < *value || *inclusive && n == *value),
        Bound::Text { value, inclusive } => lowered < value.as_slice() || *inclusive && lowered == value,
    };
    above && below
}

/// The number that text reads as.
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    if !text.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

fn in_network(prefix: u128, shift: u32, value: &[u8]) -> bool {
    // The shortest address is `::`, and all begin so; most values are told apart by this.
    if !value.first().is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b':') {
        return false;
    }
    let Some(address) = std::str::from_utf8(value).ok().and_then(|text| text.parse::<IpAddr>().ok()) else {
        return false;
    };
    let bytes = match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
        IpAddr::V6(v6) => v6.octets(),
    };
    u128::from_be_bytes(bytes).checked_shr(shift).unwrap_or(0) == prefix
}

#[cfg(test)]
mod tests;

//! The fastest form of a pattern.
//!
//! In: a pattern. Out: a form that compares values. Holds: the parts of the pattern. Limits: those of a matcher.

use super::{Bound, Pattern, fuzzy::Fuzzy, infix::Infix, wildcard::Wildcard};
use std::net::IpAddr;

/// A pattern in the form that compares quickest.
pub(super) enum Form {
    Exact(Vec<u8>),
    CaseExact(Vec<u8>),
    Prefix(Vec<u8>),
    Infix(Box<Infix>),
    Suffix(Vec<u8>),
    Wildcard(Wildcard),
    Fuzzy(Fuzzy),
    Any,
    /// A range with at least one number as a bound.
    NumberRange {
        lower: Bound,
        upper: Bound,
    },
    TextRange {
        lower: Bound,
        upper: Bound,
    },
    Network {
        prefix: u128,
        shift: u32,
    },
    Number(f64),
}

impl Form {
    /// The quickest form of a pattern.
    pub(super) fn new(pattern: &Pattern) -> Form {
        match pattern {
            Pattern::Exact(text) => Form::Exact(text.clone()),
            Pattern::CaseExact(text) => Form::CaseExact(text.clone()),
            Pattern::Prefix(text) => Form::Prefix(text.clone()),
            Pattern::Wildcard(text) => wild(text),
            Pattern::Fuzzy { text, distance } => Form::Fuzzy(Fuzzy::new(text, (*distance).min(2))),
            Pattern::Any => Form::Any,
            Pattern::Range { lower, upper } => {
                let is_number = |bound: &Bound| matches!(bound, Bound::Number { .. });
                let (lower, upper) = (lower.clone(), upper.clone());
                match is_number(&lower) || is_number(&upper) {
                    true => Form::NumberRange { lower, upper },
                    false => Form::TextRange { lower, upper },
                }
            }
            Pattern::Network { address, bits } => {
                let shift = 128 - u32::from(*bits).min(128);
                let prefix = u128::from_be_bytes(*address).checked_shr(shift).unwrap_or(0);
                Form::Network { prefix, shift }
            }
            Pattern::Number(number) => Form::Number(*number),
        }
    }

    /// Returns true when a value matches; `lowered` is the same in lower case.
    #[inline]
    pub(super) fn matches(&self, value: &[u8], lowered: &[u8]) -> bool {
        match self {
            Form::Exact(text) => lowered == text,
            Form::CaseExact(text) => value == text,
            Form::Prefix(text) => lowered.starts_with(text),
            Form::Infix(infix) => infix.end_in(lowered, 0).is_some(),
            Form::Suffix(text) => lowered.ends_with(text),
            Form::Wildcard(wildcard) => wildcard.matches(lowered),
            Form::Fuzzy(fuzzy) => fuzzy.matches(lowered),
            Form::Any => true,
            Form::NumberRange { lower, upper } => in_range(lower, upper, lowered, number(lowered)),
            Form::TextRange { lower, upper } => in_range(lower, upper, lowered, None),
            Form::Network { prefix, shift } => in_network(*prefix, *shift, value),
            Form::Number(wanted) => number(value) == Some(*wanted),
        }
    }
}

/// The quickest form of a wildcard: `*text*`, `*text` and `text*` need no walk.
fn wild(text: &[u8]) -> Form {
    let plain = |text: &[u8]| !text.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'));
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

/// Returns true when a value lies between two bounds; `number` is the value as a number, if a bound is one.
fn in_range(lower: &Bound, upper: &Bound, lowered: &[u8], number: Option<f64>) -> bool {
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

/// Parses text as a finite number, as Rust writes numbers; `None` for other text.
#[inline]
pub fn number(text: &[u8]) -> Option<f64> {
    if !text.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok().filter(|number: &f64| number.is_finite())
}

fn in_network(prefix: u128, shift: u32, value: &[u8]) -> bool {
    // The shortest address is `::`, and all begin like this; it rejects most values.
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

//! Patterns to search for among tokens or among whole values.
//!
//! In: a pattern. Out: its matchers. Limits: see [`Matcher`].

mod char_filter;
mod form;
mod fuzzy;
mod in_order;
mod infix;
mod matcher;
mod wildcard;

pub use char_filter::CharFilter;
pub use form::number;
pub use fuzzy::lower_char;
pub use in_order::InOrder;
pub use matcher::Matcher;

use message::ValueKind;
use std::borrow::Cow;

/// A pattern to search for among tokens or among whole values. Text is compared lower-cased unless said otherwise.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Exactly this text, lower-cased by the caller.
    Exact(Vec<u8>),
    /// Exactly this text, including case.
    CaseExact(Vec<u8>),
    /// Text that starts with this, lower-cased by the caller.
    Prefix(Vec<u8>),
    /// `*` any run, `?` any one character, `[äÄ]` one of these characters, `\` escapes; lower-cased by the caller.
    Wildcard(Vec<u8>),
    /// Within `distance` edits (Damerau-Levenshtein: a transposition is one) of a text in lower case, in whatever script.
    Fuzzy {
        /// The text.
        text: Vec<u8>,
        /// Most edits, 0 to 2.
        distance: u8,
    },
    /// Anything: the column has a value.
    Any,
    /// Between two texts or two numbers.
    Range {
        /// Lower end.
        lower: Bound,
        /// Upper end.
        upper: Bound,
    },
    /// An IPv4 or IPv6 network: `address`, as 16 bytes (IPv4 mapped), and prefix length of 128.
    Network {
        /// The address as 16 bytes.
        address: [u8; 16],
        /// Length of the prefix in bits, 0 to 128 (IPv4: 96 more than written).
        bits: u8,
    },
    /// A value of a numeric type that is this number, however it is written; a text never is.
    Number(f64),
}

impl Pattern {
    /// Returns the pattern to compare with values of a type; none when no value of that type can match.
    pub fn of_kind(&self, kind: ValueKind) -> Option<Cow<'_, Pattern>> {
        let Pattern::Number(number) = self else {
            return Some(Cow::Borrowed(self));
        };
        match kind {
            ValueKind::Double | ValueKind::Datetime => Some(Cow::Borrowed(self)),
            // Whole numbers have only one spelling, and a look-up is quicker than a walk over all of them.
            ValueKind::Integer if number.fract() == 0.0 && number.abs() <= WHOLE_MAX => {
                Some(Cow::Owned(Pattern::Exact((*number as i64).to_string().into_bytes())))
            }
            _ => None,
        }
    }
}

/// Whole numbers up to here are exact (2^53).
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// An end of a range.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// No limit.
    Open,
    /// A number, compared with values that read as numbers.
    Number {
        /// The end.
        value: f64,
        /// The end itself belongs to the range.
        inclusive: bool,
    },
    /// Text, compared byte-wise lower-cased.
    Text {
        /// The end.
        value: Vec<u8>,
        /// The end itself belongs to the range.
        inclusive: bool,
    },
}

#[cfg(test)]
mod tests;

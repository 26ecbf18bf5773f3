//! Text within text, and the quickest way to ask it of a sorted list.
//!
//! In: a text to look for, then others. Out: where the first one ends. Tokens are short: a plain loop over them is
//! quicker than the best search's preparations. Holds nothing. Limits: none.

use super::Form;
use memchr::memmem::Finder;

/// Texts up to this size are looked through by the plain loop.
const SHORT_BYTES_MAX: usize = 32;

/// A text to look for.
pub(super) struct Infix {
    finder: Finder<'static>,
    first: u8,
}

impl Infix {
    /// Looks for a text that is not empty.
    pub(super) fn new(text: &[u8]) -> Infix {
        Infix { finder: Finder::new(text).into_owned(), first: text.first().copied().unwrap_or(0) }
    }

    pub(super) fn needle(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Where the first occurrence that begins at `from` or behind it ends.
    #[inline]
    pub(super) fn end_in(&self, text: &[u8], from: usize) -> Option<usize> {
        let needle = self.needle();
        let rest = text.get(from..)?;
        if rest.len() > SHORT_BYTES_MAX {
            return self.finder.find(rest).map(|at| from + at + needle.len());
        }
        let starts = (rest.len() + 1).checked_sub(needle.len())?;
        for (at, byte) in rest[..starts].iter().enumerate() {
            if *byte == self.first && rest[at..].starts_with(needle) {
                return Some(from + at + needle.len());
            }
        }
        None
    }
}

/// Compares the tokens of a list, one after the other.
pub(crate) struct InOrder<'a>(Kind<'a>);

enum Kind<'a> {
    /// What a token shares with the one before was looked through with that one.
    Infix {
        infix: &'a Infix,
        /// Where the first occurrence in the token before ends.
        end: Option<usize>,
    },
    Suffix(&'a [u8]),
    Any(&'a Form),
}

impl<'a> InOrder<'a> {
    pub(super) fn infix(infix: &'a Infix) -> InOrder<'a> {
        InOrder(Kind::Infix { infix, end: None })
    }

    pub(super) fn suffix(text: &'a [u8]) -> InOrder<'a> {
        InOrder(Kind::Suffix(text))
    }

    pub(super) fn any(form: &'a Form) -> InOrder<'a> {
        InOrder(Kind::Any(form))
    }

    /// Whether a token matches whose first `shared` bytes are those of the one before.
    #[inline]
    pub(crate) fn matches(&mut self, shared: usize, token: &[u8]) -> bool {
        match &mut self.0 {
            Kind::Infix { infix, end } => {
                if end.is_none_or(|end| end > shared) {
                    *end = infix.end_in(token, (shared + 1).saturating_sub(infix.needle().len()));
                }
                end.is_some()
            }
            Kind::Suffix(text) => token.last() == text.last() && token.ends_with(text),
            Kind::Any(form) => form.matches(token, token),
        }
    }
}

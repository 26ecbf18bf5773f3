//! Compares the tokens of a sorted list as fast as possible.
//!
//! In: tokens, each with the length of its common prefix with the previous one. Out: whether they match. Holds:
//! where the last one matched.
//! Limits: none.

use super::{form::Form, infix::Infix};

/// Compares the tokens of a list, one after the other.
pub struct InOrder<'a>(Kind<'a>);

enum Kind<'a> {
    /// The bytes that a token shares with the previous one were searched with that one.
    Infix {
        infix: &'a Infix,
        /// End of the first occurrence in the previous token.
        end: Option<usize>,
    },
    Suffix(&'a [u8]),
    Any(&'a Form),
}

impl<'a> InOrder<'a> {
    /// Returns true when about as many tokens match as not, so that a branch on the result cannot be predicted.
    pub fn is_common(&self) -> bool {
        matches!(self.0, Kind::Infix { infix, .. } if infix.needle().len() == 1)
    }

    pub(super) fn infix(infix: &'a Infix) -> InOrder<'a> {
        InOrder(Kind::Infix { infix, end: None })
    }

    pub(super) fn suffix(text: &'a [u8]) -> InOrder<'a> {
        InOrder(Kind::Suffix(text))
    }

    pub(super) fn any(form: &'a Form) -> InOrder<'a> {
        InOrder(Kind::Any(form))
    }

    /// Returns true when a token matches whose first `shared` bytes equal those of the previous one. `rest` begins
    /// with the remaining bytes, where they are stored; anything may follow.
    #[inline(always)]
    pub fn matches(&mut self, shared: usize, token: &[u8], rest: &[u8]) -> bool {
        match &mut self.0 {
            Kind::Infix { infix, end } => {
                if end.is_some_and(|end| end <= shared) {
                    return true;
                }
                *end = infix.end_behind(shared, token, rest);
                end.is_some()
            }
            Kind::Suffix(text) => may_end(text, token.len() - shared, rest) && token.ends_with(text),
            Kind::Any(form) => form.matches(token, token),
        }
    }
}

/// Returns true when the last two of `length` bytes equal those of a text, as far as both have that many.
#[inline(always)]
fn may_end(text: &[u8], length: usize, rest: &[u8]) -> bool {
    let Some(own) = rest.get(..length) else { return true };
    match (text, own) {
        ([.., before, last], [.., own_before, own_last]) => last == own_last && before == own_before,
        ([.., last], [.., own_last]) => last == own_last,
        _ => true,
    }
}

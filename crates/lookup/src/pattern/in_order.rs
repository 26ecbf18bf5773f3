//! The quickest way to compare the tokens of a sorted list.
//!
//! In: tokens, each with what it shares with the one before. Out: yes or no. Holds: where the last one matched.
//! Limits: none.

use super::{form::Form, infix::Infix};

/// Compares the tokens of a list, one after the other.
pub struct InOrder<'a>(Kind<'a>);

enum Kind<'a> {
    /// The bytes that a token shares with the one before were looked through with that one.
    Infix {
        infix: &'a Infix,
        /// End of the first occurrence in the token before.
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

    /// Returns true when a token matches whose first `shared` bytes are those of the one before. `rest` begins with the bytes behind
    /// those, where they are stored; anything may follow.
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

/// Returns true when the last two of `length` bytes are those of a text, as far as there are as many of both.
#[inline(always)]
fn may_end(text: &[u8], length: usize, rest: &[u8]) -> bool {
    let Some(own) = rest.get(..length) else { return true };
    match (text, own) {
        ([.., before, last], [.., own_before, own_last]) => last == own_last && before == own_before,
        ([.., last], [.., own_last]) => last == own_last,
        _ => true,
    }
}

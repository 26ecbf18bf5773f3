//! Text within text, and the quickest way to ask it of a sorted list.
//!
//! In: a text to look for, then others. Out: where the first one ends. Tokens are short: a plain loop over them is
//! quicker than the best search's preparations. Holds nothing. Limits: none.

use super::Form;
use memchr::memmem::Finder;

/// Texts up to this size are looked through by the plain loop.
const SHORT_BYTES_MAX: usize = 32;

/// Bytes of a token behind what it shares with the one before that are looked at in one step, and one more.
const AHEAD: usize = 17;

/// A text to look for.
pub(super) struct Infix {
    finder: Finder<'static>,
    first: u8,
    /// The byte behind the first; `is_single` when there is none.
    second: u8,
    is_single: bool,
    /// The bytes behind the first: with one of them an occurrence may go on that began in what a token shares.
    goes_on: [bool; 256],
}

impl Infix {
    /// Looks for a text that is not empty.
    pub(super) fn new(text: &[u8]) -> Infix {
        let mut goes_on = [false; 256];
        text.iter().skip(1).for_each(|byte| goes_on[usize::from(*byte)] = true);
        let at = |place: usize| text.get(place).copied().unwrap_or(0);
        let finder = Finder::new(text).into_owned();
        Infix { finder, first: at(0), second: at(1), is_single: text.len() < 2, goes_on }
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
            if *byte == self.first && (self.is_single || rest[at..].starts_with(needle)) {
                return Some(from + at + needle.len());
            }
        }
        None
    }
}

impl Infix {
    /// False when no occurrence in a token ends behind its first `shared` bytes: nearly always, after a look at the rest of
    /// the token where it is stored, `rest` and whatever follows it.
    #[inline(always)]
    fn may_end_in(&self, shared: usize, token: &[u8], rest: &[u8]) -> bool {
        let Some(ahead) = rest.first_chunk::<AHEAD>() else { return true };
        if token.len() - shared >= AHEAD || shared > 0 && self.goes_on[usize::from(ahead[0])] {
            return true;
        }
        let begins: [u8; AHEAD - 1] = std::array::from_fn(|at| {
            u8::from(ahead[at] == self.first) & u8::from(ahead[at + 1] == self.second || self.is_single)
        });
        u128::from_ne_bytes(begins) != 0
    }
}

/// Whether the last two of `length` bytes are those of a text, as far as there are as many of both.
#[inline(always)]
fn may_end(text: &[u8], length: usize, rest: &[u8]) -> bool {
    let Some(own) = rest.get(..length) else { return true };
    match (text, own) {
        ([.., before, last], [.., own_before, own_last]) => last == own_last && before == own_before,
        ([.., last], [.., own_last]) => last == own_last,
        _ => true,
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

    /// Whether a token matches whose first `shared` bytes are those of the one before. `rest` begins with the bytes behind
    /// those, where they are stored; anything may follow.
    #[inline(always)]
    pub(crate) fn matches(&mut self, shared: usize, token: &[u8], rest: &[u8]) -> bool {
        match &mut self.0 {
            Kind::Infix { infix, end } => {
                if end.is_some_and(|end| end <= shared) {
                    return true;
                }
                *end = None;
                if infix.may_end_in(shared, token, rest) {
                    *end = infix.end_in(token, (shared + 1).saturating_sub(infix.needle().len()));
                }
                end.is_some()
            }
            Kind::Suffix(text) => may_end(text, token.len() - shared, rest) && token.ends_with(text),
            Kind::Any(form) => form.matches(token, token),
        }
    }
}

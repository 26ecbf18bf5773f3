//! Text within text.
//!
//! In: a text to search for, then others. Out: where the first occurrence ends. Tokens are short: a plain loop is
//! faster than the setup of the best search algorithm, and in a sorted list the bytes that a token does not share
//! with the previous one are searched all at once. Holds nothing. Limits: none.

use memchr::memmem::Finder;

/// Texts up to this size are searched by the plain loop.
const SHORT_BYTES_MAX: usize = 32;

/// Number of positions, from the first unshared byte on, at which one step searches for the beginning of an
/// occurrence.
const STEP: usize = 16;
/// Bytes that this step reads: an occurrence is recognized by its first three.
const WINDOW: usize = STEP + COMPARED - 1;
/// Bytes by which an occurrence is recognized.
const COMPARED: usize = 3;

/// A text to search for.
pub(super) struct Infix {
    finder: Finder<'static>,
    first: u8,
    /// Its first three bytes, each repeated for every byte of a step, and a mask of the bits that count: the text
    /// may be shorter.
    compared: [(u128, u128); COMPARED],
    /// The bytes after the first one: an occurrence that began in the shared part continues with one of them.
    may_continue: [bool; 256],
}

impl Infix {
    /// Prepares the search for a text that is not empty.
    pub(super) fn new(text: &[u8]) -> Infix {
        let mut may_continue = [false; 256];
        text.iter().skip(1).for_each(|byte| may_continue[usize::from(*byte)] = true);
        let all = |byte: &u8| (u128::from_ne_bytes([*byte; STEP]), u128::MAX);
        let compared = std::array::from_fn(|at| text.get(at).map_or((0, 0), all));
        let finder = Finder::new(text).into_owned();
        Infix { finder, first: text.first().copied().unwrap_or(0), compared, may_continue }
    }

    pub(super) fn needle(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Returns the end of the first occurrence that begins at `from` or later.
    #[inline(never)]
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

impl Infix {
    /// Returns the end of the first occurrence in a token that ends after its first `shared` bytes. `rest` begins
    /// with the remaining bytes, where they are stored; anything may follow.
    #[inline(always)]
    pub(super) fn end_behind(&self, shared: usize, token: &[u8], rest: &[u8]) -> Option<usize> {
        let length = self.needle().len();
        // An occurrence that begins in the shared part continues with one of its own bytes.
        if shared > 0 && rest.first().is_none_or(|byte| self.may_continue[usize::from(*byte)]) {
            return self.end_in(token, (shared + 1).saturating_sub(length));
        }
        let starts = (token.len() - shared + 1).saturating_sub(length);
        let mut from = 0;
        while from < starts {
            let Some(window) = rest.get(from..).and_then(|rest| rest.first_chunk()) else {
                return self.end_in(token, shared + from);
            };
            let mut begins = self.begins(window);
            if let Some(kept) = FIRST_BYTES.get(starts - from) {
                begins &= kept;
            }
            if begins != 0 {
                let at = shared + from + begins.trailing_zeros() as usize / 8;
                return if length <= COMPARED { Some(at + length) } else { self.end_in(token, at) };
            }
            from += STEP;
        }
        None
    }

    /// Returns the highest bit of each of the first bytes at which an occurrence may begin; with three known bytes
    /// it surely does.
    #[inline(always)]
    fn begins(&self, window: &[u8; WINDOW]) -> u128 {
        const LOW: u128 = u128::from_ne_bytes([0x7f; STEP]);
        let bytes = |at: usize| window[at..].first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
        let [first, (second, second_mask), (third, third_mask)] = self.compared;
        let differing =
            bytes(0) ^ first.0 | (bytes(1) ^ second) & second_mask | (bytes(2) ^ third) & third_mask;
        // A byte is zero when neither it nor its low bits plus 0x7f have the highest bit.
        !(((differing & LOW) + LOW) | differing | LOW)
    }
}

/// Masks of the first n bytes of a step, by n.
const FIRST_BYTES: [u128; STEP] = {
    let mut masks = [0; STEP];
    let mut count = 1;
    while count < STEP {
        masks[count] = (1 << (8 * count)) - 1;
        count += 1;
    }
    masks
};

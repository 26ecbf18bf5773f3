//! Words of a text, as the index stores them.
//!
//! In: text. Out: lower-cased tokens: runs of letters, digits, `_`, `.`, `-` and bytes from 0x80 up, without `.` and
//! `-` at either end. Only ASCII is lower-cased: other letters are compared as they are.
//! Holds: the lower-cased copy and one bit per byte, reused for every text. Limits: texts below 4 GiB.

mod classify;
mod hash;

pub use hash::{Hash, SHORT_BYTES, Seed};

/// Bytes that may be read after a token, so that hashing needs no check at the end.
const PADDING_BYTES: usize = 64;

/// Finds tokens; owns the memory needed for that.
#[derive(Default)]
pub struct Tokenizer {
    lowered: Vec<u8>,
    /// One bit per byte of the text: set when it belongs to a token.
    masks: Vec<u64>,
}

/// A token inside the lower-cased text.
#[derive(Clone, Copy, Default)]
pub struct Token {
    /// Offset of its first byte.
    pub start: u32,
    /// Length in bytes.
    pub length: u32,
}

impl Tokenizer {
    /// Reads a text; then [`Tokenizer::tokens`] returns its tokens.
    pub fn read(&mut self, text: &[u8]) {
        // One mask more than the text needs ends the last run.
        let words = text.len().div_ceil(64) + 1;
        let needed = words * 64 + PADDING_BYTES;
        if self.lowered.len() < needed {
            self.lowered.resize(needed, 0);
        }
        self.masks.clear();
        self.masks.resize(words, 0);
        classify::lower_and_mark(text, &mut self.lowered, &mut self.masks);
    }

    /// The tokens of the text, in order.
    #[inline]
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { owner: self, word: 0, rest: self.masks.first().copied().unwrap_or(0) }
    }

    /// The bytes of a token.
    #[inline]
    pub fn bytes(&self, token: Token) -> &[u8] {
        &self.lowered[token.start as usize..(token.start + token.length) as usize]
    }

    /// Hash and first sixteen bytes of a token.
    #[inline(always)]
    pub fn hash(&self, token: Token, seed: Seed) -> Hash {
        seed.hash_padded(&self.lowered, token.start as usize, token.length as usize)
    }
}

/// Walks over the tokens of a text.
pub struct Tokens<'a> {
    owner: &'a Tokenizer,
    word: usize,
    /// The rest of the current mask.
    rest: u64,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline(always)]
    fn next(&mut self) -> Option<Token> {
        let masks = self.owner.masks.as_slice();
        loop {
            while self.rest == 0 {
                self.word += 1;
                self.rest = *masks.get(self.word)?;
            }
            let start = self.word * 64 + self.rest.trailing_zeros() as usize;
            // The last mask is always empty, so that every run ends.
            let mut gaps = !self.rest & (u64::MAX << (start & 63));
            while gaps == 0 {
                self.word += 1;
                gaps = !*masks.get(self.word)?;
            }
            let bit = gaps.trailing_zeros();
            self.rest = masks[self.word] & (u64::MAX << bit);
            let end = self.word * 64 + bit as usize;
            if let Some(token) = self.trimmed(start, end) {
                return Some(token);
            }
        }
    }
}

impl Tokens<'_> {
    #[inline(always)]
    fn trimmed(&self, mut start: usize, mut end: usize) -> Option<Token> {
        let bytes = &self.owner.lowered;
        while end > start && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        while start < end && matches!(bytes[start], b'.' | b'-') {
            start += 1;
        }
        (start < end).then_some(Token { start: start as u32, length: (end - start) as u32 })
    }
}

#[cfg(test)]
mod tests;

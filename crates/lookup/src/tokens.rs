//! Words of a text, as the index stores them.
//!
//! In: text. Out: lower-cased tokens: runs of letters and digits of all scripts, `_`, `.` and `-`, without `.` and `-` at
//! either end; [`scripts`] has the rules for what is not ASCII. Only ASCII is lower-cased: patterns list the cases of other
//! letters.
//! Holds: the lower-cased copy and one bit per byte, reused for every text. Limits: texts below 4 GiB.

mod classify;
mod hash;
pub mod scripts;

use classify::Letters;
pub use hash::{Hash, SHORT_BYTES, Seed};

/// Bytes that may be read after a token, so that hashing needs no check at the end.
const PADDING_BYTES: usize = 64;

/// Finds tokens; owns the memory needed for that.
#[derive(Default)]
pub struct Tokenizer {
    lowered: Vec<u8>,
    /// One bit per byte of the text: set when it belongs to a token.
    masks: Vec<u64>,
    /// Starts of the tokens that begin right behind another, ascending.
    breaks: Vec<u32>,
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
        self.breaks.clear();
        if classify::lower_and_mark(text, &mut self.lowered, &mut self.masks) == Letters::OfAllScripts {
            self.mark_scripts(text);
        }
    }

    /// Marks the tokens of a text that is not ASCII.
    fn mark_scripts(&mut self, text: &[u8]) {
        self.masks.fill(0);
        let mut last = 0;
        scripts::each(text, &mut |range| {
            if range.start == last && last > 0 {
                self.breaks.push(range.start as u32);
            }
            last = range.end;
            range.for_each(|at| self.masks[at >> 6] |= 1 << (at & 63));
        });
    }

    /// The tokens of the text, in order.
    #[inline]
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { owner: self, word: 0, rest: self.masks.first().copied().unwrap_or(0), breaks: 0 }
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
    /// How many of the breaks are behind.
    breaks: usize,
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
            let mut end = self.word * 64 + bit as usize;
            if !self.owner.breaks.is_empty() {
                end = self.cut(start, end);
            }
            if let Some(token) = self.trimmed(start, end) {
                return Some(token);
            }
        }
    }
}

impl Tokens<'_> {
    /// Returns where the token ends that begins a run of letters; what is left of the run comes next.
    #[cold]
    fn cut(&mut self, start: usize, end: usize) -> usize {
        let breaks = self.owner.breaks.as_slice();
        self.breaks += breaks[self.breaks..].iter().take_while(|at| **at as usize <= start).count();
        match breaks.get(self.breaks) {
            Some(at) if (*at as usize) < end => {
                let at = *at as usize;
                self.word = at >> 6;
                self.rest = self.owner.masks[self.word] & (u64::MAX << (at & 63));
                at
            }
            _ => end,
        }
    }

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

//! Frequent tokens, numbered.
//!
//! In: documents of each token. Out: the tokens worth using in templates. Holds: shared, never changed.
//! Limits: 3,000 tokens.

use lookup::tokens::{Hash, SHORT_BYTES, Seed};

/// Most frequent tokens of a segment. They fit 16 bits, the top value marking a gap.
const FREQUENT_MAX: usize = 3000;
/// A token in more than one of this many messages is frequent when it has no digit.
const WORD_SHARE: u32 = 128;
/// The same for tokens with a digit: those vary, and every variant would be a template of its own.
const DIGIT_SHARE: u32 = 20;

/// The key by which tokens are compared, without reading their text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    hash: Hash,
    length: usize,
}

/// The frequent tokens of a segment, each with a number.
pub(crate) struct Frequent {
    seed: Seed,
    /// By hash, the number of a token plus one; 0 for a free slot. Small, so that it stays in the L1 cache, and
    /// sparse, so that most tokens that are not frequent are rejected by one access.
    slots: Vec<u16>,
    /// By number plus one.
    keys: Vec<Key>,
    tokens: Vec<Vec<u8>>,
}

/// Slots for each token.
const SLOTS_PER_TOKEN: usize = 16;

impl Frequent {
    /// The number of tokens that are not frequent.
    pub(crate) const NONE: u16 = u16::MAX;

    /// No token.
    pub(crate) fn none() -> Frequent {
        Frequent::new(Vec::new())
    }

    /// Numbers these tokens in this order.
    pub(crate) fn new(tokens: Vec<Vec<u8>>) -> Frequent {
        assert!(tokens.len() <= FREQUENT_MAX, "{} frequent tokens", tokens.len());
        let seed = Seed::of_process();
        let mut slots = vec![0; (tokens.len() * SLOTS_PER_TOKEN).next_power_of_two()];
        let key_of = |token: &Vec<u8>| Key { hash: seed.hash(token), length: token.len() };
        let none = Key { hash: Hash::default(), length: usize::MAX };
        let keys: Vec<Key> = std::iter::once(none).chain(tokens.iter().map(key_of)).collect();
        let mask = slots.len() - 1;
        for (number, key) in (0..).zip(&keys).skip(1) {
            let mut at = slot_of(key.hash) & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = number;
        }
        Frequent { seed, slots, keys, tokens }
    }

    /// Chooses the tokens that are frequent among those in `counted` (text, documents), for `total` documents.
    pub(crate) fn choose<'a>(counted: impl Iterator<Item = (&'a [u8], u32)>, total: u32) -> Frequent {
        let is_frequent = |token: &[u8], documents: u32| {
            let share = if token.iter().any(u8::is_ascii_digit) { DIGIT_SHARE } else { WORD_SHARE };
            documents > total / share && (share == WORD_SHARE || token.len() >= 3)
        };
        let mut chosen: Vec<(u32, &[u8])> = counted
            .filter(|(token, documents)| is_frequent(token, *documents))
            .map(|(token, documents)| (documents, token))
            .collect();
        chosen.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        chosen.truncate(FREQUENT_MAX);
        Frequent::new(chosen.into_iter().map(|(_, token)| token.to_vec()).collect())
    }

    /// The tokens by number.
    pub(crate) fn tokens(&self) -> &[Vec<u8>] {
        &self.tokens
    }

    /// The number of a token.
    #[inline]
    pub(crate) fn number(&self, token: &[u8], hash: Hash) -> Option<u16> {
        Some(self.number_or_none(token, hash)).filter(|number| *number != Frequent::NONE)
    }

    /// The same, or [`Frequent::NONE`]: for nearly all tokens the same code runs, without a branch that depends on
    /// the token.
    #[inline]
    pub(crate) fn number_or_none(&self, token: &[u8], hash: Hash) -> u16 {
        let at = slot_of(hash) & (self.slots.len() - 1);
        let slot = self.slots[at];
        // A free slot has the first key, which belongs to no token.
        let key = &self.keys[usize::from(slot)];
        let is_same = (key.hash.bits == hash.bits)
            & (key.hash.first == hash.first)
            & (key.hash.next == hash.next)
            & (key.length == token.len());
        if (slot != 0) & (!is_same | (token.len() > SHORT_BYTES)) {
            return self.search(token, hash).unwrap_or(Frequent::NONE);
        }
        if is_same { slot - 1 } else { Frequent::NONE }
    }

    /// Continues the search after the first slot.
    #[cold]
    fn search(&self, token: &[u8], hash: Hash) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let key = Key { hash, length: token.len() };
        let mut at = slot_of(hash) & mask;
        loop {
            let number = self.slots[at & mask].checked_sub(1)?;
            let index = usize::from(number);
            if self.keys[index + 1] == key && (token.len() <= SHORT_BYTES || self.tokens[index] == token) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a token given without its hash.
    pub(crate) fn find(&self, token: &[u8]) -> Option<u16> {
        self.number(token, self.seed.hash(token))
    }
}

/// Returns the bits of a hash that choose a slot, different from those that choose the slot of a term.
#[inline]
fn slot_of(hash: Hash) -> usize {
    (hash.bits >> 32) as usize
}

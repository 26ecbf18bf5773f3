//! What one segment learns for the next ones: frequent tokens, and a compression dictionary.
//!
//! In: documents of each token, samples of frames. Out: the tokens worth a place in templates; a trained dictionary.
//! Holds: shared, never changed. Limits: [`FREQUENT_MAX`] tokens, [`DICTIONARY_BYTES_MAX`].

use super::room::Room;
use crate::tokens::{Hash, Seed};
use std::sync::Arc;

/// Most frequent tokens of a segment. They fit 16 bits, the top value marking a gap.
const FREQUENT_MAX: usize = 3000;
/// Most bytes of a trained dictionary; more gains little (zstd's own default).
const DICTIONARY_BYTES_MAX: usize = 110 << 10;
/// A token in more than one of this many messages is frequent when it has no digit.
const WORD_SHARE: u32 = 128;
/// The same for tokens with a digit: those vary, and every variant would be a template of its own.
const DIGIT_SHARE: u32 = 20;
/// Segments that go by what one has learned; then the next learns anew, because devices and programs change.
const SEGMENTS_MAX: u32 = 16;
/// What a segment learned, for itself and the segments behind it.
#[derive(Clone)]
pub struct Learned {
    pub(crate) frequent: Arc<Frequent>,
    /// Dictionary that blocks are compressed with; empty for none.
    pub(crate) dictionary: Arc<Vec<u8>>,
    /// How many segments used it before.
    segments: u32,
    /// How large the segment before became.
    pub(super) room: Room,
}

impl Learned {
    pub(crate) fn new(frequent: Frequent, dictionary: Vec<u8>) -> Learned {
        Learned {
            frequent: Arc::new(frequent),
            dictionary: Arc::new(dictionary),
            segments: 0,
            room: Room::default(),
        }
    }

    /// What the segment behind one of this size is to begin with; `None` when it should learn anew.
    pub(super) fn next(&self, room: Room) -> Option<Learned> {
        let segments = self.segments + 1;
        (segments < SEGMENTS_MAX).then(|| Learned { segments, room, ..self.clone() })
    }
}

/// Trains a dictionary from samples of frames; empty when they are too few or too alike.
pub(crate) fn train(samples: &[&[u8]]) -> Vec<u8> {
    zstd::dict::from_samples(samples, DICTIONARY_BYTES_MAX).unwrap_or_default()
}

/// Words of the marks: 8 KiB, twenty bits for each of the most tokens there may be.
const MARK_WORDS: usize = 1024;

/// Which of the marks a hash has.
#[inline]
fn mark_of(hash: Hash) -> (usize, u64) {
    // The table's places are chosen by the lowest bits.
    let number = (hash.bits >> 48) as usize;
    (number / 64 % MARK_WORDS, 1 << (number % 64))
}

/// A place in the table of frequent tokens.
#[derive(Clone, Copy)]
struct Slot {
    hash: Hash,
    length: u32,
    /// The token's number plus one; 0 for a free slot.
    number: u32,
}

/// The frequent tokens of a segment, each with a number.
pub(crate) struct Frequent {
    seed: Seed,
    /// Bit a group of hashes: whether a token has one of them. Half of all tokens are refused by this alone, without a
    /// look at the table, which is too large for the nearest cache.
    marks: Vec<u64>,
    slots: Vec<Slot>,
    tokens: Vec<Vec<u8>>,
}

impl Frequent {
    /// No token.
    pub(crate) fn none() -> Frequent {
        Frequent::new(Vec::new())
    }

    /// These tokens, numbered in this order.
    pub(crate) fn new(tokens: Vec<Vec<u8>>) -> Frequent {
        assert!(tokens.len() <= FREQUENT_MAX, "{} frequent tokens", tokens.len());
        let seed = Seed::of_process();
        let free = Slot { hash: Hash { bits: 0, head: 0 }, length: 0, number: 0 };
        let mut slots = vec![free; (tokens.len() * 4).next_power_of_two().max(16)];
        let mut marks = vec![0; MARK_WORDS];
        for (number, token) in tokens.iter().enumerate() {
            let hash = seed.hash(token);
            let (word, bit) = mark_of(hash);
            marks[word] |= bit;
            let mut at = hash.bits as usize & (slots.len() - 1);
            while slots[at].number != 0 {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = Slot { hash, length: token.len() as u32, number: number as u32 + 1 };
        }
        Frequent { seed, marks, slots, tokens }
    }

    /// The tokens worth it among those that (text, documents) lists, when there were `total` documents.
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
        let (word, bit) = mark_of(hash);
        if self.marks[word] & bit == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash.bits as usize & mask;
        loop {
            let slot = &self.slots[at & mask];
            let number = slot.number.checked_sub(1)?;
            if slot.hash == hash
                && slot.length as usize == token.len()
                && (token.len() <= 8 || self.tokens[number as usize] == token)
            {
                return Some(number as u16);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a token given without its hash.
    pub(crate) fn find(&self, token: &[u8]) -> Option<u16> {
        self.number(token, self.seed.hash(token))
    }
}

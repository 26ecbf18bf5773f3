//! Learns what the messages of a segment have in common, from a sample spread over all.
//!
//! In: messages. Out: the tokens that templates are made of; a compression dictionary for units.
//! Holds: the counts of the tokens of [`LEARN_DOCUMENTS`] messages. Limits: [`FREQUENT_MAX`], [`DICTIONARY_BYTES`].

use super::{RecodeError, Recoding};
use crate::{
    packed::{Packer, Skeletons},
    sealed::Sealed,
    terms::frequent::Frequent,
};
use lookup::{SegmentView, tokens::Tokenizer};
use std::collections::HashMap;

/// Messages whose tokens are counted, taken in runs of neighbours.
const LEARN_DOCUMENTS: u32 = 40_000;
const RUNS: u32 = 40;
/// Tokens of templates.
const FREQUENT_MAX: usize = 3000;
/// A token in more than one of this many messages belongs to templates when it has no digit, otherwise in more than
/// one of [`DIGIT_SHARE`].
const WORD_SHARE: u32 = 128;
const DIGIT_SHARE: u32 = 20;
/// Groups whose units are samples, and messages of each.
const SAMPLE_GROUPS: u32 = 4;
const SAMPLE_DOCUMENTS: u32 = 1 << 13;
/// Bytes of the dictionary.
const DICTIONARY_BYTES: usize = 64 << 10;

impl Sealed {
    /// The tokens that templates are made of.
    pub(super) fn frequent_tokens(&self, recoding: &mut Recoding<'_>) -> Result<Frequent, RecodeError> {
        // For each token, the number of messages that have it, and the last of them.
        let mut counts: HashMap<Vec<u8>, (u32, u32)> = HashMap::new();
        let mut tokenizer = Tokenizer::default();
        let mut total = 0;
        let step = (self.len() / RUNS).max(1);
        let each = (LEARN_DOCUMENTS / RUNS).min(step);
        let mut sampled = (0..self.len()).filter(|document| document % step < each);
        (recoding.pace)();
        self.read_placed(&mut sampled, recoding.cancel, &mut |_, document, _| {
            total += 1;
            tokenizer.read(&document.raw);
            for token in tokenizer.tokens() {
                let token = tokenizer.bytes(token);
                match counts.get_mut(token) {
                    Some((count, last)) if *last < total => (*count, *last) = (*count + 1, total),
                    Some(_) => {}
                    None => {
                        counts.insert(token.to_vec(), (1, total));
                    }
                }
            }
            true
        })?;
        let is_frequent = |token: &[u8], count: u32| {
            let share = if token.iter().any(u8::is_ascii_digit) { DIGIT_SHARE } else { WORD_SHARE };
            count > total / share
        };
        let counts = counts.into_iter().map(|(token, (count, _))| (count, token));
        let mut chosen: Vec<_> = counts.filter(|(count, token)| is_frequent(token, *count)).collect();
        chosen.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        chosen.truncate(FREQUENT_MAX);
        Ok(Frequent::new(chosen.into_iter().map(|(_, token)| token).collect()))
    }

    /// A dictionary for the units; empty when there is too little to learn from.
    pub(super) fn train(
        &self,
        frequent: &Frequent,
        recoding: &mut Recoding<'_>,
    ) -> Result<Vec<u8>, RecodeError> {
        let mut packer = Packer::new(&[])?;
        packer.samples = Some(Vec::new());
        let mut skeletons = Skeletons::default();
        let step = (self.len() / SAMPLE_GROUPS).max(SAMPLE_DOCUMENTS);
        for start in (0..self.len()).step_by(step as usize) {
            let range = start..self.len().min(start + SAMPLE_DOCUMENTS);
            self.pack(range, frequent, recoding, &mut |group, _| {
                group.finish(&mut skeletons, &mut packer, &mut Vec::new())?;
                Ok(())
            })?;
        }
        let samples = packer.samples.take().unwrap_or_default();
        Ok(zstd::dict::from_samples(&samples, DICTIONARY_BYTES).unwrap_or_default())
    }
}

//! The knowledge that one segment passes to the next ones: frequent tokens, and a compression dictionary.
//!
//! In: frequent tokens, samples of frames. Out: both, for a number of segments; a trained dictionary.
//! Holds: shared, never changed. Limits: [`DICTIONARY_BYTES_MAX`].

use super::capacity_hint::CapacityHint;
use crate::terms::frequent::Frequent;
use std::sync::Arc;

/// Most bytes of a trained dictionary; more gains little (zstd's own default).
const DICTIONARY_BYTES_MAX: usize = 110 << 10;
/// Number of segments that use what one has learned; then the next learns again, because devices and programs change.
const SEGMENTS_MAX: u32 = 16;

/// Knowledge of a segment, for itself and the segments after it.
#[derive(Clone)]
pub struct Learned {
    pub(crate) frequent: Arc<Frequent>,
    /// Dictionary that blocks are compressed with; empty for none.
    pub(crate) dictionary: Arc<Vec<u8>>,
    /// Number of segments that used it before.
    segments: u32,
    /// The sizes that the previous segment reached.
    pub(crate) capacity: CapacityHint,
}

impl Learned {
    pub(crate) fn new(frequent: Frequent, dictionary: Vec<u8>) -> Learned {
        Learned {
            frequent: Arc::new(frequent),
            dictionary: Arc::new(dictionary),
            segments: 0,
            capacity: CapacityHint::default(),
        }
    }

    /// Returns the knowledge for the segment after one of this size; `None` when it should learn for itself.
    pub(crate) fn next(&self, capacity: CapacityHint) -> Option<Learned> {
        let segments = self.segments + 1;
        (segments < SEGMENTS_MAX).then(|| Learned { segments, capacity, ..self.clone() })
    }
}

/// Trains a dictionary from samples of frames; empty when they are too few or too alike.
pub(crate) fn train(samples: &[&[u8]]) -> Vec<u8> {
    zstd::dict::from_samples(samples, DICTIONARY_BYTES_MAX).unwrap_or_default()
}

//! Items that were refused lately.
//!
//! In: hosts and keys, and whether their values were taken. Out: whether to expect a refusal. Holds: a hash of each pair. Limits:
//! [`PAIRS_MAX`], [`KEPT`].
//!
//! An answer says how many values of a request were refused, and not which. Values that will probably be refused are sent apart from
//! others, so that a request is refused as a whole or taken as a whole, and none has to be divided.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Most pairs of host and key.
const PAIRS_MAX: usize = 10_000;
/// How long a refusal is expected again: a server learns of new items within a minute.
const KEPT: Duration = Duration::from_secs(60);

/// The items that were refused lately.
#[derive(Default)]
pub(super) struct Refused {
    pairs: Mutex<HashMap<u64, Instant>>,
    hasher: RandomState,
}

impl Refused {
    /// Returns whether a value of this item will probably be refused.
    pub(super) fn is_likely(&self, host: &str, key: &str, now: Instant) -> bool {
        let pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let found = if pairs.is_empty() { None } else { pairs.get(&self.hash(host, key)) };
        found.is_some_and(|until| *until > now)
    }

    /// A value of this item was refused.
    pub(super) fn add(&self, host: &str, key: &str, now: Instant) {
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        if pairs.len() >= PAIRS_MAX {
            pairs.retain(|_, until| *until > now);
        }
        if pairs.len() < PAIRS_MAX {
            pairs.insert(self.hash(host, key), now + KEPT);
        }
    }

    /// A value of this item was taken.
    pub(super) fn remove(&self, host: &str, key: &str) {
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        if !pairs.is_empty() {
            pairs.remove(&self.hash(host, key));
        }
    }

    fn hash(&self, host: &str, key: &str) -> u64 {
        self.hasher.hash_one((host, key))
    }
}

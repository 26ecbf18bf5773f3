//! Numbers of requests that clients query later: the event collector's acknowledgements.
//!
//! In: new requests, and those whose messages are safe. Out: numbers. Holds: the open numbers of each channel.
//! Limits: [`CHANNELS_MAX`] channels, [`OPEN_MAX`] numbers of each; above them there is no number.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most channels: each client makes its own.
const CHANNELS_MAX: usize = 1_024;
/// Most requests of one channel that are not acknowledged.
const OPEN_MAX: usize = 10_000;

/// The open numbers of all channels. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct AckBook(Arc<Mutex<HashMap<String, Channel>>>);

#[derive(Debug, Default)]
struct Channel {
    next: u64,
    open: HashSet<u64>,
}

impl AckBook {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Channel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a number for a request of a channel. `None` when too many are open.
    pub(crate) fn open(&self, channel: &str) -> Option<u64> {
        let mut channels = self.lock();
        if channels.len() >= CHANNELS_MAX && !channels.contains_key(channel) {
            // A channel with nothing open has nothing to lose but its numbers.
            let idle = channels.iter().find(|(_, state)| state.open.is_empty()).map(|(name, _)| name.clone());
            channels.remove(&idle?);
        }
        let state = channels.entry(channel.to_owned()).or_default();
        if state.open.len() >= OPEN_MAX {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.open.insert(number);
        Some(number)
    }

    /// Strikes out a number: its messages are safe, or its request was refused.
    pub(crate) fn close(&self, channel: &str, number: u64) {
        if let Some(state) = self.lock().get_mut(channel) {
            state.open.remove(&number);
        }
    }

    /// Returns for each number whether the messages of its request are safe.
    pub(crate) fn are_safe(&self, channel: &str, numbers: &[u64]) -> Vec<bool> {
        let channels = self.lock();
        let state = channels.get(channel);
        let is_safe =
            |number: &u64| state.is_some_and(|state| *number < state.next && !state.open.contains(number));
        numbers.iter().map(is_safe).collect()
    }
}

#[cfg(test)]
mod tests;

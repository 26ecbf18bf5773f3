//! Answers, for as long as they are of use.
//!
//! In: answers by key. Out: the same, with their age. Holds: two generations: when the younger one is half of what may be held, it becomes
//! the older one, and what was not used since then is forgotten at once. That is nearly what was used least recently, without a list.
//! Limits: [`CacheLimits::bytes_max`] for both generations together.

use crate::values::Values;
use std::{
    collections::HashMap,
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

/// Bytes that an answer takes beside its key and its values.
const ENTRY_BYTES: usize = 128;

/// How much is held, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheLimits {
    /// `cache-bytes()`
    pub bytes_max: usize,
    /// `cache-expire()`: age after which values are looked up again.
    pub expire: Duration,
    /// `cache-expire-missing()`: age after which a key without values is looked up again.
    pub expire_missing: Duration,
    /// `cache-expire-stale()`: age until which values are used while the server fails.
    pub expire_stale: Duration,
}

/// The answer of a server for a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// It has values.
    Values(Arc<Values>),
    /// It has none.
    Missing,
    /// It refuses this key, or answers for it what cannot be read.
    Refused,
}

/// An answer and its time.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) found: Answer,
    pub(crate) at: Instant,
}

impl Entry {
    /// Returns true when it is used without another lookup.
    pub(crate) fn is_fresh(&self, limits: &CacheLimits, now: Instant) -> bool {
        let expire = match self.found {
            Answer::Values(_) => limits.expire,
            Answer::Missing | Answer::Refused => limits.expire_missing,
        };
        now.saturating_duration_since(self.at) < expire
    }

    /// Returns true when it is used because there is no better one.
    pub(crate) fn is_usable(&self, limits: &CacheLimits, now: Instant) -> bool {
        self.found != Answer::Refused && now.saturating_duration_since(self.at) < limits.expire_stale
    }

    fn bytes(&self, key: &[u8]) -> usize {
        let values = match &self.found {
            Answer::Values(values) => values.bytes(),
            Answer::Missing | Answer::Refused => 0,
        };
        ENTRY_BYTES + key.len() + values
    }
}

/// The answers of a server.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    young: HashMap<Box<[u8]>, Entry>,
    young_bytes: usize,
    old: HashMap<Box<[u8]>, Entry>,
    old_bytes: usize,
}

impl Cache {
    /// Returns the answer for a key.
    pub(crate) fn get(&mut self, key: &[u8], limits: &CacheLimits) -> Option<Entry> {
        if let Some(entry) = self.young.get(key) {
            return Some(entry.clone());
        }
        let (key, entry) = self.old.remove_entry(key)?;
        self.old_bytes -= entry.bytes(&key);
        self.insert(key, entry.clone(), limits);
        Some(entry)
    }

    /// Holds an answer, instead of an older one.
    pub(crate) fn put(&mut self, key: &[u8], entry: Entry, limits: &CacheLimits) {
        if let Some((key, older)) = self.young.remove_entry(key) {
            self.young_bytes -= older.bytes(&key);
        }
        if let Some((key, older)) = self.old.remove_entry(key) {
            self.old_bytes -= older.bytes(&key);
        }
        self.insert(key.into(), entry, limits);
    }

    /// Returns the bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.young_bytes + self.old_bytes
    }

    fn insert(&mut self, key: Box<[u8]>, entry: Entry, limits: &CacheLimits) {
        let (bytes, half) = (entry.bytes(&key), limits.bytes_max / 2);
        if bytes > half {
            return;
        }
        if self.young_bytes + bytes > half {
            self.old = mem::take(&mut self.young);
            self.old_bytes = mem::take(&mut self.young_bytes);
        }
        self.young_bytes += bytes;
        self.young.insert(key, entry);
    }
}

#[cfg(test)]
mod tests;

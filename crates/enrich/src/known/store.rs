//! All that is known: the cache, the state of the server, the counters.
//!
//! In: keys; answers and failures of those who ask. Out: answers, and keys that have to be looked up. Holds: the above, under a lock that is
//! held for no longer than a batch takes to be looked up in memory. It continues over reloads that do not change the server.
//! Limits: those of the cache.

use super::{
    breaker::{Breaker, Permission},
    cache::{Answer, Cache, CacheLimits, Entry},
    counters::{Counters, LookupCounts},
};
use crate::{fault::Fault, key::Key};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Most characters of a server's words.
const TROUBLE_CHARACTERS_MAX: usize = 200;

/// The knowledge of a key before anybody is asked.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// An answer that is used as it is.
    Fresh(Answer),
    /// An answer that has expired.
    Expired(Entry),
    /// Nothing.
    Nothing,
}

#[derive(Debug, Default)]
struct Inner {
    cache: Cache,
    breaker: Breaker,
    /// Why the server does not work; its words.
    trouble: String,
}

/// All that is known of the keys of a server.
#[derive(Debug, Default)]
pub struct LookupStore {
    inner: Mutex<Inner>,
    pub(crate) counters: Counters,
    /// Bytes of a cache that is kept elsewhere.
    pub(crate) held_beside: AtomicU64,
}

impl LookupStore {
    /// Returns the counters, with what is held.
    pub fn counts(&self) -> LookupCounts {
        let (cache_bytes, works) = {
            let inner = self.inner();
            (inner.cache.bytes() as u64, inner.breaker.works())
        };
        let cache_bytes = cache_bytes + self.held_beside.load(Relaxed);
        LookupCounts { cache_bytes, paused: u64::from(!works), ..self.counters.counts() }
    }

    /// Sets the counters to zero.
    pub fn reset(&self) {
        self.counters.reset();
    }

    /// Returns why the server is left alone at present.
    pub fn trouble(&self) -> Option<String> {
        let inner = self.inner();
        (!inner.breaker.works()).then(|| inner.trouble.clone())
    }

    /// Looks keys up in memory.
    pub(crate) fn known(&self, keys: &[Key], limits: &CacheLimits, now: Instant) -> Vec<Known> {
        let mut inner = self.inner();
        let known = |entry: Option<Entry>| match entry {
            Some(entry) if entry.is_fresh(limits, now) => Known::Fresh(entry.found),
            Some(entry) => Known::Expired(entry),
            None => Known::Nothing,
        };
        keys.iter().map(|key| known(inner.cache.get(key, limits))).collect()
    }

    /// Returns whether the server may be asked.
    pub(crate) fn permission(&self, now: Instant) -> Permission {
        self.inner().breaker.permission(now)
    }

    /// Returns true while the server works, as far as is known.
    pub(crate) fn works(&self) -> bool {
        self.inner().breaker.works()
    }

    /// Records an answer. Returns true when the server works again.
    pub(crate) fn answered(&self, key: &[u8], found: &Answer, limits: &CacheLimits, at: Instant) -> bool {
        let mut inner = self.inner();
        inner.cache.put(key, Entry { found: found.clone(), at }, limits);
        inner.breaker.succeed()
    }

    /// Records that the server answers. Returns true when it had been left alone.
    pub(crate) fn recovered(&self) -> bool {
        self.inner().breaker.succeed()
    }

    /// Records a failure. Returns how long the server is left alone, when that begins.
    pub(crate) fn failed(&self, fault: &Fault, pause_max: Duration, now: Instant) -> Option<Duration> {
        let mut inner = self.inner();
        inner.trouble =
            fault.words.chars().filter(|one| !one.is_control()).take(TROUBLE_CHARACTERS_MAX).collect();
        inner.breaker.fail(now, pause_max)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

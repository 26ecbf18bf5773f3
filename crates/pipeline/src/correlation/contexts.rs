//! The contexts of a correlation, each until its time has passed.
//!
//! In: keys, changes of contexts, the time. Out: the contexts whose time has passed, oldest first.
//! Holds: the contexts in shards by key, each behind its own lock, so that cores rarely wait for each other.
//! Limits: [`Limits`] of number and bytes. At a limit the context of the shard that would end first ends at once, as
//! if its time had passed, and is counted.

use super::Key;
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    },
};

/// Number of shards, a power of two: more than cores.
const SHARDS: usize = 32;

/// Limits on all contexts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most contexts.
    pub contexts: usize,
    /// Most bytes of their messages.
    pub bytes: usize,
    /// Most messages of one context; with more it ends.
    pub messages: usize,
    /// Most counts of `rate` of a pattern database.
    pub rates: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        // A context per user session of a large site; 256 MiB for one parser at most.
        Limits { contexts: 200_000, bytes: 256 << 20, messages: 20_000, rates: 100_000 }
    }
}

/// The state of a context after a change.
pub(crate) enum ContextState {
    /// It stays open for `timeout_s` seconds; its size has changed by `added` bytes.
    Open { timeout_s: i64, added: isize },
    /// The context has ended.
    Closed,
    /// It has as many messages as a context may have: it ends as if its time had passed.
    Full,
}

/// Contexts that hold a `T` each.
#[derive(Debug)]
pub(crate) struct Contexts<T> {
    shards: Vec<Shard<T>>,
    hasher: RandomState,
    limits: Limits,
    born: AtomicU64,
    early: AtomicU64,
}

#[derive(Debug)]
struct Shard<T> {
    /// No context of the shard ends before this time.
    next_s: AtomicI64,
    inner: Mutex<ShardState<T>>,
}

#[derive(Debug)]
struct ShardState<T> {
    contexts: HashMap<Key, Context<T>>,
    /// Times at which contexts are checked. A context that was changed since is checked again later.
    timers: BinaryHeap<Reverse<(i64, u64, Key)>>,
    bytes: usize,
}

#[derive(Debug)]
struct Context<T> {
    value: T,
    ends_s: i64,
    /// Its number: a context that came later under the same key has another.
    number: u64,
    bytes: usize,
    /// False while it is new: its bytes are not part of those of the shard, and it has no timer.
    is_kept: bool,
}

/// A context that is over.
pub(crate) struct EndedContext<T> {
    pub(crate) key: Key,
    pub(crate) value: T,
    order: (i64, u64),
}

impl<T> Contexts<T> {
    pub(crate) fn new(limits: Limits) -> Contexts<T> {
        let shard = |_| Shard {
            next_s: AtomicI64::new(i64::MAX),
            inner: Mutex::new(ShardState { contexts: HashMap::new(), timers: BinaryHeap::new(), bytes: 0 }),
        };
        Contexts {
            shards: (0..SHARDS).map(shard).collect(),
            hasher: RandomState::new(),
            limits,
            born: AtomicU64::new(0),
            early: AtomicU64::new(0),
        }
    }

    /// Returns the largest number of messages of one context.
    pub(crate) fn messages_max(&self) -> usize {
        self.limits.messages
    }

    /// Returns the number of contexts that ended early because of a limit.
    pub(crate) fn early(&self) -> u64 {
        self.early.load(Relaxed)
    }

    /// Returns the number of contexts.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.locked().contexts.len()).sum()
    }

    /// Changes the context of a key, made by `create` if there is none. Returns the context that ends
    /// because a limit is reached.
    pub(crate) fn change(
        &self,
        key: Key,
        now_s: i64,
        create: impl FnOnce() -> T,
        change: impl FnOnce(&Key, &mut T) -> ContextState,
    ) -> Option<EndedContext<T>> {
        let shard = &self.shards[self.hasher.hash_one(&key) as usize % SHARDS];
        let mut inner = shard.locked();
        let state = match inner.contexts.entry(key.clone()) {
            Entry::Occupied(mut known) => change(&key, &mut known.get_mut().value),
            Entry::Vacant(free) => {
                let number = self.born.fetch_add(1, Relaxed);
                let (value, bytes) = (create(), key.size());
                let context = Context { value, ends_s: 0, number, bytes, is_kept: false };
                change(&key, &mut free.insert(context).value)
            }
        };
        match state {
            ContextState::Closed | ContextState::Full => {
                let context = inner.contexts.remove(&key)?;
                inner.bytes -= if context.is_kept { context.bytes } else { 0 };
                let is_full = matches!(state, ContextState::Full);
                self.early.fetch_add(u64::from(is_full), Relaxed);
                is_full.then(|| EndedContext {
                    key,
                    value: context.value,
                    order: (context.ends_s, context.number),
                })
            }
            ContextState::Open { timeout_s, added } => {
                inner.keep(&key, now_s.saturating_add(timeout_s), added);
                let ends = inner.timers.peek().map_or(i64::MAX, |Reverse((ends, ..))| *ends);
                shard.next_s.store(ends, Relaxed);
                self.make_room(&mut inner)
            }
        }
    }

    /// Ends one context of a full shard.
    fn make_room(&self, inner: &mut ShardState<T>) -> Option<EndedContext<T>> {
        let is_full = inner.contexts.len() > self.limits.contexts.div_ceil(SHARDS)
            || inner.bytes > self.limits.bytes.div_ceil(SHARDS);
        if !is_full {
            return None;
        }
        self.early.fetch_add(1, Relaxed);
        inner.end_first(i64::MAX)
    }

    /// Removes and returns the contexts whose time has passed.
    pub(crate) fn expire(&self, now_s: i64) -> Vec<EndedContext<T>> {
        let mut ended = Vec::new();
        for shard in &self.shards {
            if shard.next_s.load(Relaxed) >= now_s {
                continue;
            }
            let mut inner = shard.locked();
            while let Some(over) = inner.end_first(now_s) {
                ended.push(over);
            }
            let ends = inner.timers.peek().map_or(i64::MAX, |Reverse((ends, ..))| *ends);
            shard.next_s.store(ends, Relaxed);
        }
        ended.sort_by_key(|over| over.order);
        ended
    }
}

impl<T> Shard<T> {
    fn locked(&self) -> MutexGuard<'_, ShardState<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> ShardState<T> {
    /// Records when a context ends and its size.
    fn keep(&mut self, key: &Key, ends_s: i64, added: isize) {
        let Some(context) = self.contexts.get_mut(key) else { return };
        // A timer is set at or before the end of its context; only an earlier end needs a new one.
        let was_kept = std::mem::replace(&mut context.is_kept, true);
        let needs_timer = !was_kept || ends_s < context.ends_s;
        context.ends_s = ends_s;
        let before = if was_kept { context.bytes } else { 0 };
        context.bytes = context.bytes.saturating_add_signed(added);
        let number = context.number;
        self.bytes = (self.bytes + context.bytes).saturating_sub(before);
        if needs_timer {
            self.timers.push(Reverse((ends_s, number, key.clone())));
            self.tidy();
        }
    }

    /// Drops the timers of ended contexts, once they are the majority.
    fn tidy(&mut self) {
        if self.timers.len() > 64 + 2 * self.contexts.len() {
            let contexts = &self.contexts;
            let timers =
                contexts.iter().map(|(key, context)| Reverse((context.ends_s, context.number, key.clone())));
            self.timers = timers.collect();
        }
    }

    /// Takes out the context that ends first, if that is before some time.
    fn end_first(&mut self, now_s: i64) -> Option<EndedContext<T>> {
        while let Some(Reverse((timer_s, ..))) = self.timers.peek() {
            if *timer_s >= now_s {
                return None;
            }
            let Reverse((timer_s, number, key)) = self.timers.pop()?;
            let Some(context) = self.contexts.get(&key).filter(|context| context.number == number) else {
                continue;
            };
            if context.ends_s > timer_s {
                self.timers.push(Reverse((context.ends_s, number, key)));
                continue;
            }
            let context = self.contexts.remove(&key)?;
            self.bytes -= context.bytes;
            return Some(EndedContext { key, value: context.value, order: (context.ends_s, context.number) });
        }
        None
    }
}

#[cfg(test)]
mod tests;

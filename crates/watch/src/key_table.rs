//! The keys of a rule, each with a state, in the order in which they were last seen.
//!
//! In: keys and times that never decrease. Out: the state of a key; the keys that were not seen for longest.
//! Holds: 48 bytes a key with a state of eight, and about ten in the table that finds it; keys above
//! [`INLINE_BYTES`] cost their length in addition. Limits: the caller bounds the number of keys; 2^32 - 2 of them.

use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};

/// Keys up to this length are stored in place.
const INLINE_BYTES: usize = 22;
/// Bytes of a key beside its state, with its share of the table; the allocator's share of long keys included.
const KEY_BYTES: usize = 51;
const LONG_KEY_BYTES: usize = 16;
/// Most slots that an empty table keeps.
const SLOTS_KEPT: usize = 64;
/// No slot.
const NONE: u32 = u32::MAX;

/// A key, stored in place when it is short.
#[derive(Debug)]
enum StoredKey {
    Inline {
        length: u8,
        bytes: [u8; INLINE_BYTES],
    },
    Long(Box<[u8]>),
    /// The slot is free; the next free one.
    Free(u32),
}

impl StoredKey {
    fn new(key: &[u8]) -> StoredKey {
        let mut bytes = [0; INLINE_BYTES];
        match bytes.get_mut(..key.len()) {
            Some(start) => {
                start.copy_from_slice(key);
                StoredKey::Inline { length: key.len() as u8, bytes }
            }
            None => StoredKey::Long(key.into()),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            StoredKey::Inline { length, bytes } => &bytes[..usize::from(*length)],
            StoredKey::Long(bytes) => bytes,
            StoredKey::Free(_) => &[],
        }
    }
}

#[derive(Debug)]
struct Slot<S> {
    key: StoredKey,
    last_us: i64,
    older: u32,
    newer: u32,
    state: S,
}

/// A table of keys. A slot stays that of its key until the key is removed.
#[derive(Debug)]
pub(crate) struct KeyTable<S> {
    slots: Vec<Slot<S>>,
    index: HashTable<u32>,
    hasher: RandomState,
    free: u32,
    oldest: u32,
    newest: u32,
    long_bytes: usize,
}

impl<S> Default for KeyTable<S> {
    fn default() -> KeyTable<S> {
        KeyTable {
            slots: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::new(),
            free: NONE,
            oldest: NONE,
            newest: NONE,
            long_bytes: 0,
        }
    }
}

impl<S: Default> KeyTable<S> {
    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns true when there is no key.
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Bytes in use, without those that states point to.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * (KEY_BYTES + size_of::<S>()) + self.long_bytes
    }

    /// Finds the slot of a key.
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(key);
        self.index.find(hash, |slot| self.slots[*slot as usize].key.bytes() == key).copied()
    }

    /// Adds a key that is not there, as the one seen last.
    pub(crate) fn insert(&mut self, key: &[u8], at_us: i64, state: S) -> u32 {
        let stored = StoredKey::new(key);
        self.long_bytes += long_bytes(&stored);
        let slot = Slot { key: stored, last_us: at_us, older: NONE, newer: NONE, state };
        let number = match self.slots.get_mut(self.free as usize) {
            Some(free) => {
                let number = self.free;
                if let StoredKey::Free(next) = free.key {
                    self.free = next;
                }
                *free = slot;
                number
            }
            None => {
                // Grown by an eighth, so that large tables have little room to spare.
                if self.slots.len() == self.slots.capacity() {
                    self.slots.reserve_exact(self.slots.len() / 8 + 4);
                }
                self.slots.push(slot);
                (self.slots.len() - 1) as u32
            }
        };
        let hash = self.hasher.hash_one(key);
        let (slots, hasher) = (&self.slots, &self.hasher);
        self.index.insert_unique(hash, number, |slot| hasher.hash_one(slots[*slot as usize].key.bytes()));
        self.append(number);
        number
    }

    /// Makes a key the one seen last.
    pub(crate) fn touch(&mut self, slot: u32, at_us: i64) {
        self.slots[slot as usize].last_us = at_us;
        if self.newest != slot {
            self.unlink(slot);
            self.append(slot);
        }
    }

    /// Removes a key and returns its state.
    pub(crate) fn remove(&mut self, slot: u32) -> S {
        self.unlink(slot);
        let free = self.free;
        let hash = self.hasher.hash_one(self.slots[slot as usize].key.bytes());
        if let Ok(entry) = self.index.find_entry(hash, |other| *other == slot) {
            entry.remove();
        }
        let removed = &mut self.slots[slot as usize];
        self.long_bytes -= long_bytes(&removed.key);
        removed.key = StoredKey::Free(free);
        self.free = slot;
        let state = std::mem::take(&mut removed.state);
        if self.index.is_empty() && self.slots.len() > SLOTS_KEPT {
            // The memory of a flood of keys is given back when they are gone.
            *self = KeyTable::default();
        }
        state
    }

    /// The key of a slot.
    pub(crate) fn key(&self, slot: u32) -> &[u8] {
        self.slots[slot as usize].key.bytes()
    }

    /// Time at which the key of a slot was last seen.
    pub(crate) fn last_us(&self, slot: u32) -> i64 {
        self.slots[slot as usize].last_us
    }

    /// The state of a slot.
    pub(crate) fn state(&self, slot: u32) -> &S {
        &self.slots[slot as usize].state
    }

    /// The state of a slot, to change it.
    pub(crate) fn state_mut(&mut self, slot: u32) -> &mut S {
        &mut self.slots[slot as usize].state
    }

    /// The slot of the key that was not seen for longest, with the time at which it was.
    pub(crate) fn oldest(&self) -> Option<(u32, i64)> {
        self.slots.get(self.oldest as usize).map(|slot| (self.oldest, slot.last_us))
    }

    /// The slot of the key that was seen last.
    pub(crate) fn newest(&self) -> Option<u32> {
        (self.newest != NONE).then_some(self.newest)
    }

    /// The slots from the key not seen for longest to the one seen last.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors((self.oldest != NONE).then_some(self.oldest), |slot| {
            Some(self.slots[*slot as usize].newer).filter(|next| *next != NONE)
        })
    }

    /// The slots in the other direction.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.newest(), |slot| {
            Some(self.slots[*slot as usize].older).filter(|next| *next != NONE)
        })
    }

    /// Returns the slots of the keys that were last seen at or before a time, in the order of their keys.
    pub(crate) fn seen_until(&self, at_us: i64) -> Vec<u32> {
        let mut slots: Vec<u32> =
            self.oldest_first().take_while(|slot| self.last_us(*slot) <= at_us).collect();
        self.sort(&mut slots);
        slots
    }

    /// Sorts slots by their keys.
    pub(crate) fn sort(&self, slots: &mut [u32]) {
        slots.sort_unstable_by(|a, b| self.key(*a).cmp(self.key(*b)));
    }

    fn append(&mut self, slot: u32) {
        let newest = self.newest;
        let appended = &mut self.slots[slot as usize];
        (appended.older, appended.newer) = (newest, NONE);
        match self.slots.get_mut(newest as usize) {
            Some(before) => before.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { older, newer, .. } = self.slots[slot as usize];
        match self.slots.get_mut(older as usize) {
            Some(before) => before.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer as usize) {
            Some(after) => after.older = older,
            None => self.newest = older,
        }
    }
}

fn long_bytes(key: &StoredKey) -> usize {
    match key {
        StoredKey::Long(bytes) => bytes.len() + LONG_KEY_BYTES,
        StoredKey::Inline { .. } | StoredKey::Free(_) => 0,
    }
}

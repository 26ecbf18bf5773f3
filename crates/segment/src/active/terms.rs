//! A table of distinct byte strings: tokens of a segment, values of a column.
//!
//! In: strings. Out: an id for each, in order of first appearance, and the number of its documents.
//! Holds: open addressing with 32-byte slots that have the first sixteen bytes, so that a lookup costs one cache miss;
//! the strings in one buffer.
//! Limits: 4 GiB of strings; the builder stops before (see `Builder::is_full`).

use crate::memory::{self, Item, Spares};
use lookup::tokens::{Hash, SHORT_BYTES, Seed};

/// One string. Slots without string have no id.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Slot {
    /// First sixteen bytes.
    first: u64,
    next: u64,
    /// See [`tag_of`].
    tag: u32,
    id: u32,
    /// The document that had it last, plus one.
    last: u32,
    documents: u32,
}

/// Bits of the hash that do not choose the slot, and the length or 255 when that is more.
#[inline]
fn tag_of(hash: Hash, length: usize) -> u32 {
    (hash.bits >> 40) as u32 & !0xff | length.min(LENGTH_MAX) as u32
}

const LENGTH_MAX: usize = u8::MAX as usize;

impl Item for Slot {
    fn spares() -> &'static Spares<Slot> {
        static SPARES: Spares<Slot> = Spares::new();
        &SPARES
    }
}

const NO_ID: u32 = u32::MAX;
const EMPTY: Slot = Slot { first: 0, next: 0, tag: 0, id: NO_ID, last: 0, documents: 0 };
/// Most strings for which memory is reserved in advance: 64 MB of slots.
const CAPACITY_MAX: u32 = 1 << 20;
/// Most slots per string: a table doubles when it is two thirds full.
const SLOTS_A_STRING: usize = 3;
/// Slots of a new table, as a power of two.
const FIRST_BITS: u32 = 6;

/// Distinct strings and their ids.
pub(crate) struct Terms {
    seed: Seed,
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    /// End of each string, by id.
    ends: Vec<u32>,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms::with_capacity(0, 0)
    }

    /// Creates a table for `count` strings before it must grow, at most [`CAPACITY_MAX`], with `bytes` bytes of text.
    pub(crate) fn with_capacity(count: u32, bytes: usize) -> Terms {
        let count = count.min(CAPACITY_MAX) as usize;
        let slots = (count * 3 / 2 + 2).next_power_of_two().max(1 << FIRST_BITS);
        Terms {
            seed: Seed::of_process(),
            slots: memory::filled(EMPTY, slots),
            bytes: memory::with_capacity(bytes),
            ends: memory::with_capacity(count),
        }
    }

    /// Bytes of all strings.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of memory in use. Slots that were reserved and are not used yet do not count.
    pub(crate) fn memory_bytes(&self) -> usize {
        let slots = self.slots.len().min(self.ends.len() * SLOTS_A_STRING);
        slots * size_of::<Slot>() + self.bytes.len() + size_of_val(self.ends.as_slice())
    }

    /// Number of strings.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// String `id`.
    pub(crate) fn string(&self, id: u32) -> &[u8] {
        &self.bytes[self.start(id) as usize..self.ends[id as usize] as usize]
    }

    fn start(&self, id: u32) -> u32 {
        id.checked_sub(1).map_or(0, |before| self.ends[before as usize])
    }

    /// Prefetches the slot of a string before its lookup.
    #[inline]
    pub(crate) fn prefetch(&self, hash: Hash) {
        memory::prefetch(&self.slots, hash.bits as usize & (self.slots.len() - 1));
    }

    /// Prefetches the slot of a string that is looked up soon.
    #[inline]
    pub(crate) fn prefetch_lookup(&self, string: &[u8]) {
        self.prefetch(self.seed.hash(string));
    }

    /// Prefetches the position of string `id`.
    #[inline]
    pub(crate) fn prefetch_position(&self, id: u32) {
        memory::prefetch(&self.ends, id as usize);
    }

    /// Prefetches string `id`; its position should be in the cache already.
    #[inline]
    pub(crate) fn prefetch_string(&self, id: u32) {
        memory::prefetch(&self.bytes, self.start(id) as usize);
    }

    /// The id of a string, if it is known.
    pub(crate) fn find(&self, string: &[u8]) -> Option<u32> {
        let hash = self.seed.hash(string);
        self.find_slot(string, hash).ok().map(|slot| self.slots[slot].id)
    }

    /// Returns the id of a string, assigning one if it is new.
    pub(crate) fn intern(&mut self, string: &[u8]) -> u32 {
        let hash = self.seed.hash(string);
        let slot = self.slot_of(string, hash);
        self.slots[slot].id
    }

    /// Counts a string for a document; returns its id, and whether it is new in the document.
    #[inline]
    pub(crate) fn hit(&mut self, string: &[u8], hash: Hash, document: u32) -> (u32, bool) {
        let at = self.slot_of(string, hash);
        let slot = &mut self.slots[at];
        let is_new = slot.last != document + 1;
        slot.last = document + 1;
        slot.documents += u32::from(is_new);
        (slot.id, is_new)
    }

    /// How many documents have each string, by id.
    pub(crate) fn documents(&self) -> Vec<u32> {
        let mut documents = memory::filled(0, self.ends.len());
        for slot in self.slots.iter().filter(|slot| slot.id != NO_ID) {
            documents[slot.id as usize] = slot.documents;
        }
        documents
    }

    #[inline]
    fn slot_of(&mut self, string: &[u8], hash: Hash) -> usize {
        match self.find_slot(string, hash) {
            Ok(slot) => slot,
            Err(free) => self.add(string, hash, free),
        }
    }

    /// The slot of a string, or the free slot where it belongs.
    #[inline]
    fn find_slot(&self, string: &[u8], hash: Hash) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let tag = tag_of(hash, string.len());
        let mut at = hash.bits as usize & mask;
        loop {
            let slot = &self.slots[at & mask];
            if slot.tag == tag
                && (slot.first, slot.next) == (hash.first, hash.next)
                && slot.id != NO_ID
                && (string.len() <= SHORT_BYTES || self.string(slot.id) == string)
            {
                return Ok(at);
            }
            if slot.id == NO_ID {
                return Err(at);
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, string: &[u8], hash: Hash, mut free: usize) -> usize {
        // Two thirds full at most: longer probing costs more than the memory.
        if (self.ends.len() + 1) * 3 > self.slots.len() * 2 {
            self.grow();
            free = self.find_slot(string, hash).unwrap_or_else(|free| free);
        }
        assert!(self.bytes.len() + string.len() <= u32::MAX as usize, "4 GiB of distinct strings");
        self.slots[free] = Slot {
            first: hash.first,
            next: hash.next,
            tag: tag_of(hash, string.len()),
            id: self.ends.len() as u32,
            last: 0,
            documents: 0,
        };
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u32);
        free
    }

    #[cold]
    fn grow(&mut self) {
        let count = self.slots.len() * 2;
        let mut slots = memory::filled(EMPTY, count);
        for slot in self.slots.iter().filter(|slot| slot.id != NO_ID) {
            let length = (slot.tag & 0xff) as usize;
            let hash = match length <= SHORT_BYTES {
                true => self.seed.hash_short(slot.first, slot.next, length),
                false => self.seed.hash(self.string(slot.id)),
            };
            let mut at = hash.bits as usize & (count - 1);
            while slots[at].id != NO_ID {
                at = (at + 1) & (count - 1);
            }
            slots[at] = *slot;
        }
        memory::recycle(std::mem::replace(&mut self.slots, slots));
    }
}

impl Drop for Terms {
    fn drop(&mut self) {
        memory::recycle(std::mem::take(&mut self.slots));
        memory::recycle(std::mem::take(&mut self.bytes));
        memory::recycle(std::mem::take(&mut self.ends));
    }
}

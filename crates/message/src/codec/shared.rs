//! Messages for several consumers: once, and for which consumers they are; an entry of a shared log.
//!
//! In: a batch and the selection of each consumer. Out: bytes with only the messages that somebody gets, each once;
//! and from them the messages of one consumer. Described in `docs/format/shared-log.md`.
//! Limits: [`CONSUMERS_MAX`] consumers; decoding is safe on any bytes.

use super::CodecError;
use crate::{Batch, Selection};
use std::fmt;

/// Most consumers of a log: each is one bit of a number.
pub const CONSUMERS_MAX: usize = 64;

/// Version of the layout.
const VERSION: u8 = 1;
/// Version, number of shares, two zero bytes, number of messages.
const START_BYTES: usize = 8;
/// Consumers, number of words of the selection.
const SHARE_BYTES: usize = 12;
const WORD_BYTES: usize = 8;

/// Some consumers of a log, one bit for each number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConsumerSet(pub u64);

impl ConsumerSet {
    /// All that there may be.
    pub const ALL: ConsumerSet = ConsumerSet(u64::MAX);

    /// The set of one consumer.
    pub fn of(number: usize) -> ConsumerSet {
        debug_assert!(number < CONSUMERS_MAX, "consumer {number}");
        ConsumerSet(1 << number)
    }

    /// Returns whether a consumer is one of them.
    pub fn has(self, number: usize) -> bool {
        self.0 >> number & 1 == 1
    }

    /// Returns those of both sets.
    pub fn or(self, other: ConsumerSet) -> ConsumerSet {
        ConsumerSet(self.0 | other.0)
    }
}

/// The messages of a batch that some consumers get.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryShare {
    /// Consumers that get the same messages.
    pub consumers: ConsumerSet,
    /// These messages.
    pub selection: Selection,
}

/// Joins the shares of consumers that get the same messages. Returns them, and all messages that somebody gets.
pub fn shares<'a>(parts: impl Iterator<Item = (usize, &'a Selection)>) -> (Vec<EntryShare>, Selection) {
    let mut shares: Vec<EntryShare> = Vec::new();
    for (number, selection) in parts {
        let consumers = ConsumerSet::of(number);
        match shares.iter_mut().find(|share| share.selection == *selection) {
            Some(share) => share.consumers = share.consumers.or(consumers),
            None => shares.push(EntryShare { consumers, selection: selection.clone() }),
        }
    }
    let mut all = shares.first().map_or_else(|| Selection::none(0), |share| share.selection.clone());
    shares.iter().skip(1).for_each(|share| all.or(&share.selection));
    (shares, all)
}

/// Appends an entry. `all` are the messages of all shares.
pub fn encode(batch: &Batch, shares: &[EntryShare], all: &Selection, out: &mut Vec<u8>) {
    debug_assert!(!shares.is_empty() && shares.len() <= CONSUMERS_MAX, "{} shares", shares.len());
    let count = all.count();
    out.extend([VERSION, shares.len() as u8, 0, 0]);
    out.extend((count as u32).to_le_bytes());
    for EntryShare { consumers, selection } in shares {
        out.extend(consumers.0.to_le_bytes());
        if selection == all {
            out.extend(0u32.to_le_bytes());
            continue;
        }
        let mut dense = Selection::none(count);
        let places = all.iter().enumerate().filter(|(_, index)| selection.has(*index));
        places.for_each(|(place, _)| dense.add(place));
        out.extend((dense.words().len() as u32).to_le_bytes());
        dense.words().iter().for_each(|word| out.extend(word.to_le_bytes()));
    }
    super::encode(batch, all, out);
}

/// The reason why an entry cannot be read.
#[derive(Debug)]
pub enum EntryError {
    /// Its first bytes are not those of an entry.
    Malformed,
    /// The messages cannot be read.
    Batch(CodecError),
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryError::Malformed => f.write_str("it is no entry of a shared log"),
            EntryError::Batch(error) => write!(f, "its messages cannot be read: {error:?}"),
        }
    }
}

/// The consumers of an entry and their messages, before the messages themselves are read.
pub struct Entry<'a> {
    messages: usize,
    shares: Vec<(ConsumerSet, &'a [u8])>,
    batch: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Reads everything except the messages.
    pub fn parse(bytes: &'a [u8]) -> Result<Entry<'a>, EntryError> {
        Entry::read(bytes).ok_or(EntryError::Malformed)
    }

    fn read(bytes: &'a [u8]) -> Option<Entry<'a>> {
        let (start, mut rest) = bytes.split_at_checked(START_BYTES)?;
        let [VERSION, count, 0, 0] = *start.first_chunk()? else { return None };
        let messages = u32::from_le_bytes(*start.last_chunk()?) as usize;
        let mut shares = Vec::new();
        for _ in 0..count {
            let (share, after) = rest.split_at_checked(SHARE_BYTES)?;
            let consumers = ConsumerSet(u64::from_le_bytes(*share.first_chunk()?));
            let words = u32::from_le_bytes(*share.last_chunk()?) as usize;
            if words != 0 && words != messages.div_ceil(64) {
                return None;
            }
            let (words, after) = after.split_at_checked(words * WORD_BYTES)?;
            shares.push((consumers, words));
            rest = after;
        }
        Some(Entry { messages, shares, batch: rest })
    }

    /// Returns how many messages it has for all consumers together.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Returns all consumers that get something of it.
    pub fn consumers(&self) -> ConsumerSet {
        self.shares.iter().fold(ConsumerSet::default(), |all, (consumers, _)| all.or(*consumers))
    }

    /// Returns the messages of a consumer; `None` when it gets none.
    pub fn selection(&self, number: usize) -> Option<Selection> {
        let (_, words) = self.shares.iter().find(|(consumers, _)| consumers.has(number))?;
        if words.is_empty() {
            return Some(Selection::all(self.messages));
        }
        let mut selection = Selection::none(self.messages);
        for index in 0..self.messages {
            let is_set = words.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1);
            if is_set {
                selection.add(index);
            }
        }
        Some(selection)
    }

    /// Reads the messages of all consumers.
    pub fn batch(&self) -> Result<Batch, EntryError> {
        let batch = super::decode(self.batch).map_err(EntryError::Batch)?;
        if batch.len() == self.messages { Ok(batch) } else { Err(EntryError::Malformed) }
    }
}

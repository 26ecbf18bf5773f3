//! Numbers that a sender gave its messages, and what a journal has of them: the base of "exactly once".
//!
//! In: the numbers of batches that were made durable. Out: which of them are there already when the same messages
//! come again. Holds: runs of numbers of each stream, until they can never come again.
//! Limits: [`STREAMS_MAX`] streams; the windows of senders bound the numbers of a stream.

mod known;
mod repeats;

pub use known::KnownNumbers;
pub use repeats::Repeats;

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Most streams whose numbers are remembered. The one that was used the longest time ago goes first.
pub const STREAMS_MAX: usize = 16_384;

/// Identifies a stream of numbered messages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StreamKey {
    /// The sender, as far as it has proved who it is.
    pub sender: Arc<str>,
    /// Random; drawn when the sender's queue was created.
    pub epoch: u64,
    /// One of several streams of that queue.
    pub stream: u8,
}

/// A stream that messages are arriving on.
#[derive(Debug)]
pub struct NumberedStream {
    /// Its identity.
    pub key: StreamKey,
    /// Messages below this number will never come again, even after a loss of power.
    settled_below: AtomicU64,
}

impl NumberedStream {
    /// Creates a stream whose messages below `settled_below` never come again.
    pub fn new(key: StreamKey, settled_below: u64) -> NumberedStream {
        NumberedStream { key, settled_below: AtomicU64::new(settled_below) }
    }

    /// Notes that messages below a number never come again.
    pub fn settle(&self, below: u64) {
        self.settled_below.fetch_max(below, Ordering::AcqRel);
    }

    /// Returns the number below which messages never come again.
    pub fn settled_below(&self) -> u64 {
        self.settled_below.load(Ordering::Acquire)
    }
}

/// The numbers of the messages of a batch.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// Their stream.
    pub stream: Arc<NumberedStream>,
    numbers: Numbers,
}

#[derive(Clone, Debug)]
enum Numbers {
    /// The number of the first message; the others follow it.
    From(u64),
    /// The number of each message.
    Each(Arc<[u64]>),
}

impl Numbering {
    /// Numbers messages one after the other.
    pub fn dense(stream: Arc<NumberedStream>, first: u64) -> Numbering {
        Numbering { stream, numbers: Numbers::From(first) }
    }

    /// Gives each message its own number.
    pub fn sparse(stream: Arc<NumberedStream>, numbers: Vec<u64>) -> Numbering {
        Numbering { stream, numbers: Numbers::Each(numbers.into()) }
    }

    /// Returns the number of a message; `None` for one that was added to the batch later.
    pub fn number(&self, index: usize) -> Option<u64> {
        match &self.numbers {
            Numbers::From(first) => first.checked_add(index as u64),
            Numbers::Each(numbers) => numbers.get(index).copied(),
        }
    }

    /// Returns the numbers of some messages, for a dense copy of them.
    pub fn of_some(&self, indices: impl Iterator<Item = usize>) -> Numbering {
        let numbers = indices.map_while(|index| self.number(index)).collect();
        Numbering::sparse(self.stream.clone(), numbers)
    }

    /// Returns the numbers of some messages as runs, in the order of the messages.
    pub fn runs(&self, indices: impl Iterator<Item = usize>) -> Vec<Range<u64>> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for number in indices.filter_map(|index| self.number(index)) {
            match runs.last_mut() {
                Some(run) if run.end == number => run.end += 1,
                _ => runs.push(number..number.saturating_add(1)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests;

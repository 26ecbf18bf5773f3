//! The deliveries of one consumer that are on their way: passed to the destination's thread and not written yet.
//!
//! In: deliveries in the order of the log, completions in any order. Out: the number below which everything is
//! settled, and what is settled above it. Holds: one entry for each delivery.
//! Limits: no more is passed on than fits in memory.

use std::{collections::VecDeque, ops::Range};

/// Deliveries in flight, oldest first.
#[derive(Default)]
pub(super) struct InFlight {
    list: VecDeque<Flight>,
    /// Number of the oldest one, counted from the first ever.
    first: u64,
    /// Everything in the log below was passed on, or is not for this consumer.
    handed: u64,
    /// Messages that were settled while they were in the log.
    finished: u64,
    /// Deliveries below were given up in the log, because the consumer drops its oldest messages: they are only in
    /// memory.
    abandoned_below: u64,
    messages: usize,
    bytes: usize,
}

struct Flight {
    /// Its sequence numbers in the log.
    range: Range<u64>,
    messages: usize,
    bytes: usize,
    is_done: bool,
}

/// The state of a consumer that survives a restart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Settled {
    /// Everything below this sequence number is settled.
    pub(super) below: u64,
    /// Settled ranges above it, ascending, with gaps between them.
    pub(super) ranges: Vec<Range<u64>>,
}

impl Settled {
    /// Returns true when all of a range is settled.
    pub(super) fn has(&self, range: &Range<u64>) -> bool {
        range.end <= self.below
            || self.ranges.iter().any(|known| known.start <= range.start && range.end <= known.end)
    }
}

impl InFlight {
    /// Nothing is in flight; everything below `handed` is settled.
    pub(super) fn new(handed: u64) -> InFlight {
        InFlight { handed, ..InFlight::default() }
    }

    /// Adds the next delivery. Returns its number.
    pub(super) fn start(&mut self, range: Range<u64>, messages: usize, bytes: usize) -> u64 {
        debug_assert!(range.start >= self.handed, "{range:?} comes after {}", self.handed);
        self.handed = range.end;
        self.list.push_back(Flight { range, messages, bytes, is_done: false });
        self.messages += messages;
        self.bytes += bytes;
        self.first + self.list.len() as u64 - 1
    }

    /// Passes over a part of the log in which nothing is for this consumer, or can be read.
    pub(super) fn pass(&mut self, end: u64) {
        self.handed = self.handed.max(end);
    }

    fn flight(&mut self, number: u64) -> Option<&mut Flight> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.list.get_mut(index)
    }

    /// Notes that a delivery is settled.
    pub(super) fn finish(&mut self, number: u64) {
        let abandoned_below = self.abandoned_below;
        let Some(flight) = self.flight(number).filter(|flight| !flight.is_done) else { return };
        flight.is_done = true;
        if flight.range.start >= abandoned_below {
            self.finished += flight.messages as u64;
        }
        while let Some(flight) = self.list.pop_front_if(|flight| flight.is_done) {
            self.first += 1;
            self.messages -= flight.messages;
            self.bytes -= flight.bytes;
        }
    }

    /// Notes that a delivery will not be settled. Returns its messages that are not in the log: they are lost.
    pub(super) fn fail(&mut self, number: u64) -> usize {
        let abandoned_below = self.abandoned_below;
        let flight = self.flight(number).filter(|flight| !flight.is_done);
        let lost =
            flight.filter(|flight| flight.range.start < abandoned_below).map_or(0, |flight| flight.messages);
        if lost > 0 {
            self.finish(number);
        }
        lost
    }

    /// Gives up, in the log, everything below a sequence number. Returns how many messages are in flight below it:
    /// they are only in memory from now on.
    pub(super) fn abandon(&mut self, below: u64) -> u64 {
        let was = self.abandoned_below;
        let flights = self.list.iter().filter(|flight| !flight.is_done);
        let lost = flights.filter(|flight| (was..below).contains(&flight.range.start));
        let lost = lost.map(|flight| flight.messages as u64).sum();
        self.abandoned_below = was.max(below);
        self.handed = self.handed.max(below);
        lost
    }

    /// Returns the sequence number below which everything is settled.
    pub(super) fn lowest(&self) -> u64 {
        let oldest = self.list.front().map_or(self.handed, |flight| flight.range.start);
        oldest.max(self.abandoned_below)
    }

    /// Returns what is settled, with at most `most` ranges; and how many settled messages are in none of them.
    pub(super) fn settled(&self, most: usize) -> (Settled, u64) {
        let mut settled = Settled { below: self.lowest(), ranges: Vec::new() };
        let mut left_out = 0;
        let mut open: Option<Range<u64>> = None;
        for flight in self.list.iter().filter(|flight| flight.range.start >= self.abandoned_below) {
            if !flight.is_done {
                settled.ranges.extend(open.take());
            } else if let Some(range) = &mut open {
                range.end = flight.range.end;
            } else if settled.ranges.len() < most {
                open = Some(flight.range.clone());
            } else {
                left_out += flight.messages as u64;
            }
        }
        settled.ranges.extend(open);
        (settled, left_out)
    }

    /// Returns the sequence number up to which everything was passed on.
    pub(super) fn handed(&self) -> u64 {
        self.handed
    }

    /// Returns how many messages were settled while they were in the log.
    pub(super) fn finished(&self) -> u64 {
        self.finished
    }

    /// Returns how many messages of the log are on their way.
    pub(super) fn outstanding(&self) -> u64 {
        let flights = self.list.iter().filter(|flight| !flight.is_done);
        let flights = flights.filter(|flight| flight.range.start >= self.abandoned_below);
        flights.map(|flight| flight.messages as u64).sum()
    }

    /// Returns how many messages and bytes are on their way.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.messages, self.bytes)
    }
}

#[cfg(test)]
mod tests;

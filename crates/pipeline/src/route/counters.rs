//! Counters of paths, filters and parsers, added to once per batch.
//!
//! In: numbers of messages. Out: sums, readable at any time. Limits: they wrap after 2^64.

use crate::parser::Parser;
use message::{Ack, Batch, Selection};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use template::Renderer;

/// Counts of messages that matched a filter and that did not.
#[derive(Debug, Default)]
pub struct FilterCounters {
    matched: AtomicU64,
    not_matched: AtomicU64,
}

impl FilterCounters {
    /// Returns the number of messages for which it held.
    pub fn matched(&self) -> u64 {
        self.matched.load(Relaxed)
    }

    /// Returns the number of messages for which it did not hold.
    pub fn not_matched(&self) -> u64 {
        self.not_matched.load(Relaxed)
    }

    /// Sets them to zero.
    pub fn reset(&self) {
        [&self.matched, &self.not_matched].iter().for_each(|counter| counter.store(0, Relaxed));
    }

    pub(super) fn add(&self, matched: usize, not_matched: usize) {
        self.matched.fetch_add(matched as u64, Relaxed);
        self.not_matched.fetch_add(not_matched as u64, Relaxed);
    }
}

/// Counts of messages that the parsers of one name read, could not read, and made.
#[derive(Debug, Default)]
pub struct ParserCounters {
    processed: AtomicU64,
    discarded: AtomicU64,
    made: AtomicU64,
}

impl ParserCounters {
    /// Returns the number of messages that reached it.
    pub fn processed(&self) -> u64 {
        self.processed.load(Relaxed)
    }

    /// Returns the number of these messages that it stopped.
    pub fn discarded(&self) -> u64 {
        self.discarded.load(Relaxed)
    }

    /// Returns the number of messages that it made.
    pub fn made(&self) -> u64 {
        self.made.load(Relaxed)
    }

    /// Sets them to zero.
    pub fn reset(&self) {
        [&self.processed, &self.discarded, &self.made].iter().for_each(|counter| counter.store(0, Relaxed));
    }

    fn add(&self, processed: usize, discarded: usize, made: &[Batch]) {
        self.processed.fetch_add(processed as u64, Relaxed);
        self.discarded.fetch_add(discarded as u64, Relaxed);
        self.made.fetch_add(made.iter().map(|batch| batch.len() as u64).sum(), Relaxed);
    }
}

/// A parser that counts.
pub struct CountedParser {
    parser: Arc<dyn Parser>,
    counters: Arc<ParserCounters>,
}

impl CountedParser {
    /// Joins a parser and its counters.
    pub fn new(parser: Arc<dyn Parser>, counters: Arc<ParserCounters>) -> CountedParser {
        CountedParser { parser, counters }
    }
}

impl Parser for CountedParser {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let read = self.parser.parse(batch, within, renderer);
        self.counters.add(within.count(), within.count() - read.count(), &[]);
        read
    }

    fn parse_making(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        let before = made.len();
        let read = self.parser.parse_making(batch, within, renderer, made);
        self.counters.add(within.count(), within.count() - read.count(), &made[before..]);
        read
    }

    fn parse_waiting(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        ack: &Ack,
    ) -> Selection {
        let read = self.parser.parse_waiting(batch, within, renderer, ack);
        self.counters.add(within.count(), within.count() - read.count(), &[]);
        read
    }

    fn waits(&self) -> bool {
        self.parser.waits()
    }

    fn consumes(&self) -> bool {
        self.parser.consumes()
    }

    fn is_timed(&self) -> bool {
        self.parser.is_timed()
    }

    fn close(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let before = made.len();
        self.parser.close(renderer, made);
        self.counters.add(0, 0, &made[before..]);
    }

    fn tick(&self, renderer: &mut Renderer, made: &mut Vec<Batch>) {
        let before = made.len();
        self.parser.tick(renderer, made);
        self.counters.add(0, 0, &made[before..]);
    }
}

/// Counts of messages that some path took and that none did.
#[derive(Debug, Default)]
pub struct RouterCounters {
    routed: AtomicU64,
    unrouted: AtomicU64,
}

impl RouterCounters {
    /// Returns the number of messages of sources that a path took.
    pub fn routed(&self) -> u64 {
        self.routed.load(Relaxed)
    }

    /// Sets them to zero.
    pub fn reset(&self) {
        [&self.routed, &self.unrouted].iter().for_each(|counter| counter.store(0, Relaxed));
    }

    /// Returns the number of messages of sources that every path stopped, or that no path takes.
    pub fn unrouted(&self) -> u64 {
        self.unrouted.load(Relaxed)
    }

    pub(super) fn add(&self, routed: usize, unrouted: usize) {
        self.routed.fetch_add(routed as u64, Relaxed);
        self.unrouted.fetch_add(unrouted as u64, Relaxed);
    }
}

/// Counts of messages that entered a path and that reached its end or its destinations.
#[derive(Debug, Default)]
pub struct PathCounters {
    ingress: AtomicU64,
    egress: AtomicU64,
}

impl PathCounters {
    /// Returns the number of messages that entered.
    pub fn ingress(&self) -> u64 {
        self.ingress.load(Relaxed)
    }

    /// Returns the number of messages that no step of it stopped.
    pub fn egress(&self) -> u64 {
        self.egress.load(Relaxed)
    }

    /// Sets them to zero.
    pub fn reset(&self) {
        [&self.ingress, &self.egress].iter().for_each(|counter| counter.store(0, Relaxed));
    }

    pub(super) fn add(&self, ingress: usize, egress: usize) {
        self.ingress.fetch_add(ingress as u64, Relaxed);
        self.egress.fetch_add(egress as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests;

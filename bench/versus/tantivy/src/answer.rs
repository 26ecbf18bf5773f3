//! One pass over the messages that a query finds: count, 30 bars, the newest 200, and the most common hosts
//! if requested.
//!
//! In: document numbers of a segment. Out: figures that are merged. Holds: a heap of 200 and a count for each
//! host.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};
use tantivy::{
    DocId, Score, SegmentOrdinal, SegmentReader,
    collector::{Collector, SegmentCollector},
    columnar::{Column, StrColumn},
};

const BARS: usize = 30;
const NEWEST: usize = 200;
const TOP: usize = 10;

/// When a message was received, and its address in the index.
type Hit = (u64, SegmentOrdinal, DocId);

/// The parts of an answer besides the count.
#[derive(Clone, Copy)]
pub(crate) struct AnswerParts {
    /// The most common hosts.
    pub(crate) hosts: bool,
    /// Bars and the newest messages.
    pub(crate) messages: bool,
}

/// The collector.
pub(crate) struct Everything {
    /// Number of messages in the index: there is one each millisecond.
    pub(crate) messages: u64,
    /// The parts that are wanted besides the count.
    pub(crate) parts: AnswerParts,
}

/// The collected answer.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) total: u64,
    pub(crate) bars: [u64; BARS],
    /// The newest first.
    pub(crate) newest: Vec<Hit>,
    hosts: HashMap<String, u64>,
}

impl Figures {
    /// The most common hosts and their counts.
    pub(crate) fn top_hosts(&self) -> Vec<(&str, u64)> {
        let mut hosts: Vec<_> = self.hosts.iter().map(|(host, count)| (host.as_str(), *count)).collect();
        hosts.sort_by_key(|(host, count)| (Reverse(*count), *host));
        hosts.truncate(TOP);
        hosts
    }
}

/// The same for one segment.
pub(crate) struct Segment {
    at_ms: Column<u64>,
    messages: u64,
    ordinal: SegmentOrdinal,
    found: Figures,
    newest: Option<BinaryHeap<Reverse<Hit>>>,
    hosts: Option<StrColumn>,
    host_counts: Vec<u64>,
    /// Values of one block; the buffer is reused.
    values: Vec<Option<u64>>,
}

impl Collector for Everything {
    type Fruit = Figures;
    type Child = Segment;

    fn for_segment(&self, ordinal: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<Segment> {
        let hosts = if self.parts.hosts { reader.fast_fields().str("host")? } else { None };
        Ok(Segment {
            at_ms: reader.fast_fields().u64("at_ms")?,
            messages: self.messages.max(1),
            ordinal,
            found: Figures::default(),
            newest: self.parts.messages.then(BinaryHeap::new),
            host_counts: vec![0; hosts.as_ref().map_or(0, |hosts| hosts.num_terms())],
            hosts,
            values: Vec::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, fruits: Vec<Figures>) -> tantivy::Result<Figures> {
        let mut all = Figures::default();
        for found in fruits {
            all.total += found.total;
            all.bars.iter_mut().zip(found.bars).for_each(|(all, bar)| *all += bar);
            all.newest.extend(found.newest);
            found.hosts.into_iter().for_each(|(host, count)| *all.hosts.entry(host).or_default() += count);
        }
        all.newest.sort_unstable_by_key(|hit| Reverse(*hit));
        all.newest.truncate(NEWEST);
        Ok(all)
    }
}

impl Segment {
    fn add(&mut self, document: DocId, at_ms: u64) {
        let Some(newest) = &mut self.newest else { return };
        let bar = (at_ms * BARS as u64 / self.messages) as usize;
        self.found.bars[bar.min(BARS - 1)] += 1;
        if newest.len() < NEWEST {
            newest.push(Reverse((at_ms, self.ordinal, document)));
        } else if newest.peek().is_some_and(|Reverse(oldest)| at_ms > oldest.0) {
            newest.pop();
            newest.push(Reverse((at_ms, self.ordinal, document)));
        }
    }
}

impl SegmentCollector for Segment {
    type Fruit = Figures;

    fn collect(&mut self, document: DocId, _: Score) {
        self.collect_block(&[document]);
    }

    fn collect_block(&mut self, documents: &[DocId]) {
        let mut values = std::mem::take(&mut self.values);
        self.found.total += documents.len() as u64;
        if self.newest.is_some() {
            values.clear();
            values.resize(documents.len(), None);
            self.at_ms.first_vals(documents, &mut values);
            documents.iter().zip(&values).for_each(|(document, at)| self.add(*document, at.unwrap_or(0)));
        }
        if let Some(hosts) = &self.hosts {
            values.clear();
            values.resize(documents.len(), None);
            hosts.ords().first_vals(documents, &mut values);
            for ordinal in values.iter().flatten() {
                self.host_counts[*ordinal as usize] += 1;
            }
        }
        self.values = values;
    }

    fn harvest(mut self) -> Figures {
        if let Some(hosts) = &self.hosts {
            for (ordinal, count) in self.host_counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let mut host = String::new();
                if let Ok(true) = hosts.ord_to_str(ordinal as u64, &mut host) {
                    self.found.hosts.insert(host, *count);
                }
            }
        }
        self.found.newest = self.newest.into_iter().flatten().map(|Reverse(hit)| hit).collect();
        self.found
    }
}

//! Measures the cost of a search outside the store: planning, bitmap algebra, buckets, rows, over segments that
//! answer at once.
//!
//! In: nothing. Out: median milliseconds per query, for ten segments of a million messages and two threads; then
//! the time that live tail needs to test one message.
//! Run: `cargo run --release -p query --example overhead_bench`.

use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, Document, Pattern, Phrase, PhraseAnswer, ReadError, SegmentView,
    Snapshot,
};
use query::{ParseOptions, Query, Search, search};
use std::{ops::Range, sync::Arc, time::Instant};

const SEGMENTS: u64 = 10;
const MESSAGES: u32 = 1_000_000;
const RUNS: usize = 21;

/// A segment with a message per millisecond; the length of a word says how rare it is.
struct Instantly {
    first: u64,
    /// Every fifth message.
    common: Bitmap,
}

impl Instantly {
    fn new(first: u64) -> Instantly {
        let mut common = Bitmap::none(MESSAGES);
        (0..MESSAGES).step_by(5).for_each(|id| common.add(id));
        Instantly { first, common }
    }

    fn id(&self, us: i64) -> u32 {
        (us / 1_000).saturating_sub(self.first as i64).clamp(0, i64::from(MESSAGES)) as u32
    }
}

impl SegmentView for Instantly {
    fn len(&self) -> u32 {
        MESSAGES
    }

    fn first_sequence(&self) -> u64 {
        self.first
    }

    fn received_range(&self) -> (i64, i64) {
        let first = self.first as i64 * 1_000;
        (first, first + i64::from(MESSAGES - 1) * 1_000)
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        self.id(from_us)..self.id(to_us)
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        edges_us.iter().map(|us| self.id(*us)).collect()
    }

    fn event_between(&self, _: i64, _: i64, _: &CancelToken) -> Result<Bitmap, ReadError> {
        Ok(Bitmap::all(MESSAGES))
    }

    fn event_times(&self, _: &Bitmap, _: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        Ok(())
    }

    fn words(&self, pattern: &Pattern, _: &CancelToken) -> Result<Bitmap, ReadError> {
        if matches!(pattern, Pattern::Exact(word) if word == b"rare") {
            let mut rare = Bitmap::none(MESSAGES);
            rare.add(MESSAGES / 2);
            return Ok(rare);
        }
        Ok(self.common.clone())
    }

    fn phrase(&self, _: &Phrase, _: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        Ok(PhraseAnswer { documents: self.common.clone(), sure: None })
    }

    fn values(&self, _: &Column, _: &Pattern, _: &CancelToken) -> Result<Bitmap, ReadError> {
        Ok(self.common.clone())
    }

    fn count_values(
        &self,
        _: &Column,
        documents: &Bitmap,
        _: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        add(b"gw1", documents.count());
        Ok(())
    }

    fn columns(&self) -> Vec<ColumnUse> {
        Vec::new()
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        _: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        let mut document = message();
        for id in documents {
            document.sequence = self.first + u64::from(id);
            if !visit(id, &document) {
                break;
            }
        }
        Ok(())
    }
}

fn message() -> Document {
    let text = b"Failed password for invalid user admin from 203.0.113.7 port 52144 ssh2".to_vec();
    Document { text, host: b"fra1-srv-005".to_vec(), program: b"sshd".to_vec(), ..Document::default() }
}

fn main() {
    time_searches();
    time_tail();
}

fn time_tail() {
    const ASKED: u32 = 200_000;
    println!("{:<44} {:>10}", "question asked of one message", "ns");
    let document = message();
    for text in [
        "failed",
        "failed AND root",
        "*ail*",
        "\"invalid user\"",
        "host:gw1",
        "/port [0-9]+ ssh2$/",
        "blocked",
    ] {
        let Ok(query) = Query::parse(text, &ParseOptions::default()) else {
            println!("{text} cannot be read");
            continue;
        };
        let mut matcher = query.matcher();
        let mut times: Vec<f64> = (0..5)
            .map(|_| {
                let start = Instant::now();
                let hits = (0..ASKED).filter(|_| matcher.matches(std::hint::black_box(&document))).count();
                std::hint::black_box(hits);
                start.elapsed().as_nanos() as f64 / f64::from(ASKED)
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{text:<44} {:>10.0}", times[times.len() / 2]);
    }
}

fn time_searches() {
    let view = |index: u64| Arc::new(Instantly::new(index * u64::from(MESSAGES))) as Arc<dyn SegmentView>;
    let snapshot = Snapshot {
        segments: (0..SEGMENTS).map(view).collect(),
        sequence: SEGMENTS * u64::from(MESSAGES),
        ..Snapshot::default()
    };
    println!("{:<44} {:>10} {:>10} {:>10}", "question", "read ms", "run ms", "hits");
    for text in [
        "rare",
        "common",
        "one AND two",
        "one OR two OR three OR four",
        "one NOT two",
        "\"one two\"",
        "host:gw1 AND common",
        "*",
        "host:/gw[0-9]+/ AND common",
    ] {
        let mut times: Vec<(u128, u128)> = Vec::new();
        let mut hits = 0;
        for _ in 0..RUNS {
            let start = Instant::now();
            let Ok(query) = Query::parse(text, &ParseOptions::default()) else {
                println!("{text} cannot be read");
                break;
            };
            let read = start.elapsed().as_micros();
            match search(&snapshot.clone().into(), &query, &Search::default()) {
                Ok(answer) => hits = answer.total,
                Err(error) => println!("{text}: {error}"),
            }
            times.push((start.elapsed().as_micros(), read));
        }
        times.sort_unstable();
        if let Some((total, read)) = times.get(times.len() / 2) {
            let (read, run) = (*read as f64 / 1e3, (total - read) as f64 / 1e3);
            println!("{text:<44} {read:>10.3} {run:>10.3} {hits:>10}");
        }
    }
}

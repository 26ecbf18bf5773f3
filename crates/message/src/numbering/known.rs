//! The numbers that a journal has: noted with every commit, written down before records are removed, read back at the start.
//!
//! In: numbers of durable messages. Out: runs of them; their bytes. Holds: a list of runs for each stream. A message
//! that reached the journal by two log paths is in two of them.
//! Limits: [`super::STREAMS_MAX`] streams; runs go when their messages can never come again.

use super::{NumberedStream, Numbering, STREAMS_MAX, StreamKey};
use crate::Selection;
use std::{collections::HashMap, ops::Range, sync::Arc};

/// How many of the newest runs are looked at for one that a new run continues: one for each log path.
const NEIGHBOURS: usize = 8;
/// Noted runs between two looks for those that can go.
const PRUNED_EVERY: u32 = 256;
const VERSION: u8 = 1;

/// The numbers that a journal has.
#[derive(Clone, Debug, Default)]
pub struct KnownNumbers {
    streams: HashMap<StreamKey, Runs>,
    noted: u32,
    /// Counts the uses of streams, to find the one that was used the longest time ago.
    clock: u64,
}

#[derive(Clone, Debug, Default)]
struct Runs {
    list: Vec<Range<u64>>,
    live: Option<Arc<NumberedStream>>,
    used: u64,
}

impl Runs {
    fn add(&mut self, run: Range<u64>) {
        let newest = self.list.iter_mut().rev().take(NEIGHBOURS);
        match newest.into_iter().find(|known| known.end == run.start) {
            Some(known) => known.end = run.end,
            None => self.list.push(run),
        }
    }

    fn prune(&mut self) {
        let Some(below) = self.live.as_ref().map(|stream| stream.settled_below()) else { return };
        self.list.retain_mut(|run| {
            run.start = run.start.max(below);
            run.start < run.end
        });
    }
}

impl KnownNumbers {
    /// Returns true when nothing has to be remembered.
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// Notes that messages are in the journal.
    pub fn note(&mut self, numbering: &Numbering, selection: &Selection) {
        let runs = numbering.runs(selection.iter());
        self.note_runs(&numbering.stream.key, &runs, Some(&numbering.stream));
        self.noted += 1;
        if self.noted.is_multiple_of(PRUNED_EVERY) {
            self.prune();
        }
    }

    /// Notes numbers that a record of the journal has.
    pub fn note_record(&mut self, key: &StreamKey, runs: &[Range<u64>]) {
        self.note_runs(key, runs, None);
    }

    fn note_runs(&mut self, key: &StreamKey, runs: &[Range<u64>], live: Option<&Arc<NumberedStream>>) {
        self.clock += 1;
        if !self.streams.contains_key(key) {
            self.make_room();
        }
        let of = self.streams.entry(key.clone()).or_default();
        of.used = self.clock;
        if let Some(stream) = live {
            of.live = Some(stream.clone());
        }
        runs.iter().for_each(|run| of.add(run.clone()));
    }

    fn make_room(&mut self) {
        if self.streams.len() < STREAMS_MAX {
            return;
        }
        let oldest = self.streams.iter().min_by_key(|(_, runs)| runs.used).map(|(key, _)| key.clone());
        oldest.into_iter().for_each(|key| drop(self.streams.remove(&key)));
    }

    /// Removes what can never come again.
    pub fn prune(&mut self) {
        self.streams.values_mut().for_each(Runs::prune);
    }

    /// Returns the streams with their runs.
    pub(super) fn into_runs(self) -> impl Iterator<Item = (StreamKey, Vec<Range<u64>>)> {
        self.streams.into_iter().map(|(key, runs)| (key, runs.list)).filter(|(_, list)| !list.is_empty())
    }

    /// Appends its bytes, with the sequence number from which on records of the journal are not in it.
    pub fn encode(&self, records_below: u64, out: &mut Vec<u8>) {
        let start = out.len();
        out.push(VERSION);
        out.extend_from_slice(&records_below.to_le_bytes());
        let mut streams: Vec<_> = self.streams.iter().filter(|(_, runs)| !runs.list.is_empty()).collect();
        streams.sort_by_key(|(key, _)| *key);
        out.extend_from_slice(&(streams.len() as u32).to_le_bytes());
        for (key, runs) in streams {
            out.extend_from_slice(&(key.sender.len() as u32).to_le_bytes());
            out.extend_from_slice(key.sender.as_bytes());
            out.extend_from_slice(&key.epoch.to_le_bytes());
            out.push(key.stream);
            out.extend_from_slice(&(runs.list.len() as u32).to_le_bytes());
            for run in &runs.list {
                out.extend_from_slice(&run.start.to_le_bytes());
                out.extend_from_slice(&run.end.to_le_bytes());
            }
        }
        debug_assert!(KnownNumbers::decode(&out[start..]).is_some(), "what is written can be read");
    }

    /// Reads its bytes, and the sequence number from which on records of the journal are not in it. `None` when they
    /// are damaged.
    pub fn decode(bytes: &[u8]) -> Option<(KnownNumbers, u64)> {
        let mut rest = Rest(bytes);
        if rest.byte()? != VERSION {
            return None;
        }
        let records_below = rest.eight()?;
        let mut taken = KnownNumbers::default();
        for _ in 0..rest.four()? {
            let length = rest.four()? as usize;
            let sender = std::str::from_utf8(rest.bytes(length)?).ok()?;
            let (epoch, stream) = (rest.eight()?, rest.byte()?);
            let key = StreamKey { sender: sender.into(), epoch, stream };
            let mut runs = Runs::default();
            for _ in 0..rest.four()? {
                let run = rest.eight()?..rest.eight()?;
                if run.start < run.end {
                    runs.list.push(run);
                }
            }
            taken.make_room();
            taken.streams.insert(key, runs);
        }
        rest.0.is_empty().then_some((taken, records_below))
    }
}

/// Bytes that are read from the front.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn four(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.bytes(4)?.first_chunk()?))
    }

    fn eight(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.bytes(8)?.first_chunk()?))
    }
}

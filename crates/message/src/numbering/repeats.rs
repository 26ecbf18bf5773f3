//! Drops messages that a journal already had when the program started, and that their senders send again because
//! they did not learn of it.
//!
//! In: selections of numbered messages. Out: the same without those messages. Holds: what the journal had, until it came again or never
//! will. Limits: those of [`KnownNumbers`].

use super::{KnownNumbers, NumberedStream, Numbering, StreamKey};
use crate::Selection;
use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The numbers that a journal had at the start.
#[derive(Debug, Default)]
pub struct Repeats {
    streams: Mutex<HashMap<StreamKey, Vec<Range<u64>>>>,
    /// False when nothing is left to look for, which is nearly always.
    has_any: AtomicBool,
}

impl Repeats {
    /// Remembers what a journal has.
    pub fn of(taken: KnownNumbers) -> Repeats {
        let streams: HashMap<_, _> = taken.into_runs().collect();
        Repeats { has_any: AtomicBool::new(!streams.is_empty()), streams: Mutex::new(streams) }
    }

    /// Deselects the messages that are in the journal already. Returns how many.
    pub fn sift(&self, numbering: &Numbering, selection: &mut Selection) -> usize {
        if !self.has_any.load(Ordering::Relaxed) {
            return 0;
        }
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(runs) = streams.get_mut(&numbering.stream.key) else { return 0 };
        forget_settled(runs, &numbering.stream);
        let mut known = Selection::none(selection.batch_len());
        for index in selection.iter() {
            if numbering.number(index).is_some_and(|number| take_out(runs, number)) {
                known.add(index);
            }
        }
        if runs.is_empty() {
            streams.remove(&numbering.stream.key);
            self.has_any.store(!streams.is_empty(), Ordering::Relaxed);
        }
        drop(streams);
        let count = known.count();
        if count > 0 {
            selection.subtract(&known);
        }
        count
    }
}

/// Removes what never comes again.
fn forget_settled(runs: &mut Vec<Range<u64>>, stream: &NumberedStream) {
    let below = stream.settled_below();
    runs.retain_mut(|run| {
        run.start = run.start.max(below);
        run.start < run.end
    });
}

/// Removes a number from the first run that has it. Returns false when none has it.
fn take_out(runs: &mut Vec<Range<u64>>, number: u64) -> bool {
    let Some(at) = runs.iter().position(|run| run.contains(&number)) else { return false };
    let run = runs[at].clone();
    // Nearly always the first one of the run.
    if number == run.start {
        runs[at].start += 1;
    } else {
        runs[at].end = number;
        if number + 1 < run.end {
            runs.insert(at + 1, number + 1..run.end);
        }
    }
    if runs[at].is_empty() {
        runs.remove(at);
    }
    true
}

//! The builder thread: makes durable messages searchable.
//!
//! In: durable messages, live or read back from the journal. Out: the active segment, published every `refresh`;
//! complete segments, passed to the sealer.
//! Holds: the active segment. Limits: a segment is complete at `segment_messages_max`, at `segment_bytes_max`, at
//! `segment_memory_max`, at the end of its day (UTC), and where the journal lost messages; when the sealer lags, the
//! builder waits.

mod replay;

use crate::{
    files::{journal_cipher::JournalCipher, layout::day_of},
    options::Notice,
    segments::{Growing, Segments},
    shared::{
        Shared, Stored,
        queue::{PopResult, Queue},
    },
};
use journal::{ReadError, Reader};
use lookup::Locked;
use message::{Batch, Selection};
use std::{
    ops::Range,
    sync::{Arc, atomic::Ordering::Relaxed, mpsc::SyncSender},
    time::{Duration, Instant},
};

/// How often to check for the end of the day when no messages come.
const IDLE: Duration = Duration::from_secs(1);

/// A batch is added in parts of at most this fraction of a segment's memory: a message takes several times as much
/// memory in a segment as in a batch.
const PARTS_OF_MEMORY: u64 = 16;

/// Bytes to wait for when more messages are not to be published yet: a thread that is woken for each batch costs more
/// than the work.
const GATHERED_BYTES: u64 = 128 << 10;

/// Most bytes taken at once, so that their space is soon free for others.
const TAKEN_BYTES_MAX: u64 = 4 << 20;

/// The builder thread's state.
pub(crate) struct Builder {
    shared: Arc<Shared>,
    seals: Arc<Queue<Box<dyn Growing>>>,
    active: Box<dyn Growing>,
    /// Most messages of a segment.
    messages_max: usize,
    /// Received bytes in the active segment.
    active_bytes: u64,
    /// Values without a column in the active segment that are counted already.
    uncolumned: u64,
    /// The same for the previous segment.
    uncolumned_before: u64,
    published: Instant,
    dirty: bool,
}

impl Builder {
    /// Creates a builder whose next message has this sequence number.
    pub(crate) fn new(
        shared: Arc<Shared>,
        seals: Arc<Queue<Box<dyn Growing>>>,
        segments: &dyn Segments,
        next: u64,
    ) -> Builder {
        let active = segments.begin(next);
        let messages_max = shared.options.segment_messages_max.clamp(1, segments.messages_max()) as usize;
        Builder {
            shared,
            seals,
            active,
            messages_max,
            active_bytes: 0,
            uncolumned: 0,
            uncolumned_before: 0,
            published: Instant::now(),
            dirty: false,
        }
    }

    /// Reads back what the journal has below `end`, signals `done`, and works until the queue is closed and empty.
    pub(crate) fn run(
        mut self,
        mut reader: Reader,
        end: u64,
        cipher: &JournalCipher,
        done: &SyncSender<Result<(), ReadError>>,
    ) {
        let notices = Arc::clone(&self.shared.notices);
        while let Err(error) = self.replay(&mut reader, end, cipher, &*notices) {
            // If the opener no longer waits, this is tried again: without the messages nothing can continue.
            let text = error.to_string();
            if done.send(Err(error)).is_ok() || self.shared.unbuilt.is_closed() {
                return;
            }
            self.shared.complain(Notice::UpkeepFailed { error: text });
            self.shared.unbuilt.pause(self.shared.options.retry);
        }
        self.shared.segment_set.started(end);
        // The sealer records the losses.
        self.seals.nudge();
        // The opener may have stopped waiting.
        let _ = done.send(Ok(()));
        loop {
            let refresh = self.published + self.shared.options.refresh;
            let deadline = if self.dirty { refresh } else { Instant::now() + IDLE };
            if self.dirty {
                self.shared
                    .unbuilt
                    .linger(GATHERED_BYTES.min(self.shared.options.unbuilt_bytes_max / 2), refresh);
            }
            match self.shared.unbuilt.take(TAKEN_BYTES_MAX, deadline) {
                PopResult::Closed => return,
                PopResult::Nothing => self.end_day(self.shared.clock.wall_us()),
                PopResult::Items(parts) => {
                    for Stored { batch, selection, first } in parts {
                        self.add(&batch, &selection, first);
                    }
                }
            }
            self.complete_for_waiters();
            self.publish_when_due();
        }
    }

    /// Completes the active segment for waiting callers, once it has everything that was durable when they began to
    /// wait.
    fn complete_for_waiters(&mut self) {
        let next = self.next_sequence();
        if !self.shared.seal_waiters.are_due(next) {
            return;
        }
        self.complete(next);
        self.shared.seal_waiters.completed(next);
        self.shared.seal_waiters.sealed(self.shared.sealed_below.load(Relaxed));
    }

    /// Returns the sequence number of the next message.
    pub(crate) fn next_sequence(&self) -> u64 {
        self.active.first_sequence() + u64::from(self.active.len())
    }

    /// Adds messages, the first of which has a sequence number; those already there are left out.
    pub(crate) fn add(&mut self, batch: &Batch, selection: &Selection, first: u64) {
        let known = self.next_sequence().saturating_sub(first) as usize;
        let count = selection.count();
        let part_max = self.part_max(batch);
        if known > 0 || count > part_max {
            let wanted = known..count;
            for start in wanted.clone().step_by(part_max) {
                let end = wanted.end.min(start + part_max);
                let mut part = Selection::none(selection.batch_len());
                selection.iter().skip(start).take(end - start).for_each(|index| part.add(index));
                self.add_part(batch, &part, first + start as u64);
            }
        } else {
            self.add_part(batch, selection, first);
        }
    }

    /// Returns the most messages of a batch to add at once.
    fn part_max(&self, batch: &Batch) -> usize {
        let held = batch.held_bytes() as u64;
        let held_max = self.shared.options.segment_memory_max / PARTS_OF_MEMORY;
        if held <= held_max {
            return self.messages_max;
        }
        let share = batch.len() as u64 * held_max / held;
        self.messages_max.min(share as usize).max(1)
    }

    /// Adds messages that fit one segment and are not there yet.
    fn add_part(&mut self, batch: &Batch, selection: &Selection, first: u64) {
        if first > self.next_sequence() {
            self.skip_to(first);
        }
        debug_assert_eq!(first, self.next_sequence(), "messages without a gap");
        debug_assert!(selection.count() <= self.messages_max, "more messages than a segment may have");
        let room = self.messages_max.saturating_sub(self.active.len() as usize);
        let options = &self.shared.options;
        if selection.count() > room
            || self.active_bytes >= options.segment_bytes_max
            || self.active.memory_bytes() >= options.segment_memory_max
            || self.active.is_full()
        {
            self.complete(first);
        }
        self.end_day(batch.received.unix_us);
        self.active.append(batch, selection);
        debug_assert!(self.active.len() as usize <= self.messages_max, "a segment with too many messages");
        self.active_bytes +=
            selection.iter().map(|index| batch.messages[index].raw.len() as u64).sum::<u64>();
        self.dirty = true;
    }

    /// Records lost messages, received between the last added message and a time.
    pub(crate) fn lose(&self, numbers: Range<u64>, until_us: i64) {
        let next = self.next_sequence();
        let first = numbers.start.max(next.min(numbers.end));
        if first < numbers.end {
            let last = (!self.active.is_empty()).then(|| self.active.received_range().1);
            let from_us = last.or(self.shared.segment_set.newest_us()).unwrap_or(0).min(until_us);
            let received_us = (from_us, until_us);
            self.shared.lose(Locked { first, count: numbers.end - first, received_us });
        }
    }

    /// Leaves a gap where the journal lost messages.
    fn skip_to(&mut self, next: u64) {
        self.complete(next);
        self.active = self.active.begin_next(next);
    }

    /// Publishes if something was added and the last publication is long enough ago.
    pub(crate) fn publish_when_due(&mut self) {
        if self.dirty && self.published.elapsed() >= self.shared.options.refresh {
            self.publish();
        }
    }

    /// Publishes the added messages to all later snapshots.
    pub(crate) fn publish(&mut self) {
        self.count_uncolumned();
        self.shared.segment_set.refresh(self.active.view());
        (self.published, self.dirty) = (Instant::now(), false);
    }

    /// Counts the values without a column, and reports the first of a segment.
    fn count_uncolumned(&mut self) {
        let count = self.active.values_without_column();
        if count > 0 && self.uncolumned == 0 {
            let first = self.active.first_sequence();
            self.shared.notices.notice(Notice::NamesCapped { first });
        }
        self.shared.counters.values_without_column.fetch_add(count - self.uncolumned, Relaxed);
        self.uncolumned = count;
        let most = count.max(self.uncolumned_before);
        self.shared.counters.values_without_column_now.store(most, Relaxed);
    }

    /// Completes the active segment when its day is over.
    fn end_day(&mut self, now_us: i64) {
        if !self.active.is_empty() && day_of(now_us) > day_of(self.active.received_range().0) {
            let next = self.next_sequence();
            self.complete(next);
        }
    }

    /// Passes the active segment to the sealer, waiting while that is busy, and begins the next.
    fn complete(&mut self, next: u64) {
        if self.active.is_empty() {
            return;
        }
        self.count_uncolumned();
        self.uncolumned_before = std::mem::take(&mut self.uncolumned);
        let next = self.active.begin_next(next);
        let complete = std::mem::replace(&mut self.active, next);
        self.active_bytes = 0;
        self.dirty = false;
        self.shared.segment_set.freeze(complete.view());
        // A closing sealer takes no more segments: the journal keeps the messages.
        let _ = self.seals.put(complete, 1);
    }
}

#[cfg(test)]
mod tests;

//! One destination that reads a shared log, as the log's thread sees it.
//!
//! In: entries of the log. Out: deliveries for the destination's thread, its progress. Holds: its file, deliveries
//! that do not fit under its limit, a reader while it is behind. Limits: `capacity-bytes()` is how far it may be behind.

use super::{
    backlog::{self, Backlog},
    file_index::FileIndex,
    files::{Backlogs, LogFiles, file_bytes},
    in_flight::Settled,
    inbox::{ConsumerPart, Inbox},
    progress::{Progress, ProgressFile, RANGES_MAX},
};
use crate::{
    options::{DiskBuffer, OverflowPolicy, Victim},
    queue::FullMemory,
    spool::aside::keep_file,
    worker::DestinationQueue,
};
use journal::{Journal, Read, Reader};
use message::{Ack, Delivery, RecordId, Selection, codec::shared::Entry};
use std::{
    collections::VecDeque,
    io,
    ops::Range,
    sync::{Arc, atomic::Ordering},
};
use transport::{
    InternalLog,
    stats::{self, DropReason},
};

/// Parts of its capacity from which on a consumer moves out of the log, because most of that is not for it.
const CROWDED_PART: (u64, u64) = (3, 4);
/// Parts of its capacity from which on it moves out whatever the log has: others make it longer.
const LONG_PART: (u64, u64) = (9, 8);
/// Files of the log after which more is moved to a backlog that there is already.
const MOVED_FILES: u64 = 2;

/// A consumer.
pub(super) struct Consumer {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) settings: DiskBuffer,
    pub(super) queue: Arc<DestinationQueue>,
    pub(super) file: ProgressFile,
    /// The ranges that were settled before it started, above the number below which everything was.
    resumed: Settled,
    /// Messages in the log for it since it started, and those that waited then: staged ones included, those that
    /// were given up not.
    messages: u64,
    /// Messages in the log that are not durable.
    pub(super) staged: u64,
    /// Deliveries that wait until it may be further behind.
    pub(super) held: VecDeque<ConsumerPart>,
    /// Reads messages that the destination's thread cannot take yet; `None` while it keeps up.
    reader: Option<ConsumerReader>,
    /// True when messages were dropped because it is too far behind, and this was reported.
    pub(super) is_overflowing: bool,
}

/// The parts of the log that a consumer uses.
pub(super) struct Context<'a> {
    pub(super) inbox: &'a Arc<Inbox>,
    pub(super) journal: &'a Journal,
    pub(super) index: &'a FileIndex,
    pub(super) backlogs: &'a Backlogs,
    pub(super) log: &'a InternalLog,
}

/// Reads what waits for a consumer: its backlog, then the log.
struct ConsumerReader {
    reader: Reader,
    is_backlog: bool,
    /// True when the rest of the backlog is damaged.
    is_exhausted: bool,
}

impl ConsumerReader {
    /// Continues at a sequence number.
    fn at(at: u64, backlog: Option<&Backlog>, journal: &Journal) -> ConsumerReader {
        let is_backlog = backlog.is_some_and(|backlog| backlog.holds(at));
        let reader = match backlog {
            Some(backlog) if is_backlog => backlog.reader(at),
            // Files that only others needed may be gone.
            Some(backlog) => {
                let first = journal.file_starts().first().copied().unwrap_or(0);
                journal.reader(at.max(backlog.moved()).max(first))
            }
            None => journal.reader(at),
        };
        ConsumerReader { reader, is_backlog, is_exhausted: false }
    }

    /// Turns to the journal that has the next entry.
    fn turn(&mut self, number: usize, context: &Context<'_>) {
        let at = self.reader.next_sequence();
        let backlog = context.backlogs.get(&number);
        if self.is_backlog && self.is_exhausted {
            let moved = backlog.map_or(at, Backlog::moved);
            *self = ConsumerReader::at(moved.max(at), backlog, context.journal);
        } else if self.is_backlog != backlog.is_some_and(|backlog| backlog.holds(at))
            || !self.is_backlog && backlog.is_some_and(|backlog| backlog.moved() > at)
        {
            *self = ConsumerReader::at(at, backlog, context.journal);
        }
    }
}

/// The result of one step of reading.
enum Step {
    /// Bytes of the log that were passed on.
    Passed(usize),
    /// It has caught up.
    CaughtUp,
}

impl Consumer {
    /// Starts a consumer whose file was opened.
    pub(super) fn new(
        (id, name): (String, String),
        settings: DiskBuffer,
        queue: Arc<DestinationQueue>,
        file: ProgressFile,
        files: &LogFiles,
    ) -> Consumer {
        let messages = file.saved.waiting;
        let resumed = file.saved.settled.clone();
        let backlog = files.backlogs.get(&file.identity.number);
        let reader = (messages > 0).then(|| ConsumerReader::at(resumed.below, backlog, &files.journal));
        queue.counters.disk_capacity.store(settings.capacity_bytes, Ordering::Relaxed);
        Consumer {
            id,
            name,
            settings,
            queue,
            file,
            resumed,
            messages,
            staged: 0,
            held: VecDeque::new(),
            reader,
            is_overflowing: false,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.file.identity.number
    }

    /// Returns the sequence number where it begins to read.
    pub(super) fn start(&self, journal: &Journal) -> u64 {
        if self.reader.is_some() { self.resumed.below } else { journal.durable_sequence() }
    }

    /// Returns how many messages wait in the log, those on their way to the destination included.
    pub(super) fn waiting(&self, inbox: &Inbox) -> u64 {
        self.messages.saturating_sub(inbox.in_flight(self.number(), |flights| flights.finished()))
    }

    /// Returns how many bytes are kept for it: of the log from the oldest message on that it has not settled, and of its backlog.
    pub(super) fn lag(&self, context: &Context<'_>) -> u64 {
        if self.waiting(context.inbox) == 0 {
            return 0;
        }
        let lowest = self.lowest(context);
        let backlog = context.backlogs.get(&self.number());
        let moved = backlog.map_or(0, |backlog| backlog.bytes_from(lowest));
        moved + self.log_bytes(context) + context.journal.staged_bytes() as u64
    }

    fn lowest(&self, context: &Context<'_>) -> u64 {
        context.inbox.in_flight(self.number(), |flights| flights.lowest())
    }

    /// Returns how many bytes of the log are kept for it.
    fn log_bytes(&self, context: &Context<'_>) -> u64 {
        let lowest = self.lowest(context);
        match context.backlogs.get(&self.number()).map(|backlog| backlog.moved().max(lowest)) {
            None => context.journal.bytes_from(lowest),
            Some(from) if from >= context.journal.durable_sequence() => 0,
            Some(from) => context.journal.bytes_from(from),
        }
    }

    /// Returns true when it must move out of the log, because what others get makes the log long behind it. One that drops its oldest
    /// messages drops them instead.
    pub(super) fn must_move(&self, context: &Context<'_>) -> bool {
        if self.settings.on_full == OverflowPolicy::Drop(Victim::Oldest) || self.waiting(context.inbox) == 0 {
            return false;
        }
        let (lowest, capacity) = (self.lowest(context), self.settings.capacity_bytes);
        let backlog = context.backlogs.get(&self.number());
        let bytes = self.log_bytes(context);
        let is_above = |(part, whole): (u64, u64)| bytes > capacity / whole * part;
        let all = context.journal.durable_sequence().saturating_sub(lowest);
        let is_crowded = || self.waiting(context.inbox).saturating_mul(2) <= all;
        backlog.is_some_and(Backlog::is_moving)
            || backlog.is_some_and(|backlog| backlog.holds(lowest))
                && bytes > MOVED_FILES * file_bytes(capacity)
            || is_above(LONG_PART)
            || is_above(CROWDED_PART) && is_crowded()
    }

    /// Makes durable what is settled. Returns the sequence number below which everything is.
    pub(super) fn sync_progress(&mut self, context: &Context<'_>) -> io::Result<u64> {
        let progress = self.progress(context);
        self.file.save(&progress)?;
        self.file.sync()?;
        Ok(progress.settled.below)
    }

    /// Returns whether it may be so much further behind. If nothing waits, anything fits: what is larger than the
    /// capacity would wait forever.
    pub(super) fn fits(&self, bytes: u64, context: &Context<'_>) -> bool {
        let lag = self.lag(context);
        lag == 0 || lag + bytes <= self.settings.capacity_bytes
    }

    /// Notes that a delivery was staged in the log.
    pub(super) fn note_staged(&mut self, count: usize) {
        self.messages += count as u64;
        self.staged += count as u64;
        self.is_overflowing = false;
    }

    /// Passes on a delivery that is now durable, if it fits in memory.
    pub(super) fn committed(&mut self, mut part: ConsumerPart, range: Range<u64>, context: &Context<'_>) {
        let number = self.number();
        stats::subtract(&self.queue.counters.memory_usage, part.bytes);
        self.staged -= part.count as u64;
        // Only now are the messages safe.
        part.delivery.ack = Ack::none();
        if self.reader.is_some() {
            return;
        }
        context.inbox.in_flight(number, |flights| flights.pass(range.start));
        if context.inbox.has_room(number) {
            self.forward(part, range, context.inbox);
        } else {
            let backlog = context.backlogs.get(&number);
            self.reader = Some(ConsumerReader::at(range.start, backlog, context.journal));
            self.queue.set_memory_full(FullMemory::Yes);
        }
    }

    fn forward(&self, mut part: ConsumerPart, range: Range<u64>, inbox: &Arc<Inbox>) {
        let RecordId { incarnation, sequence } =
            RecordId { incarnation: self.file.identity.incarnation, sequence: range.start };
        part.delivery.first = Some(RecordId { incarnation, sequence });
        inbox.forward(part, range);
    }

    /// Reads from the log as much as fits in memory, at most about `bytes`. Returns true when there is more to read
    /// and the destination can take it.
    pub(super) fn read(&mut self, bytes: usize, context: &Context<'_>) -> io::Result<bool> {
        let mut left = bytes;
        while let Some(mut reader) = self.reader.take() {
            if !context.inbox.has_room(self.number()) {
                self.reader = Some(reader);
                self.queue.set_memory_full(FullMemory::Yes);
                return Ok(false);
            }
            if left == 0 {
                self.reader = Some(reader);
                return Ok(true);
            }
            let step = self.step(&mut reader, context);
            self.reader = Some(reader);
            match step? {
                Step::Passed(passed) => left = left.saturating_sub(passed),
                Step::CaughtUp => self.caught_up(context),
            }
        }
        self.queue.set_memory_full(FullMemory::No);
        Ok(false)
    }

    /// It has read everything that is durable: new messages go to it directly.
    fn caught_up(&mut self, context: &Context<'_>) {
        self.reader = None;
        let durable = context.journal.durable_sequence();
        let (outstanding, finished) = context.inbox.in_flight(self.number(), |flights| {
            flights.pass(durable);
            (flights.outstanding(), flights.finished())
        });
        // What was counted and not found could not be read.
        let found = finished + outstanding + self.staged;
        let damaged = self.messages.saturating_sub(found);
        if damaged > 0 {
            self.messages -= damaged;
            stats::add(self.queue.counters.dropped_for(DropReason::Damaged), damaged as usize);
            stats::subtract(&self.queue.counters.queued, damaged as usize);
        }
    }

    /// Reads one entry, and passes on what of it is for the destination.
    fn step(&mut self, reader: &mut ConsumerReader, context: &Context<'_>) -> io::Result<Step> {
        let number = self.number();
        match self.next(reader, context)? {
            None => Ok(Step::CaughtUp),
            Some(NextEntry { range, own: None, bytes }) => {
                context.inbox.in_flight(number, |flights| flights.pass(range.end));
                Ok(Step::Passed(bytes))
            }
            Some(NextEntry { range, own: Some(own), bytes }) => {
                match own.delivery() {
                    Some(delivery) => {
                        let count = delivery.selection.count();
                        self.forward(ConsumerPart { number, delivery, count, bytes }, range, context.inbox);
                    }
                    None => {
                        context
                            .log
                            .error(&format!("A record of a disk buffer cannot be read; id='{}'", self.id));
                        context.inbox.in_flight(number, |flights| flights.pass(range.end));
                    }
                }
                Ok(Step::Passed(bytes))
            }
        }
    }

    /// Returns the range of the next entry, its bytes, and what of it is for this consumer and not settled. `None` at
    /// the end of what is durable.
    fn next<'r>(
        &mut self,
        reader: &'r mut ConsumerReader,
        context: &Context<'_>,
    ) -> io::Result<Option<NextEntry<'r>>> {
        let (number, durable) = (self.number(), context.journal.durable_sequence());
        reader.turn(number, context);
        let from = reader.reader.next_sequence();
        let skipped = context.index.skip(from, number, durable).filter(|_| !reader.is_backlog);
        if let Some(to) = skipped {
            reader.reader = context.journal.reader(to);
            return Ok(Some(NextEntry { range: from..to, own: None, bytes: 0 }));
        }
        let ConsumerReader { reader, is_backlog, is_exhausted } = reader;
        let (range, payload) = match reader.read().map_err(|error| error.source)? {
            Read::End if *is_backlog => {
                *is_exhausted = true;
                return Ok(Some(NextEntry { range: from..from, own: None, bytes: 0 }));
            }
            Read::End => return Ok(None),
            Read::Damage(damage) => {
                keep_file(&damage, context.log);
                return Ok(Some(NextEntry { range: damage.lost, own: None, bytes: 0 }));
            }
            Read::Record(record) if *is_backlog => backlog::unpack(&record),
            Read::Record(record) => {
                (record.sequence..record.sequence + u64::from(record.count), record.payload)
            }
        };
        let is_settled = self.resumed.has(&range);
        let entry = Entry::parse(payload).ok().filter(|_| !is_settled);
        let own =
            entry.and_then(|entry| entry.selection(number).map(|selection| OwnEntry { entry, selection }));
        Ok(Some(NextEntry { range, own, bytes: payload.len() }))
    }

    /// Drops its oldest messages in the log, up to the end of the file that holds the oldest.
    pub(super) fn drop_oldest(&mut self, context: &Context<'_>) -> io::Result<()> {
        let number = self.number();
        let (lowest, mut handed) =
            context.inbox.in_flight(number, |flights| (flights.lowest(), flights.handed()));
        let durable = context.journal.durable_sequence();
        let backlog = context.backlogs.get(&number);
        let (starts, last) = match backlog.filter(|backlog| backlog.holds(lowest)) {
            Some(backlog) => (backlog.file_starts(), backlog.moved()),
            None => (context.journal.file_starts(), durable),
        };
        let end = starts.into_iter().find(|start| *start > lowest).unwrap_or(last);
        let mut reader = match self.reader.take() {
            Some(reader) => reader,
            None => ConsumerReader::at(handed, backlog, context.journal),
        };
        let mut dropped = 0;
        while handed < end {
            let Some(NextEntry { range, own, .. }) = self.next(&mut reader, context)? else { break };
            dropped += own.map_or(0, |own| own.selection.count());
            handed = range.end;
        }
        self.reader = (handed < durable).then_some(reader);
        let abandoned = context.inbox.in_flight(number, |flights| {
            flights.pass(handed);
            flights.abandon(end)
        });
        self.messages = self.messages.saturating_sub(abandoned + dropped as u64);
        stats::add(self.queue.counters.dropped_for(DropReason::QueueFullOldest), dropped);
        stats::subtract(&self.queue.counters.queued, dropped);
        Ok(())
    }

    /// Returns what a restart needs to know.
    pub(super) fn progress(&self, context: &Context<'_>) -> Progress {
        let end = context.journal.durable_sequence();
        let is_behind = self.reader.is_some();
        let resumed = &self.resumed.ranges;
        let (settled, left_out, finished) = context.inbox.in_flight(self.number(), |flights| {
            if !is_behind {
                flights.pass(end);
            }
            // What was settled before the start, and comes after something that is not.
            let lowest = flights.lowest();
            let known: Vec<_> = resumed.iter().filter(|range| range.end > lowest).cloned().collect();
            let (mut settled, left_out) = flights.settled(RANGES_MAX - known.len());
            settled.ranges.extend(known);
            settled.ranges.sort_by_key(|range| range.start);
            (settled, left_out, flights.finished())
        });
        let waiting = self.messages.saturating_sub(self.staged).saturating_sub(finished) + left_out;
        Progress { settled, end, waiting, capacity_bytes: self.settings.capacity_bytes }
    }

    /// Drops a delivery that is not in the log.
    pub(super) fn drop_part(&self, part: &ConsumerPart, reason: DropReason) {
        stats::subtract(&self.queue.counters.memory_usage, part.bytes);
        stats::subtract(&self.queue.counters.queued, part.count);
        stats::add(self.queue.counters.dropped_for(reason), part.count);
    }

    /// Drops what was staged and did not become durable before the destination ended.
    pub(super) fn unstage(&mut self, part: &ConsumerPart) {
        self.staged -= part.count as u64;
        self.messages -= part.count as u64;
        self.drop_part(part, DropReason::Stopped);
        part.delivery.ack.fail();
    }
}

/// A part of the log, in its order.
struct NextEntry<'r> {
    range: Range<u64>,
    /// The part of it that is for the consumer.
    own: Option<OwnEntry<'r>>,
    bytes: usize,
}

/// An entry with messages for a consumer.
struct OwnEntry<'r> {
    entry: Entry<'r>,
    selection: Selection,
}

impl OwnEntry<'_> {
    /// Reads the messages; `None` when they cannot be read.
    fn delivery(self) -> Option<Delivery> {
        let batch = self.entry.batch().ok()?;
        Some(Delivery {
            batch: Arc::new(batch),
            selection: self.selection,
            ack: Ack::none(),
            controlled: true,
            first: None,
        })
    }
}

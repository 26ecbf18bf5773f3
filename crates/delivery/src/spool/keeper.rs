//! The thread of a queue on disk: writes deliveries to disk, and passes them from there to the destination.
//!
//! In: deliveries, progress of the destination. Out: durable records, tokens, deliveries for the destination's thread.
//! Holds: the journal. Everything that arrived while it worked goes to disk with one write and one sync.
//! Limits: `capacity-bytes()` on disk, which the contents of memory may exceed at a stop; in memory
//! `front-cache-size()` and `flow-control-window-bytes()`.
//!
//! A queue that is not `reliable()` is in memory while the destination keeps up, and this thread sleeps. It wakes
//! when memory is full, when something has been in memory only for [`DiskBuffer::memory_for`], and at the stop;
//! then it saves to disk what is in memory only, in order, and after that what came meanwhile. When everything on
//! disk was passed on, memory suffices again.

use super::{
    aside::keep_file,
    entrance::{Arrival, Entrance, Way},
    files::SpoolFiles,
    flights::Unsaved,
    overflow,
};
use crate::{
    options::DiskBuffer,
    queue::{Command, FullMemory, severities_of},
    worker::DestinationQueue,
};
use journal::{Read, Reader};
use message::{Ack, Batch, Delivery, RecordId, codec};
use receivers::{
    sequences::SequenceSet,
    staging::{DiskSpace, RereadGuard, Staging},
};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use transport::{
    InternalLog, StageError,
    stats::{self, DropReason},
};

/// Pause after an error of the disk.
const AGAIN: Duration = Duration::from_secs(1);
/// Least time between two log lines about errors of the disk.
const TROUBLE_TOLD_EVERY: Duration = Duration::from_secs(60);

/// The owner of a queue on disk.
pub(crate) struct Keeper {
    pub(super) id: String,
    pub(super) settings: DiskBuffer,
    pub(super) files: SpoolFiles,
    pub(super) entrance: Arc<Entrance>,
    pub(super) queue: Arc<DestinationQueue>,
    pub(super) log: InternalLog,
    /// Arrived, not in the journal.
    arrivals: VecDeque<Arrival>,
    /// In the journal, not durable: with the sequence number after each.
    staged: VecDeque<(Staged, u64)>,
    /// Everything below this number was passed to the destination's thread.
    pub(super) handed: u64,
    /// Reads messages that the destination's thread cannot take yet; `None` while it keeps up.
    reader: Option<Reader>,
    /// Messages that the receiver has staged; `None` for a queue that is not `reliable()`, whose messages have no ids.
    pub(super) staging: Option<Arc<Staging>>,
    /// Messages that are not read: the receiver has them from earlier.
    pub(super) known: SequenceSet,
    pub(super) rereads: VecDeque<Reread>,
    retry_at: Option<Instant>,
    /// True when messages were dropped because the disk buffer is full, and this was reported; nothing has fitted
    /// since.
    is_overflowing: bool,
    /// When an error of its files was last reported; `None` while they work.
    trouble_told: Option<Instant>,
}

/// A delivery in the journal that is not durable.
enum Staged {
    /// The destination's thread does not have it yet.
    Arrival(Arrival),
    /// The destination's thread has it, under this number.
    Flight(u64),
}

/// Messages that are being read again.
pub(super) struct Reread {
    /// Those that are left.
    pub(super) messages: SequenceSet,
    pub(super) reader: Reader,
    pub(super) guard: Arc<RereadGuard>,
}

/// Result of saving what is in memory only to the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Saving {
    /// Everything is saved.
    Complete,
    /// The capacity is reached.
    Full,
}

impl Keeper {
    /// Opens the queue of a destination.
    pub(crate) fn open(
        id: &str,
        settings: DiskBuffer,
        queue: Arc<DestinationQueue>,
        log: InternalLog,
    ) -> Result<Keeper, StageError> {
        let failed = |source: io::Error| StageError::Open {
            id: id.to_owned(),
            what: format!("disk buffer {}", settings.folder.display()),
            source,
        };
        let (files, repeats) = SpoolFiles::open(&settings, &log).map_err(failed)?;
        let handed = files.cursor.sequence();
        let waiting = files.journal.next_sequence().saturating_sub(handed);
        let way = if waiting > 0 || files.is_write_ahead() { Way::Disk } else { Way::Memory };
        let entrance = Arc::new(Entrance::new(queue.clone(), &settings, (handed, way), repeats));
        if waiting > 0 {
            log.notice(&format!("Messages wait in a disk buffer; id='{id}', messages='{waiting}'"));
        }
        queue.counters.disk_capacity.store(settings.capacity_bytes, Ordering::Relaxed);
        queue.fresh.store(files.journal.next_sequence(), Ordering::Relaxed);
        let reader = (waiting > 0).then(|| files.journal.reader(handed));
        let staging = files.incarnation.map(|incarnation| {
            Arc::new(Staging::new(settings.folder.clone(), incarnation, handed, entrance.waker()))
        });
        if let Some(staging) = &staging {
            let _ = queue.staging.set(staging.clone());
        }
        Ok(Keeper {
            id: id.to_owned(),
            settings,
            files,
            entrance,
            queue,
            log,
            arrivals: VecDeque::new(),
            staged: VecDeque::new(),
            handed,
            reader,
            staging,
            known: SequenceSet::default(),
            rereads: VecDeque::new(),
            retry_at: None,
            is_overflowing: false,
            trouble_told: None,
        })
    }

    /// Returns the number of messages that wait on disk from earlier.
    pub(crate) fn waiting(&self) -> u64 {
        let next = self.files.journal.next_sequence();
        let settled = self.staging.as_ref().map_or(0, |staging| staging.settled_within(self.handed..next));
        next.saturating_sub(self.handed) - settled
    }

    /// Returns the entrance of deliveries.
    pub(crate) fn entrance(&self) -> Arc<Entrance> {
        self.entrance.clone()
    }

    #[cfg(test)]
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Starts the thread, which ends the destination's thread when it must stop.
    pub(crate) fn spawn(self, worker: JoinHandle<()>) -> Result<JoinHandle<()>, StageError> {
        let id = self.id.clone();
        std::thread::Builder::new()
            .name(format!("disk {id}"))
            .spawn(move || self.run(worker))
            .map_err(|source| StageError::Thread { id, source })
    }

    fn run(mut self, worker: JoinHandle<()>) {
        self.forward();
        while !self.round(self.retry_at) {}
        self.end(Some(worker));
    }

    /// Waits for events and handles them. Returns true when ordered to stop.
    pub(super) fn round(&mut self, deadline: Option<Instant>) -> bool {
        let news = self.entrance.wait(&mut self.arrivals, &self.settings, deadline);
        if let Some(settings) = news.settings {
            self.settings = settings;
        }
        self.work();
        news.stop.is_some()
    }

    /// Records what was written, saves arrivals to disk, and passes on what fits.
    fn work(&mut self) {
        let written = self.settled();
        self.retry_at = None;
        if let Err(error) = self.files.release(written) {
            self.failed(&error);
        }
        if let Some(staging) = &self.staging {
            staging.set_cursor(self.files.cursor.sequence());
        }
        let now = Instant::now();
        // Half of the time is enough: what came shortly after does not need a round of its own. New arrivals must
        // go after all of it.
        let until =
            if self.arrivals.is_empty() { now.checked_sub(self.settings.memory_for / 2) } else { Some(now) };
        match until.map_or(Saving::Complete, |until| self.save(until)) {
            Saving::Complete => self.append(),
            Saving::Full => {
                self.retry_at.get_or_insert(now + AGAIN);
                self.refuse();
            }
        }
        self.commit();
        self.forward();
        if self.retry_at.is_none() && self.trouble_told.take().is_some() {
            self.queue.counters.set_trouble(None);
            self.log.notice(&format!("Disk buffer works again; id='{}'", self.id));
        }
        if self.has_caught_up() {
            self.entrance.return_to_memory();
        }
        self.count_files();
    }

    /// Returns true when new deliveries may go straight to the destination's thread.
    fn has_caught_up(&self) -> bool {
        let is_idle = self.arrivals.is_empty() && self.staged.is_empty() && self.reader.is_none();
        is_idle && self.retry_at.is_none() && !self.files.is_write_ahead()
    }

    fn count_files(&self) {
        let counters = &self.queue.counters;
        counters.disk_usage.store(self.files.bytes(), Ordering::Relaxed);
        counters.disk_capacity.store(self.settings.capacity_bytes, Ordering::Relaxed);
        let is_short = self.files.bytes() > self.settings.capacity_bytes / 2;
        let space = if is_short { DiskSpace::Short } else { DiskSpace::Ample };
        if self.staging.as_ref().is_some_and(|staging| staging.set_disk_space(space)) {
            self.queue.wake();
        }
    }

    /// Returns true when a batch fits on the disk. An empty queue accepts any batch: one larger than the capacity
    /// would wait forever.
    fn fits(&self, batch: &Batch) -> bool {
        let bytes = (batch.received_bytes.len() + batch.extra.len()) as u64;
        self.files.bytes() + bytes <= self.settings.capacity_bytes || self.is_empty()
    }

    /// Stages deliveries in the journal that are in memory only and came before `until`.
    fn save(&mut self, until: Instant) -> Saving {
        while let Some(unsaved) = self.entrance.flights(|flights| flights.next_unsaved(until)) {
            if !self.fits(&unsaved.batch) {
                return Saving::Full;
            }
            self.stage(&unsaved);
        }
        Saving::Complete
    }

    fn stage(&mut self, unsaved: &Unsaved) {
        let mut write = |out: &mut Vec<u8>| codec::encode(&unsaved.batch, &unsaved.selection, out);
        match self.files.journal.append(unsaved.count as u32, &mut write) {
            Ok(first) => {
                let end = first + unsaved.count as u64;
                self.staged.push_back((Staged::Flight(unsaved.number), end));
            }
            // The destination's thread has it, and may still write it.
            Err(error) => {
                self.log.error(&format!("Cannot queue messages on disk; id='{}', error='{error}'", self.id))
            }
        }
        self.entrance.flights(|flights| flights.staged(unsaved.number));
    }

    /// Stages arrivals in the journal, as far as they fit.
    fn append(&mut self) {
        while let Some(mut arrival) = self.arrivals.pop_front() {
            self.shed(&mut arrival);
            if arrival.count == 0 {
                stats::subtract(&self.queue.counters.memory_usage, arrival.bytes);
                continue;
            }
            if !self.fits(&arrival.delivery.batch) {
                self.arrivals.push_front(arrival);
                return self.refuse();
            }
            self.is_overflowing = false;
            self.stage_arrival(arrival);
        }
    }

    fn stage_arrival(&mut self, arrival: Arrival) {
        let Delivery { batch, selection, .. } = &arrival.delivery;
        let mut write = |out: &mut Vec<u8>| codec::encode(batch, selection, out);
        match self.files.journal.append(arrival.count as u32, &mut write) {
            Ok(first) => {
                let end = first + arrival.count as u64;
                self.staged.push_back((Staged::Arrival(arrival), end));
            }
            Err(error) => {
                self.log.error(&format!("Cannot queue messages, dropped; id='{}', error='{error}'", self.id));
                self.entrance.drop_arrival(&arrival, DropReason::Unwritable);
            }
        }
    }

    /// Drops the messages of a delivery that are not severe enough for the remaining space.
    fn shed(&self, arrival: &mut Arrival) {
        let (policy, capacity) = (self.settings.on_full, self.settings.capacity_bytes);
        let Some(mild) = overflow::too_mild(policy, &arrival.delivery, self.files.bytes(), capacity) else {
            return;
        };
        let gone = mild.count();
        arrival.delivery.selection.subtract(&mild);
        arrival.count -= gone;
        stats::add(self.queue.counters.dropped_for(overflow::reason(policy)), gone);
        self.queue.counters.add_shed(&severities_of(&arrival.delivery, &mild));
        stats::subtract(&self.queue.counters.queued, gone);
    }

    /// Handles a full disk buffer: some deliveries wait, the others are dropped.
    fn refuse(&mut self) {
        let (entrance, policy, counters) = (&self.entrance, self.settings.on_full, &self.queue.counters);
        let may_wait = |delivery: &Delivery| overflow::may_wait(policy, delivery);
        // Deliveries that the destination's thread already has are not lost, and their sources need not wait.
        drop(entrance.flights(|flights| flights.let_go(&may_wait)));
        let before = self.arrivals.len();
        self.arrivals.retain(|arrival| {
            let waits = may_wait(&arrival.delivery);
            if !waits {
                entrance.drop_arrival(arrival, overflow::reason(policy));
                let Delivery { selection, .. } = &arrival.delivery;
                counters.add_shed(&severities_of(&arrival.delivery, selection));
            }
            waits
        });
        if before > self.arrivals.len() && !self.is_overflowing {
            self.is_overflowing = true;
            self.log.error(&format!("Destination queue full, dropping messages; id='{}'", self.id));
        }
    }

    /// Makes the journal durable, and notifies the sources.
    fn commit(&mut self) {
        if self.staged.is_empty() {
            return;
        }
        if let Err(error) = self.expect_numbers() {
            return self.failed(&error);
        }
        let bytes = self.files.journal.staged_bytes() as u64;
        if let Err(error) = self.files.journal.commit() {
            return self.failed(&error);
        }
        self.note_numbers(bytes);
        for (staged, end) in std::mem::take(&mut self.staged) {
            match staged {
                Staged::Arrival(arrival) => self.committed(arrival, end),
                Staged::Flight(number) => {
                    debug_assert!(self.reader.is_none(), "the disk is older than what is in memory only");
                    self.handed = end;
                    drop(self.entrance.flights(|flights| flights.save(number, end)));
                }
            }
        }
    }

    /// Makes sure that the next start looks for the numbers of what is about to be durable.
    fn expect_numbers(&mut self) -> io::Result<()> {
        let Some(taken) = &mut self.files.taken else { return Ok(()) };
        let deliveries = self.staged.iter().filter_map(|(staged, _)| match staged {
            Staged::Arrival(arrival) => Some(&arrival.delivery),
            Staged::Flight(_) => None,
        });
        taken.expect(deliveries, self.files.journal.durable_sequence())
    }

    /// Notes the numbers of what is durable now.
    fn note_numbers(&mut self, bytes: u64) {
        let Some(taken) = &mut self.files.taken else { return };
        for (staged, _) in &self.staged {
            if let Staged::Arrival(arrival) = staged {
                taken.note(&arrival.delivery);
            }
        }
        if let Err(error) = taken.grow(bytes, self.files.journal.durable_sequence()) {
            self.failed(&error);
        }
    }

    /// Passes on a delivery that is now on disk, if it fits in memory.
    fn committed(&mut self, arrival: Arrival, end: u64) {
        let Arrival { mut delivery, count, bytes } = arrival;
        stats::subtract(&self.queue.counters.memory_usage, bytes);
        // Only now are the messages safe.
        delivery.ack = Ack::none();
        let start = end - count as u64;
        if self.reader.is_none() && self.handed == start && self.entrance.has_room() {
            self.enqueue(delivery, end, (count, bytes), None);
        } else if self.reader.is_none() {
            self.reader = Some(self.files.journal.reader(self.handed));
        }
    }

    fn is_empty(&self) -> bool {
        self.settled() == self.files.journal.next_sequence()
    }

    pub(super) fn enqueue(
        &mut self,
        mut delivery: Delivery,
        end: u64,
        (count, bytes): (usize, usize),
        reread: Option<Arc<RereadGuard>>,
    ) {
        let sequence = end - count as u64;
        delivery.first = self.files.incarnation.map(|incarnation| RecordId { incarnation, sequence });
        self.handed = self.handed.max(end);
        self.entrance.forward(delivery, end, (count, bytes), reread);
    }

    /// Reads from the disk as much as fits in memory, and tells the destination's thread when that is not all.
    fn forward(&mut self) {
        if !self.forward_again() {
            return self.queue.set_memory_full(FullMemory::Yes);
        }
        while let Some(mut reader) = self.reader.take() {
            if !self.entrance.has_room() {
                self.reader = Some(reader);
                return self.queue.set_memory_full(FullMemory::Yes);
            }
            match self.next(&mut reader) {
                Ok(true) => self.reader = Some(reader),
                // The destination has caught up: new messages go to it directly. What a loss of power removed from
                // the end of the journal is gone.
                Ok(false) => self.lost(self.files.journal.durable_sequence()),
                Err(error) => {
                    self.reader = Some(reader);
                    return self.failed(&error);
                }
            }
        }
        self.queue.set_memory_full(FullMemory::No);
    }

    /// Passes on one record; returns false when none is left.
    fn next(&mut self, reader: &mut Reader) -> io::Result<bool> {
        match reader.read() {
            Err(error) => Err(error.source),
            Ok(Read::End) => Ok(false),
            Ok(Read::Damage(damage)) => {
                keep_file(&damage, &self.log);
                self.lost(damage.lost.end);
                Ok(true)
            }
            Ok(Read::Record(record)) => {
                let (start, end) = (record.sequence, record.sequence + u64::from(record.count));
                let wanted = self.known.outside(self.handed.max(start)..end);
                let is_known = wanted.is_empty();
                match codec::decode(record.payload) {
                    _ if is_known => self.pass(end),
                    Ok(batch) if batch.len() == record.count as usize => {
                        let bytes = record.payload.len();
                        self.enqueue_runs(batch, (start, bytes), &wanted, None);
                        self.pass(end);
                    }
                    _ => {
                        self.log
                            .error(&format!("A record of a disk buffer cannot be read; id='{}'", self.id));
                        self.lost(end);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Skips messages that no longer exist.
    fn lost(&mut self, end: u64) {
        let count = end.saturating_sub(self.handed) as usize;
        if count == 0 {
            return;
        }
        stats::add(self.queue.counters.dropped_for(DropReason::Damaged), count);
        stats::subtract(&self.queue.counters.queued, count);
        self.handed = self.handed.max(end);
        self.entrance.flights(|flights| flights.skip(end));
    }

    pub(super) fn failed(&mut self, error: &dyn std::fmt::Display) {
        stats::add(&self.queue.counters.errors, 1);
        let now = Instant::now();
        self.queue.counters.set_trouble(Some(format!("disk buffer: {error}")));
        if self.trouble_told.is_none_or(|told| now.duration_since(told) >= TROUBLE_TOLD_EVERY) {
            self.trouble_told = Some(now);
            self.log
                .error(&format!("Error in a disk buffer, trying again; id='{}', error='{error}'", self.id));
        }
        self.retry_at = Some(now + AGAIN);
    }

    /// Lets the destination write what it can at once, saves the rest, and closes.
    pub(super) fn end(mut self, worker: Option<JoinHandle<()>>) {
        // What it cannot write at once stays on disk, or is saved there now.
        self.queue.command(Command::Stop(Instant::now()));
        if let Some(worker) = worker {
            // A thread that panicked has reported it on the console.
            let _ = worker.join();
        }
        self.entrance.close(&mut self.arrivals);
        self.save_rest();
        let written = self.settled();
        let saved = self.files.cursor.save(written).and_then(|()| self.files.cursor.sync());
        self.count_files();
        let closed = self.files.journal.close();
        if let Err(error) = saved {
            self.log
                .error(&format!("Cannot save the place in a disk buffer; id='{}', error='{error}'", self.id));
        }
        if let Err(error) = closed {
            self.log.error(&format!("Cannot close a disk buffer; id='{}', error='{error}'", self.id));
        }
    }

    /// Saves to disk what is in memory only, even beyond the capacity, and the last arrivals. What cannot be saved
    /// is dropped.
    fn save_rest(&mut self) {
        let now = Instant::now();
        while let Some(unsaved) = self.entrance.flights(|flights| flights.next_unsaved(now)) {
            self.stage(&unsaved);
        }
        self.append();
        self.commit();
        // Deliveries that waited until they would fit: their sources may be unable to send them again.
        while self.staged.is_empty()
            && let Some(arrival) = self.arrivals.pop_front()
        {
            self.stage_arrival(arrival);
            self.commit();
        }
        for (staged, _) in self.staged.drain(..) {
            if let Staged::Arrival(arrival) = staged {
                self.entrance.drop_arrival(&arrival, DropReason::Stopped);
            }
        }
        for arrival in self.arrivals.drain(..) {
            self.entrance.drop_arrival(&arrival, DropReason::Stopped);
        }
        let lost = self.entrance.flights(|flights| flights.abandon());
        lost.iter()
            .for_each(|(delivery, count)| self.entrance.count_drop(delivery, *count, DropReason::Stopped));
    }
}

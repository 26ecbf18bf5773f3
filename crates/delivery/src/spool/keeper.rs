//! The thread of a queue on disk: brings deliveries to the disk, and from there to the destination.
//!
//! In: deliveries, what was written. Out: durable records, tokens, deliveries for the destination's thread.
//! Holds: the journal. All that came in while it worked goes to the disk with one write and one sync.
//! Limits: `capacity-bytes()` on the disk; in memory what `front-cache-size()` and `flow-control-window-bytes()` say.

use super::{
    aside::keep_file,
    entrance::{Arrival, Entrance, Written},
    files::SpoolFiles,
};
use crate::{options::DiskBuffer, queue::Command, worker::DestinationQueue};
use journal::{Read, Reader};
use message::{Ack, Batch, Delivery, RecordId, Selection, codec};
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
/// Errors of the disk are logged at most this often.
const TROUBLE_TOLD_EVERY: Duration = Duration::from_secs(60);

/// The owner of a queue on disk.
pub(crate) struct Keeper {
    id: String,
    settings: DiskBuffer,
    files: SpoolFiles,
    entrance: Arc<Entrance>,
    queue: Arc<DestinationQueue>,
    log: InternalLog,
    /// Came in, not in the journal.
    arrivals: VecDeque<Arrival>,
    /// In the journal, not durable: with the sequence number after each.
    staged: VecDeque<(Arrival, u64)>,
    /// Everything below was handed to the destination's thread.
    handed: u64,
    /// Reads what the destination's thread has no room for; `None` while it keeps up.
    reader: Option<Reader>,
    retry_at: Option<Instant>,
    /// When an error of its files was told last; nothing while they work.
    trouble_told: Option<Instant>,
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
        let files = SpoolFiles::open(&settings, &log).map_err(failed)?;
        let handed = files.cursor.sequence();
        let entrance = Arc::new(Entrance::new(queue.counters.clone(), handed));
        let waiting = files.journal.next_sequence().saturating_sub(handed);
        if waiting > 0 {
            log.notice(&format!("Messages wait in a disk buffer; id='{id}', messages='{waiting}'"));
        }
        queue.counters.disk_capacity.store(settings.capacity_bytes, Ordering::Relaxed);
        let reader = (waiting > 0).then(|| files.journal.reader(handed));
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
            retry_at: None,
            trouble_told: None,
        })
    }

    /// Messages that wait on the disk from an earlier time.
    pub(crate) fn waiting(&self) -> u64 {
        self.files.journal.next_sequence().saturating_sub(self.handed)
    }

    /// Returns the entrance of deliveries.
    pub(crate) fn entrance(&self) -> Arc<Entrance> {
        self.entrance.clone()
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
        self.end(worker);
    }

    /// Waits for news and works on them. True: told to stop.
    pub(super) fn round(&mut self, deadline: Option<Instant>) -> bool {
        let news = self.entrance.wait(&mut self.arrivals, deadline);
        if let Some(settings) = news.settings {
            self.settings = settings;
        }
        self.work();
        news.stop.is_some()
    }

    /// Notes what was written, brings to the disk what came, hands on what there is room for.
    fn work(&mut self) {
        let written = self.entrance.flights(|flights| flights.written());
        self.retry_at = None;
        if let Err(error) = self.files.release(written) {
            self.failed(&error);
        }
        self.append();
        self.commit();
        self.forward();
        if self.retry_at.is_none() && self.trouble_told.take().is_some() {
            self.queue.counters.set_trouble(None);
            self.log.notice(&format!("Disk buffer works again; id='{}'", self.id));
        }
        let counters = &self.queue.counters;
        counters.disk_usage.store(self.files.bytes(), Ordering::Relaxed);
        counters.disk_capacity.store(self.settings.capacity_bytes, Ordering::Relaxed);
    }

    /// Puts into the journal what fits.
    fn append(&mut self) {
        while let Some(arrival) = self.arrivals.pop_front() {
            let Delivery { batch, .. } = &arrival.delivery;
            let bytes = (batch.received_bytes.len() + batch.extra.len()) as u64;
            // An empty queue takes whatever comes: what is larger than the capacity would wait for ever.
            if self.files.bytes() + bytes > self.settings.capacity_bytes && !self.is_empty() {
                self.arrivals.push_front(arrival);
                return self.refuse_uncontrolled();
            }
            let Delivery { batch, selection, .. } = &arrival.delivery;
            let mut write = |out: &mut Vec<u8>| codec::encode(batch, selection, out);
            match self.files.journal.append(arrival.count as u32, &mut write) {
                Ok(first) => {
                    let end = first + arrival.count as u64;
                    self.staged.push_back((arrival, end));
                }
                Err(error) => {
                    self.log
                        .error(&format!("Cannot queue messages, dropped; id='{}', error='{error}'", self.id));
                    self.entrance.drop_arrival(&arrival, DropReason::Unwritable);
                }
            }
        }
    }

    /// The disk buffer is full: paths with flow control wait, the others lose their messages.
    fn refuse_uncontrolled(&mut self) {
        let entrance = &self.entrance;
        let before = self.arrivals.len();
        self.arrivals.retain(|arrival| {
            if !arrival.delivery.controlled {
                entrance.drop_arrival(arrival, DropReason::QueueFull);
            }
            arrival.delivery.controlled
        });
        if before > self.arrivals.len() {
            self.log.error(&format!("Destination queue full, dropping messages; id='{}'", self.id));
        }
    }

    /// Makes what is in the journal durable, and tells the sources.
    fn commit(&mut self) {
        if self.staged.is_empty() {
            return;
        }
        if let Err(error) = self.files.journal.commit() {
            return self.failed(&error);
        }
        for (arrival, end) in std::mem::take(&mut self.staged) {
            let Arrival { mut delivery, count } = arrival;
            // Only now are the messages safe.
            delivery.ack = Ack::none();
            let start = end - count as u64;
            let bytes = delivery.batch.held_bytes();
            if self.reader.is_none() && self.handed == start && self.has_room() {
                self.enqueue(delivery, end, count, bytes);
            } else if self.reader.is_none() {
                self.reader = Some(self.files.journal.reader(self.handed));
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.entrance.flights(|flights| flights.written()) == self.files.journal.next_sequence()
    }

    fn has_room(&self) -> bool {
        let (messages, bytes) = self.entrance.flights(|flights| flights.load());
        messages < self.settings.memory_messages && bytes < self.settings.memory_bytes
    }

    fn enqueue(&mut self, mut delivery: Delivery, end: u64, count: usize, bytes: usize) {
        let number = self.entrance.flights(|flights| flights.start(end, count, bytes));
        delivery.ack = Ack::new(Box::new(Written { entrance: self.entrance.clone(), number }));
        let sequence = end - count as u64;
        delivery.first = self.files.incarnation.map(|incarnation| RecordId { incarnation, sequence });
        self.handed = end;
        self.queue.enqueue(delivery, count);
    }

    /// Reads from the disk as much as there is room for.
    fn forward(&mut self) {
        while let Some(mut reader) = self.reader.take() {
            if !self.has_room() {
                self.reader = Some(reader);
                return;
            }
            match self.next(&mut reader) {
                Ok(true) => self.reader = Some(reader),
                // The destination has caught up: new messages go to it directly.
                Ok(false) => {}
                Err(error) => {
                    self.reader = Some(reader);
                    return self.failed(&error);
                }
            }
        }
    }

    /// Hands one record on. False: there is none left.
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
                let end = record.sequence + u64::from(record.count);
                let skipped = self.handed.saturating_sub(record.sequence) as usize;
                match codec::decode(record.payload) {
                    Ok(batch) if batch.len() == record.count as usize => {
                        let bytes = record.payload.len();
                        let delivery = delivery(batch, skipped);
                        self.enqueue(delivery, end, record.count as usize - skipped, bytes);
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

    /// Passes over messages that are not there any more.
    fn lost(&mut self, end: u64) {
        let count = end.saturating_sub(self.handed) as usize;
        stats::add(self.queue.counters.dropped_for(DropReason::Damaged), count);
        stats::subtract(&self.queue.counters.queued, count);
        self.handed = self.handed.max(end);
        self.entrance.flights(|flights| flights.skip(end));
    }

    fn failed(&mut self, error: &dyn std::fmt::Display) {
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

    /// Saves what came in, lets the destination write what it has, and closes.
    fn end(mut self, worker: JoinHandle<()>) {
        self.entrance.close();
        for (arrival, _) in self.staged.drain(..) {
            self.entrance.drop_arrival(&arrival, DropReason::Stopped);
        }
        for arrival in self.arrivals.drain(..) {
            self.entrance.drop_arrival(&arrival, DropReason::Stopped);
        }
        // What it cannot write at once stays on the disk.
        self.queue.command(Command::Stop(Instant::now()));
        // A thread that panicked has said so on the console.
        let _ = worker.join();
        let written = self.entrance.flights(|flights| flights.written());
        let saved = self.files.cursor.save(written).and_then(|()| self.files.cursor.sync());
        let closed = self.files.journal.close();
        if let Err(error) = saved {
            self.log
                .error(&format!("Cannot save the place in a disk buffer; id='{}', error='{error}'", self.id));
        }
        if let Err(error) = closed {
            self.log.error(&format!("Cannot close a disk buffer; id='{}', error='{error}'", self.id));
        }
    }
}

/// All messages of a batch but the first ones.
fn delivery(batch: Batch, skipped: usize) -> Delivery {
    let mut selection = Selection::all(batch.len());
    (0..skipped).for_each(|index| selection.remove(index));
    Delivery { batch: Arc::new(batch), selection, controlled: true, ack: Ack::none(), first: None }
}

//! The thread of a shared log: writes what came for all its destinations to disk, once, and passes it on to each.
//!
//! In: deliveries, requests, progress of the destinations. Out: durable entries, tokens, deliveries for the threads of
//! the destinations. Holds: the journal and the files of the consumers. Everything that arrived while it worked goes to
//! disk with one write and one sync, whatever the number of destinations.
//! Limits: each consumer is at most `capacity-bytes()` behind; at its limit `on-full()` decides, for it alone. A file
//! is removed when no consumer needs it. A round reads at most [`READ_BYTES`] for a destination that is behind, so that
//! it does not hold up the others.

use super::{
    backlog::LogParts,
    consumer::{Consumer, Context},
    file_index::FileIndex,
    files::{self, LogFiles},
    inbox::{Arrival, ConsumerPart, Inbox, JoinRequest, LogPlace, Work},
    moving,
    progress::Identity,
};
use crate::{
    options::{DiskBuffer, OverflowPolicy, Victim},
    spool::overflow,
};
use message::codec::shared::{self as entry, CONSUMERS_MAX, ConsumerSet};
use std::{
    collections::VecDeque,
    fmt, io,
    ops::Range,
    sync::{Arc, atomic::Ordering, mpsc::SendError},
    time::{Duration, Instant},
};
use transport::{
    InternalLog,
    stats::{self, DropReason},
};

/// Pause after an error of the disk.
const AGAIN: Duration = Duration::from_secs(1);
/// Least time between two log lines about errors of the disk.
const TROUBLE_TOLD_EVERY: Duration = Duration::from_secs(60);
/// Files are removed when they are a quarter of all: each removal costs a sync for each destination.
const RELEASED_PART: usize = 4;
/// A destination that drops its oldest messages and does not move keeps at most so many times its capacity of the log: what its neighbours
/// get comes behind it.
const KEPT_MOST: u64 = 2;
/// Most bytes that a round reads for a destination that is behind.
const READ_BYTES: usize = 4 << 20;

/// The owner of a shared log.
pub(super) struct LogThread {
    files: LogFiles,
    inbox: Arc<Inbox>,
    log: InternalLog,
    /// By number.
    consumers: Vec<Option<Consumer>>,
    /// In the journal, not durable.
    staged: VecDeque<Staged>,
    index: FileIndex,
    /// Requests for names whose former destination has not ended yet.
    requests: Vec<JoinRequest>,
    retry_at: Option<Instant>,
    /// True when a destination that is behind could take more than was read for it.
    reads_on: bool,
    /// When an error of the files was last reported; `None` while they work.
    trouble_told: Option<Instant>,
}

/// An entry in the journal that is not durable.
struct Staged {
    parts: Vec<ConsumerPart>,
    range: Range<u64>,
}

impl LogThread {
    pub(super) fn new(files: LogFiles, inbox: Arc<Inbox>, log: InternalLog) -> LogThread {
        for (name, file) in files.absent.iter().filter(|(_, file)| file.saved.waiting > 0) {
            log.notice(&format!(
                "Messages wait in a shared disk buffer; folder='{}', for='{name}', messages='{}'",
                files.folder.display(),
                file.saved.waiting
            ));
        }
        LogThread {
            index: FileIndex::new(&files.journal.file_starts()),
            files,
            inbox,
            log,
            consumers: (0..CONSUMERS_MAX).map(|_| None).collect(),
            staged: VecDeque::new(),
            requests: Vec::new(),
            retry_at: None,
            reads_on: false,
            trouble_told: None,
        }
    }

    pub(super) fn run(mut self) {
        while !self.round(None) {}
        if let Err(error) = self.files.journal.close() {
            let folder = self.files.folder.display();
            self.log.error(&format!("Cannot close a shared disk buffer; folder='{folder}', error='{error}'"));
        }
    }

    /// Waits for events, at most until `deadline`, and handles them. Returns true when its last destination has ended.
    pub(super) fn round(&mut self, deadline: Option<Instant>) -> bool {
        let now = self.reads_on.then(Instant::now);
        let work = self.inbox.wait([deadline, now, self.retry_at].into_iter().flatten().min());
        self.work(work)
    }

    fn work(&mut self, work: Work) -> bool {
        self.retry_at = None;
        let Work { arrivals, requests, settings, ended, saves } = work;
        for (number, settings) in settings {
            if let Some(consumer) = &mut self.consumers[number] {
                consumer.settings = settings;
            }
        }
        if saves {
            self.save();
        }
        let has_changed = !ended.is_empty() || !requests.is_empty();
        self.requests.extend(requests);
        self.join();
        self.admit_held();
        arrivals.into_iter().for_each(|arrival| self.admit(arrival));
        self.commit();
        self.forward();
        ended.into_iter().for_each(|number| self.end(number));
        self.join();
        if self.retry_at.is_none() && self.trouble_told.take().is_some() {
            self.each(|consumer| consumer.queue.counters.set_trouble(None));
            let folder = self.files.folder.display();
            self.log.notice(&format!("Shared disk buffer works again; folder='{folder}'"));
        }
        self.count();
        let is_unused = self.requests.is_empty() && self.consumers.iter().all(Option::is_none);
        has_changed && is_unused && self.inbox.shut()
    }

    fn each(&self, each: impl Fn(&Consumer)) {
        self.consumers.iter().flatten().for_each(each);
    }

    /// Shows how far each destination is behind.
    fn count(&self) {
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        self.each(|consumer| {
            let counters = &consumer.queue.counters;
            counters.disk_usage.store(consumer.lag(&context), Ordering::Relaxed);
            counters.disk_capacity.store(consumer.settings.capacity_bytes, Ordering::Relaxed);
        });
    }

    /// Gives places to destinations that asked for one.
    fn join(&mut self) {
        // While the disk refuses what was staged, nothing else is written.
        if !self.staged.is_empty() {
            return;
        }
        for request in std::mem::take(&mut self.requests) {
            // Its former destination is about to end.
            if self.consumers.iter().flatten().any(|consumer| consumer.name == request.name) {
                self.requests.push(request);
                continue;
            }
            let place = self.place(&request);
            // Who asked has given up: nobody will use the place.
            if let Err(SendError(Ok(LogPlace { number, .. }))) = request.reply.send(place) {
                self.inbox.note_end(number);
            }
        }
    }

    fn place(&mut self, request: &JoinRequest) -> io::Result<LogPlace> {
        let JoinRequest { id, name, settings, queue, .. } = request;
        let mut numbers = self.consumers.iter().flatten().map(Consumer::number);
        let file = self.files.take(name, &mut numbers, settings.capacity_bytes)?;
        let moved = moving::take_over(&mut self.files, settings, name, file.identity.number, &self.log)?;
        let consumers = ConsumerSet::of(file.identity.number);
        moved.files.iter().for_each(|start| self.index.note(*start, consumers));
        let mut file = file;
        if file.saved.waiting == 0 && moved.messages > 0 {
            file.saved.settled.below = moved.first;
        }
        file.saved.waiting += moved.messages;
        let (number, waiting) = (file.identity.number, file.saved.waiting);
        let names = (id.clone(), name.clone());
        let consumer = Consumer::new(names, DiskBuffer::clone(settings), queue.clone(), file, &self.files);
        let start = consumer.start(&self.files.journal);
        self.inbox.open(number, queue.clone(), settings, start);
        self.consumers[number] = Some(consumer);
        let least = self.consumers.iter().flatten().map(|consumer| consumer.settings.capacity_bytes).min();
        self.files.journal.set_file_bytes_max(files::file_bytes(least.unwrap_or(u64::MAX)));
        Ok(LogPlace { number, waiting })
    }

    /// Stages what waited until its destination may be further behind. A destination that no longer holds its sources back since the
    /// last reload drops it instead.
    fn admit_held(&mut self) {
        for number in 0..CONSUMERS_MAX {
            let Some(consumer) = &mut self.consumers[number] else { continue };
            let mut held = std::mem::take(&mut consumer.held);
            while let Some(part) = held.pop_front() {
                let fitting = self.admitted(part);
                fitting.into_iter().for_each(|part| self.stage(vec![part]));
                let again = self.consumers[number].as_mut().and_then(|consumer| consumer.held.pop_front());
                if let Some(part) = again {
                    held.push_front(part);
                    break;
                }
            }
            if let Some(consumer) = &mut self.consumers[number] {
                consumer.held = held;
            }
        }
    }

    /// Stages what came for one batch, as far as the limits of the destinations allow.
    fn admit(&mut self, arrival: Arrival) {
        let mut fitting = Vec::new();
        for part in arrival.parts {
            fitting.extend(self.admitted(part));
        }
        if !fitting.is_empty() {
            self.stage(fitting);
        }
    }

    /// Applies the limit of a destination: returns the delivery if it can be staged now.
    fn admitted(&mut self, mut part: ConsumerPart) -> Option<ConsumerPart> {
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        let Some(consumer) = &mut self.consumers[part.number] else {
            part.delivery.ack.fail();
            return None;
        };
        let (policy, capacity) = (consumer.settings.on_full, consumer.settings.capacity_bytes);
        let lag = consumer.lag(&context);
        if let Some(mild) = overflow::too_mild(policy, &part.delivery, lag, capacity) {
            let gone = mild.count();
            part.delivery.selection.subtract(&mild);
            part.count -= gone;
            stats::subtract(&consumer.queue.counters.queued, gone);
            stats::add(consumer.queue.counters.dropped_for(overflow::reason(policy)), gone);
            if part.count == 0 {
                stats::subtract(&consumer.queue.counters.memory_usage, part.bytes);
                return None;
            }
        }
        if consumer.held.is_empty() && consumer.fits(bytes_of(&part), &context) {
            return Some(part);
        }
        if policy == OverflowPolicy::Drop(Victim::Oldest) {
            return match make_room(consumer, &part, &context) {
                Ok(()) => Some(part),
                Err(error) => {
                    self.failed(&error);
                    self.hold(part);
                    None
                }
            };
        }
        if overflow::may_wait(policy, &part.delivery) {
            self.hold(part);
            return None;
        }
        if !std::mem::replace(&mut consumer.is_overflowing, true) {
            self.log.error(&format!("Destination queue full, dropping messages; id='{}'", consumer.id));
        }
        consumer.drop_part(&part, overflow::reason(policy));
        None
    }

    fn hold(&mut self, part: ConsumerPart) {
        self.inbox.await_progress(part.number);
        if let Some(consumer) = &mut self.consumers[part.number] {
            consumer.held.push_back(part);
        }
    }

    /// Stages an entry: messages of one batch.
    fn stage(&mut self, parts: Vec<ConsumerPart>) {
        let batch = parts[0].delivery.batch.clone();
        let selections = parts.iter().map(|part| (part.number, &part.delivery.selection));
        let (shares, all) = entry::shares(selections);
        let count = all.count() as u32;
        let mut write = |out: &mut Vec<u8>| entry::encode(&batch, &shares, &all, out);
        match self.files.journal.append(count, &mut write) {
            Ok(first) => {
                for part in &parts {
                    let consumer = self.consumers[part.number].as_mut();
                    consumer.into_iter().for_each(|consumer| consumer.note_staged(part.count));
                }
                self.staged.push_back(Staged { parts, range: first..first + u64::from(count) });
            }
            Err(error) => {
                let folder = self.files.folder.display();
                self.log
                    .error(&format!("Cannot queue messages, dropped; folder='{folder}', error='{error}'"));
                for part in parts {
                    let consumer = self.consumers[part.number].as_ref();
                    consumer
                        .into_iter()
                        .for_each(|consumer| consumer.drop_part(&part, DropReason::Unwritable));
                    part.delivery.ack.fail();
                }
            }
        }
    }

    /// Makes the journal durable, notifies the sources, and passes on what fits in memory.
    fn commit(&mut self) {
        if self.staged.is_empty() {
            return;
        }
        let files_before = self.files.journal.file_starts().len();
        if let Err(error) = self.files.journal.commit() {
            return self.failed(&error);
        }
        let starts = self.files.journal.file_starts();
        let numbers = self.staged.iter().flat_map(|staged| staged.parts.iter().map(|part| part.number));
        let consumers = numbers.fold(ConsumerSet::default(), |all, number| all.or(ConsumerSet::of(number)));
        // All entries of one commit are in one file.
        starts.last().into_iter().for_each(|start| self.index.note(*start, consumers));
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        for Staged { parts, range } in self.staged.drain(..) {
            for part in parts {
                if let Some(consumer) = &mut self.consumers[part.number] {
                    consumer.committed(part, range.clone(), &context);
                }
            }
        }
        // A restart after a crash reads only what followed the last save.
        if starts.len() > files_before {
            self.save();
        }
    }

    /// Reads for destinations that are behind.
    fn forward(&mut self) {
        self.reads_on = false;
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        let mut failed = Ok(());
        for consumer in self.consumers.iter_mut().flatten() {
            match consumer.read(READ_BYTES, &context) {
                Ok(reads_on) => self.reads_on |= reads_on,
                Err(error) => failed = Err(error),
            }
        }
        if let Err(error) = failed {
            self.failed(&error);
        }
        self.move_backlogs();
    }

    /// Moves what waits for destinations that are far behind, or do not run, out of the log, so that it does not grow with what others get.
    fn move_backlogs(&mut self) {
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        let mut moving: Vec<_> = self.files.absent_to_move().collect();
        let mut failed = Ok(());
        for consumer in self.consumers.iter_mut().flatten() {
            if consumer.must_move(&context) {
                match consumer.sync_progress(&context) {
                    Ok(lowest) => moving.push((consumer.name.clone(), consumer.file.identity, lowest)),
                    Err(error) => failed = Err(error),
                }
            }
        }
        if let Err(error) = failed {
            self.failed(&error);
        }
        for (name, identity, lowest) in moving {
            match self.move_backlog(&name, &identity, lowest) {
                Ok(has_more) => self.reads_on |= has_more,
                Err(error) => self.failed(&error),
            }
        }
    }

    fn move_backlog(&mut self, name: &str, identity: &Identity, lowest: u64) -> io::Result<bool> {
        if !self.files.backlogs.contains_key(&identity.number) {
            let folder = self.files.folder.display();
            self.log.notice(&format!(
                "What waits for a destination moves out of a shared disk buffer, which others make long; folder='{folder}', for='{name}'"
            ));
        }
        let mut backlog = self.files.backlog(identity)?;
        let log = LogParts { journal: &self.files.journal, index: &self.index, log: &self.log };
        let moved = backlog.take(identity, lowest, READ_BYTES, &log);
        self.files.backlogs.insert(identity.number, backlog);
        moved
    }

    /// Saves what is settled, and removes the files that nobody needs any more.
    fn save(&mut self) {
        if let Err(error) = self.try_save() {
            self.failed(&error);
        }
    }

    fn try_save(&mut self) -> io::Result<()> {
        self.shorten()?;
        let mut needed = self.files.needed_by_absent().unwrap_or(u64::MAX);
        for consumer in self.consumers.iter_mut().flatten() {
            let context = context(&self.files, &self.inbox, &self.index, &self.log);
            let progress = consumer.progress(&context);
            consumer.file.save(&progress)?;
            let below = progress.settled.below;
            needed = needed.min(self.files.needed(consumer.number(), below));
            if let Some(backlog) = self.files.backlogs.get_mut(&consumer.number())
                && backlog.can_release(below)
            {
                consumer.file.sync()?;
                backlog.release(below)?;
            }
        }
        if self.pays_to_release(needed) {
            // The files must not be removed before the record that they are not needed.
            self.consumers.iter_mut().flatten().try_for_each(|consumer| consumer.file.sync())?;
            self.files.journal.release(needed)?;
            self.files.journal.file_starts().first().into_iter().for_each(|start| self.index.prune(*start));
        }
        Ok(())
    }

    /// Gives up the oldest files for destinations that drop their oldest messages anyway, when what others get has made the
    /// log much longer than their limit. Their threads still have what is in these files, as far as it fits in memory, and deliver it
    /// if they can before the next stop.
    fn shorten(&mut self) -> io::Result<()> {
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        for consumer in self.consumers.iter_mut().flatten() {
            let most = consumer.settings.capacity_bytes.saturating_mul(KEPT_MOST);
            let drops = consumer.settings.on_full == OverflowPolicy::Drop(Victim::Oldest);
            while drops && consumer.lag(&context) > most {
                let before = consumer.lag(&context);
                consumer.drop_oldest(&context)?;
                if consumer.lag(&context) >= before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns true when so many files are not needed that it is worth a sync for each destination.
    fn pays_to_release(&self, needed: u64) -> bool {
        let starts = self.files.journal.file_starts();
        let unneeded = starts.iter().skip(1).filter(|start| **start <= needed).count();
        unneeded > 0 && unneeded * RELEASED_PART >= starts.len()
    }

    /// Stages what waited until a destination that has ended may be further behind: its sources may be unable to send
    /// that again. It is no more than their windows.
    fn save_held(&mut self, number: usize) {
        while let Some(part) = self.consumers[number].as_mut().and_then(|consumer| consumer.held.pop_front())
        {
            self.stage(vec![part]);
        }
        self.commit();
    }

    /// Ends the part of a destination whose thread has ended. Nothing more arrives for it.
    fn end(&mut self, number: usize) {
        self.save_held(number);
        let Some(mut consumer) = self.consumers[number].take() else { return };
        for staged in &mut self.staged {
            while let Some(place) = staged.parts.iter().position(|part| part.number == number) {
                consumer.unstage(&staged.parts.swap_remove(place));
            }
        }
        let context = context(&self.files, &self.inbox, &self.index, &self.log);
        let progress = consumer.progress(&context);
        let saved = consumer.file.save(&progress).and_then(|()| consumer.file.sync());
        if let Err(error) = saved {
            let id = &consumer.id;
            self.log.error(&format!("Cannot save the place in a disk buffer; id='{id}', error='{error}'"));
        }
        consumer.queue.counters.disk_usage.store(consumer.lag(&context), Ordering::Relaxed);
        self.inbox.close(number);
        self.files.absent.push((consumer.name, consumer.file));
    }

    fn failed(&mut self, error: &dyn fmt::Display) {
        let now = Instant::now();
        self.each(|consumer| {
            stats::add(&consumer.queue.counters.errors, 1);
            consumer.queue.counters.set_trouble(Some(format!("disk buffer: {error}")));
        });
        if self.trouble_told.is_none_or(|told| now.duration_since(told) >= TROUBLE_TOLD_EVERY) {
            self.trouble_told = Some(now);
            let folder = self.files.folder.display();
            self.log.error(&format!(
                "Error in a shared disk buffer, trying again; folder='{folder}', error='{error}'"
            ));
        }
        self.retry_at = Some(now + AGAIN);
    }
}

fn context<'a>(
    files: &'a LogFiles,
    inbox: &'a Arc<Inbox>,
    index: &'a FileIndex,
    log: &'a InternalLog,
) -> Context<'a> {
    Context { inbox, journal: &files.journal, index, backlogs: &files.backlogs, log }
}

/// Drops the oldest messages of a destination until a delivery fits, or only those are left that are not durable.
fn make_room(consumer: &mut Consumer, part: &ConsumerPart, context: &Context<'_>) -> io::Result<()> {
    while !consumer.fits(bytes_of(part), context) {
        let before = consumer.waiting(context.inbox);
        consumer.drop_oldest(context)?;
        if consumer.waiting(context.inbox) == before {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns about how many bytes a delivery adds to the log.
fn bytes_of(part: &ConsumerPart) -> u64 {
    let batch = &part.delivery.batch;
    let bytes = batch.received_bytes.len() + batch.extra.len();
    (bytes * part.count / batch.len().max(1)) as u64
}

//! The thread of one destination: takes waiting messages, renders and writes them, and releases their tokens.
//!
//! In: its queue. Out: calls of its driver. Holds: the tokens of messages that are rendered and not yet written.
//! An error of the target is retried after `time-reopen()` with exactly the same bytes: nothing is lost; the queue
//! fills, and then the sources' windows. Limits: one batch above `batch_bytes` is rendered at a time.

mod marks;
mod part;
mod repeats;
pub(crate) mod retry;
mod rows;

pub use marks::mark;

use self::{marks::Marker, part::BatchPart, repeats::Repeats, retry::Retry};
use crate::{
    driver::Driver,
    drivers::{self, DriverContext},
    file::Parts,
    options::{DestinationSpec, OverflowPolicy, Queueing},
    queue::{Command, Item, Queue, Wake, Writer},
    stopping,
};
use letters::DeadLetters;
use message::{Ack, Delivery};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use transport::{
    Clock, HostPolicy, InternalLog, Registry, StageError, own_name,
    stats::{self, DropReason},
};

/// The queue before the thread of a destination.
pub(crate) type DestinationQueue = Queue<Worker>;

/// Starts the thread of a destination, which calls `at_end` last.
pub(crate) fn spawn(
    spec: DestinationSpec,
    queue: Arc<DestinationQueue>,
    (registry, log, letters): (Registry, InternalLog, Option<Arc<DeadLetters>>),
    at_end: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StageError> {
    let name = format!("to {}", spec.id);
    let id = spec.id.clone();
    std::thread::Builder::new()
        .name(name)
        .spawn(move || {
            Worker::run(Box::new(Worker::new(spec, queue, (registry, log, letters))));
            at_end();
        })
        .map_err(|source| StageError::Thread { id, source })
}

/// Returns the filter of repeated messages that `suppress()` asks for.
fn repeats_of(queueing: &Queueing) -> Option<Repeats> {
    let within = queueing.suppress.filter(|within| !within.is_zero())?;
    Some(Repeats::new(within, this_machine()))
}

fn marker_of(queueing: &Queueing, registry: &Registry) -> Option<Marker> {
    queueing.marks.map(|marks| Marker::new(marks, registry.clone(), this_machine()))
}

fn this_machine() -> String {
    own_name(&HostPolicy { fqdn: true, ..HostPolicy::default() })
}

const SECOND: Duration = Duration::from_secs(1);
/// Least time between two log lines about errors of a target on this machine, which is retried more often.
const TROUBLE_REPORTED_EVERY: Duration = Duration::from_secs(60);

/// State of a destination's thread: its driver, and its counts of messages that it took and wrote.
pub(crate) struct Worker {
    id: String,
    queueing: Queueing,
    queue: Arc<DestinationQueue>,
    log: InternalLog,
    clock: Clock,
    driver: Box<dyn Driver>,
    items: VecDeque<Item>,
    /// Rendered and not written: tokens, messages, bytes.
    tokens: Vec<Ack>,
    count: usize,
    bytes: usize,
    /// Messages of `count` that were dropped because the time to stop was over.
    lost: usize,
    /// Messages of `count` that `suppress()` held back. Summaries of these, and marks, are not in `count`.
    held: usize,
    summaries: usize,
    repeats: Option<Repeats>,
    marker: Option<Marker>,
    registry: Registry,
    sequence: u64,
    stop_at: Option<Instant>,
    /// When an error of a target on this machine was last reported; `None` while it works.
    trouble_reported: Option<Instant>,
    /// When the last throttled second began, and what it let through.
    second: (Instant, u32),
}

impl Worker {
    fn new(
        spec: DestinationSpec,
        queue: Arc<DestinationQueue>,
        (registry, log, letters): (Registry, InternalLog, Option<Arc<DeadLetters>>),
    ) -> Worker {
        let repeats = repeats_of(&spec.queueing);
        let marker = marker_of(&spec.queueing, &registry);
        let parts = Parts::new(registry.clone(), queue.counters.clone());
        let context = DriverContext {
            id: &spec.id,
            letters,
            arrivals: queue.arrivals.clone(),
            reopen_after: spec.queueing.reopen_after,
            counters: &queue.counters,
            fresh: queue.fresh.load(Ordering::Relaxed),
            staging: queue.staging.get().cloned(),
        };
        let driver = drivers::of(spec.driver, spec.rendering, &log, parts, context);
        Worker {
            id: spec.id,
            queueing: spec.queueing,
            clock: Clock::new(),
            queue,
            log,
            driver,
            items: VecDeque::new(),
            tokens: Vec::new(),
            count: 0,
            bytes: 0,
            lost: 0,
            held: 0,
            summaries: 0,
            repeats,
            marker,
            registry,
            sequence: 0,
            stop_at: None,
            trouble_reported: None,
            second: (Instant::now(), 0),
        }
    }

    fn run(mut self: Box<Worker>) {
        let queue = self.queue.clone();
        stopping::obey(queue.stops.clone());
        loop {
            let wake;
            (self, wake) = queue.wait(self);
            match wake {
                Wake::Command(command) => self.obey(command),
                Wake::Items => self.write_items(),
                Wake::Timeout if self.has_output() && self.is_due() => self.flush(),
                Wake::Timeout if self.stop_at.is_some() => break,
                Wake::Timeout => self.tick(),
            }
        }
        self.write_summary();
        queue.close();
        queue.counters.set_trouble(None);
        queue.counters.disown();
    }

    /// Returns when the driver must be called even if no message comes.
    fn next_deadline(&self) -> Option<Instant> {
        if self.stop_at.is_some() {
            return Some(Instant::now());
        }
        if self.must_send() {
            return Some(Instant::now());
        }
        let held = (self.count > 0).then(|| self.driver.holds_until().unwrap_or_else(Instant::now));
        let told = self.repeats.as_ref().and_then(Repeats::due_at);
        let marked = self.marker.as_ref().map(Marker::due_at);
        self.driver.next_tick().into_iter().chain(held).chain(told).chain(marked).min()
    }

    /// Returns whether messages that wait for more only must go, because they are what keeps more from coming.
    fn must_send(&self) -> bool {
        self.queue.is_memory_full() && self.driver.only_gathers()
    }

    /// Returns whether output that is held back must be written now.
    fn is_due(&self) -> bool {
        self.stop_at.is_some() || self.driver.holds_until().is_none()
    }

    /// Returns whether something is rendered and not settled.
    fn has_output(&self) -> bool {
        self.count > 0 || self.stop_at.is_some() && self.driver.unsettled() > 0
    }

    fn begin(&mut self) {
        self.driver.begin(self.clock.now());
        if let Some(marker) = &mut self.marker {
            marker.wrote(Instant::now());
        }
    }

    fn write_items(&mut self) {
        self.begin();
        while let Some(item) = self.items.pop_front() {
            match &mut self.repeats {
                None => self.add(&item.delivery),
                Some(repeats) => {
                    let (parts, held) = repeats.sift(&item.delivery.batch, &item.delivery.selection);
                    self.held += held;
                    parts.into_iter().for_each(|part| self.add_part(part, &item.delivery));
                }
            }
            self.keep_token(item);
            if self.driver.size() >= self.queueing.batch_bytes || (self.items.is_empty() && self.is_due()) {
                if !self.items.is_empty() {
                    self.queue.arrivals.notify_one();
                }
                self.flush();
            }
        }
    }

    /// Keeps the token of a rendered item.
    fn keep_token(&mut self, item: Item) {
        if self.driver.settles_rows() {
            return self.leave_queue(&item);
        }
        self.count += item.count;
        self.bytes += item.bytes();
        // The batch goes before the write: its buffer is still in the cache when the reader reuses it.
        self.tokens.push(item.delivery.ack);
    }

    fn add(&mut self, delivery: &Delivery) {
        if self.queueing.throttle > 0 {
            self.add_slowly(delivery);
        } else {
            self.driver.add(delivery, &mut self.sequence);
        }
    }

    /// Adds the part of a delivery that `suppress()` passed, or a summary of what it held back.
    fn add_part(&mut self, part: BatchPart, delivery: &Delivery) {
        let BatchPart { batch, selection } = part;
        if !Arc::ptr_eq(&batch, &delivery.batch) {
            self.summaries += 1;
        }
        // The rest of a delivery has gaps: its messages get ids of their own.
        self.add(&Delivery { batch, selection, first: None, ..delivery.clone() });
    }

    /// Writes how often the last message came again.
    fn write_summary(&mut self) {
        let now = self.clock.now();
        let summary = self.repeats.as_mut().and_then(|repeats| repeats.summary(now));
        self.write_own(summary);
    }

    /// Writes a message that did not come through the queue.
    fn write_own(&mut self, part: Option<BatchPart>) {
        let Some(BatchPart { batch, selection }) = part else { return };
        self.driver.begin(self.clock.now());
        let own = Delivery { batch, selection, ack: Ack::none(), controlled: false, first: None };
        self.driver.add(&own, &mut self.sequence);
        self.summaries += 1;
        self.count_added();
        self.flush();
    }

    fn tick(&mut self) {
        let now = Instant::now();
        if self.repeats.as_ref().and_then(Repeats::due_at).is_some_and(|due| due <= now) {
            self.write_summary();
        }
        let stamp = self.clock.now();
        let mark = self.marker.as_mut().and_then(|marker| marker.take(now, stamp));
        self.write_own(mark);
        self.driver.tick(now);
        if self.must_send() {
            self.driver.send_gathered();
        }
        if self.driver.unsettled() > 0 {
            self.flush();
        }
    }

    /// Adds and writes at most `throttle()` messages a second.
    fn add_slowly(&mut self, delivery: &Delivery) {
        let mut left = delivery.selection.clone();
        let mut sent = 0;
        while !left.is_empty() {
            if self.second.0.elapsed() >= SECOND {
                self.second = (Instant::now(), 0);
            }
            let room = self.queueing.throttle.saturating_sub(self.second.1) as usize;
            let part = left.first(room);
            let count = part.count();
            left.subtract(&part);
            let first = delivery.first.map(|first| first.after(sent));
            self.driver.add(&Delivery { selection: part, first, ..delivery.clone() }, &mut self.sequence);
            sent += count as u64;
            self.second.1 += count as u32;
            if left.is_empty() {
                return;
            }
            if !self.write_out() || !self.pause(self.second.0 + SECOND) {
                self.lost += left.count();
                delivery.ack.fail();
                return;
            }
        }
    }

    /// Writes everything that is rendered, and releases the tokens.
    fn flush(&mut self) {
        let is_written = self.write_out();
        self.count_settled();
        if is_written { self.written() } else { self.abort() }
    }

    /// Counts what is written, and releases its tokens.
    fn written(&mut self) {
        let now = self.clock.now().unix_s().max(0) as u64;
        self.queue.counters.stamp_s.store(now, Ordering::Relaxed);
        stats::add(&self.queue.counters.frame_errors, self.driver.take_cut());
        let refused = self.count_refused();
        let gone = (refused + self.lost + self.held).min(self.count + self.summaries);
        stats::add(&self.queue.counters.written, self.count + self.summaries - gone);
        self.settle();
    }

    /// Counts messages that the target or its receiver did not accept. Returns their number.
    fn count_refused(&mut self) -> usize {
        let most = self.count + self.summaries;
        let unwritable = self.driver.take_unwritable().min(most);
        let refused = self.driver.take_refused().min(most - unwritable);
        stats::add(self.queue.counters.dropped_for(DropReason::Unwritable), unwritable);
        stats::add(self.queue.counters.dropped_for(DropReason::Refused), refused);
        unwritable + refused
    }

    /// Tries until everything is written. Returns false when the time to stop is over first.
    fn write_out(&mut self) -> bool {
        if !self.driver.settles_rows() {
            stats::add(&self.queue.counters.bytes, self.driver.size());
        }
        // A value on the stack: a write that succeeds at once, as nearly all do, costs one reading of the clock.
        let mut retry = Retry::new(self.driver.size(), Instant::now());
        while let Err(error) = self.driver.flush() {
            // A slow reader is not an error, but the thread checks now and then whether it must stop.
            let pause = match error.kind() {
                io::ErrorKind::WouldBlock => Duration::ZERO,
                _ => self.suspended(&error),
            };
            let failed = (error.kind(), self.driver.size());
            let Some(until) = retry.next(failed, pause, self.stop_at, Instant::now()) else { return false };
            if !self.pause(until) {
                return false;
            }
        }
        if self.trouble_reported.take().is_some() {
            self.queue.counters.set_trouble(None);
            self.log.notice(&format!("Destination works again; id='{}'", self.id));
        }
        true
    }

    /// Counts and reports an error of the target. Returns how long to wait before the next try.
    fn suspended(&mut self, error: &io::Error) -> Duration {
        stats::add(&self.queue.counters.errors, 1);
        let reopen = self.queueing.reopen_after;
        let local = self.driver.local_pause();
        if local.is_some() {
            self.queue.counters.set_trouble(Some(error.to_string()));
            let now = Instant::now();
            let was_reported =
                self.trouble_reported.is_some_and(|at| now.duration_since(at) < TROUBLE_REPORTED_EVERY);
            if was_reported {
                return local.unwrap_or(reopen).min(reopen);
            }
            self.trouble_reported = Some(now);
        }
        let pause = local.unwrap_or(reopen).min(reopen);
        self.log.error(&format!(
            "Error writing to a destination, suspending it; id='{}', error='{error}', time_reopen='{}'",
            self.id,
            pause.as_secs_f32()
        ));
        pause
    }

    /// Waits before another attempt. Returns false when there must not be one.
    fn pause(&mut self, until: Instant) -> bool {
        loop {
            let until = self.stop_at.map_or(until, |stop| until.min(stop));
            let Some(command) = self.queue.pause(until) else {
                return self.stop_at.is_none_or(|stop| Instant::now() < stop);
            };
            // Before a stop, another attempt is made at once.
            let again = matches!(command, Command::Configure(_) | Command::Reopen | Command::Stop(_));
            self.obey(command);
            if again {
                return true;
            }
        }
    }

    /// Drops what can no longer be written; the sources are notified of the failure.
    fn abort(&mut self) {
        let lost = self.driver.abandon();
        let lost = self.count_abandoned(lost);
        let waiting: usize = self.items.iter().map(|item| item.count).sum();
        if lost + waiting > 0 && self.stop_at.is_some() && !self.queue.is_backed {
            self.log.error(&format!(
                "Destination took no more before the stop, dropping messages; id='{}', messages='{}'",
                self.id,
                lost + waiting
            ));
        }
        let refused = self.count_refused();
        let gone = lost + refused + self.lost + self.held;
        stats::add(&self.queue.counters.written, (self.count + self.summaries).saturating_sub(gone));
        self.lost += lost;
        self.tokens.iter().for_each(Ack::fail);
        self.settle();
        let rest: usize = self.items.iter().map(|item| item.count).sum();
        let bytes = self.items.iter().map(Item::bytes).sum();
        self.items.drain(..).for_each(|item| item.delivery.ack.fail());
        self.queue.done(rest, bytes, rest);
    }

    fn settle(&mut self) {
        // A summary that the stop prevented was never in the queue: it counts nowhere.
        let unwritten = self.summaries.min(self.lost);
        self.queue.done(self.count, self.bytes, self.lost - unwritten);
        stats::add(self.queue.counters.dropped_for(DropReason::Suppressed), self.held);
        stats::add(&self.queue.counters.processed, self.summaries - unwritten);
        (self.count, self.bytes, self.lost, self.held, self.summaries) = (0, 0, 0, 0, 0);
        self.tokens.clear();
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Stop(deadline) => self.stop_at = Some(deadline),
            Command::Reopen => self.driver.reopen(),
            Command::Configure(spec) => {
                let DestinationSpec { driver, rendering, queueing, .. } = *spec;
                self.driver.set_reopen_after(queueing.reopen_after);
                self.driver.configure(driver, rendering);
                if queueing.suppress != self.queueing.suppress {
                    self.repeats = repeats_of(&queueing);
                }
                if queueing.marks != self.queueing.marks {
                    self.marker = marker_of(&queueing, &self.registry);
                }
                if matches!(queueing.on_full, OverflowPolicy::Drop(_)) && !self.queue.is_backed {
                    // As for what waits in the queue: sources do not wait for a destination that drops.
                    self.items.iter_mut().for_each(|item| drop(item.let_go()));
                }
                self.queueing = queueing;
                // The driver may have waited for answers, and no message or deadline need follow them.
                if self.driver.settles_rows() {
                    self.flush();
                }
            }
        }
    }
}

impl Writer for Worker {
    fn items(&mut self) -> &mut VecDeque<Item> {
        &mut self.items
    }

    fn deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }

    fn can_write_inline(&self) -> bool {
        let is_plain = self.queueing.throttle == 0 && self.repeats.is_none();
        is_plain && self.count == 0 && self.stop_at.is_none() && self.driver.can_write_inline()
    }

    fn write(&mut self, item: Item) {
        self.begin();
        self.add(&item.delivery);
        self.keep_token(item);
        let size = self.driver.size();
        let result = self.driver.flush();
        stats::add(&self.queue.counters.bytes, size - self.driver.size());
        if result.is_ok() {
            self.written();
        }
    }
}

#[cfg(test)]
mod tests;

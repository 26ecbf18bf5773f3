//! The queue before a destination: the messages that wait for its thread.
//!
//! In: deliveries from any thread, commands of the configuration. Out: both, to the destination's one thread.
//! Holds: deliveries; if it drops messages rather than hold back, their token is released at once. While the thread
//! rests, also its writer: a reader that may write borrows it, writes its delivery directly, and puts it back.
//! Limits: `log-fifo-size()` messages and `bytes_max` bytes for paths without flow control; what does not fit
//! is dropped and counted. Controlled deliveries always fit: the sources' windows bound them, unless `on-full()` says that
//! messages of all paths are dropped.

mod waiting;

pub(super) use self::waiting::{Item, severities_of};

use self::waiting::{Shed, Waiting};
use crate::options::{DestinationSpec, Queueing, Victim};
use message::{Ack, Delivery, Outlet, WriteBudget};
use receivers::staging::Staging;
use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use transport::stats::{self, Counters, DropReason};

/// A write on a reader's thread that takes this long was delayed by the disk.
const SLOW_WRITE: Duration = Duration::from_millis(20);
/// Time after such a write in which only the destination's thread writes: readers must not wait.
const INLINE_WRITE_DISABLED_FOR: Duration = Duration::from_secs(60);

/// Command of the configuration to a destination's thread.
pub(super) enum Command {
    /// New settings; the queue stays.
    Configure(Box<DestinationSpec>),
    /// Close and reopen the target.
    Reopen,
    /// Write waiting messages until then, and end.
    Stop(Instant),
}

/// The writing part of a destination's thread.
pub(super) trait Writer: Send {
    /// Returns the list for waiting items; empty while the thread rests.
    fn items(&mut self) -> &mut VecDeque<Item>;
    /// Returns when the thread must be woken even if nothing comes.
    fn deadline(&self) -> Option<Instant>;
    /// Returns true when a reader may write: it is quick, and nothing waits to be written before.
    fn can_write_inline(&self) -> bool;
    /// Writes on a reader's thread. What cannot be written is left to the thread, which is then due at once.
    fn write(&mut self, item: Item);
}

/// Treatment of messages by a full queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WhenFull {
    /// Messages without flow control are dropped and counted.
    Drops,
    /// Messages are kept, and the sources held back (`file()`).
    HoldsBack,
    /// Messages are dropped and counted, also those with flow control.
    DropsAll(Victim),
}

/// The room in memory for what waits on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FullMemory {
    /// It takes no more until something in it is settled.
    Yes,
    /// It takes more, or there is no more.
    No,
}

/// The two ends of the queue share this.
pub(super) struct Queue<W> {
    state: Mutex<State<W>>,
    wake: Condvar,
    /// True when its contents are also on disk: messages that cannot be written stay there and are not lost.
    pub(super) is_backed: bool,
    pub(super) counters: Arc<Counters>,
    /// Set when the command to stop was given, see [`super::stopping`].
    pub(super) stops: Arc<AtomicBool>,
    /// True when more waits on disk than may be in memory.
    memory_is_full: AtomicBool,
    /// Tells a thread that waits for its receiver that messages or commands wait, too.
    pub(super) arrivals: Arc<Notify>,
    /// The number that a queue on disk was to give next when it was opened.
    pub(super) fresh: AtomicU64,
    /// The messages that its receiver has staged; set by a queue on disk that is `reliable()`.
    pub(super) staging: OnceLock<Arc<Staging>>,
}

struct State<W> {
    /// The writer of the thread, which rests.
    resting: Option<Box<W>>,
    /// True when the thread woke while a reader had its writer.
    missed: bool,
    /// Until then, readers leave the writing to the thread.
    inline_write_disabled_until: Option<Instant>,
    waiting: Waiting,
    commands: VecDeque<Command>,
    /// Number of unwritten messages, including those that the thread has taken.
    messages: usize,
    bytes: usize,
    messages_max: usize,
    bytes_max: usize,
    when_full: WhenFull,
    /// True when the thread has ended: further messages are dropped.
    closed: bool,
}

/// Reason why the thread woke.
pub(super) enum Wake {
    Command(Command),
    Items,
    Timeout,
}

impl<W: Writer> Queue<W> {
    pub(super) fn new(queueing: &Queueing, when_full: WhenFull, counters: Arc<Counters>) -> Queue<W> {
        let state = State {
            resting: None,
            missed: false,
            inline_write_disabled_until: None,
            waiting: Waiting::default(),
            commands: VecDeque::new(),
            messages: 0,
            bytes: 0,
            messages_max: queueing.messages_max,
            bytes_max: queueing.bytes_max,
            when_full,
            closed: false,
        };
        Queue {
            state: Mutex::new(state),
            wake: Condvar::new(),
            is_backed: queueing.disk.is_some(),
            counters,
            stops: Arc::default(),
            memory_is_full: AtomicBool::new(false),
            arrivals: Arc::default(),
            fresh: AtomicU64::new(0),
            staging: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the limits; waiting messages stay. From a queue that drops from now on, sources no longer wait for them.
    pub(super) fn resize(&self, queueing: &Queueing, when_full: WhenFull) {
        let mut state = self.lock();
        state.messages_max = queueing.messages_max;
        state.bytes_max = queueing.bytes_max;
        let has_changed = std::mem::replace(&mut state.when_full, when_full) != when_full;
        let released = match when_full {
            WhenFull::DropsAll(victim) if has_changed && !self.is_backed => state.waiting.let_go(victim),
            _ => Vec::new(),
        };
        drop(state);
        // Sources are notified outside the lock.
        drop(released);
    }

    pub(super) fn command(&self, command: Command) {
        if matches!(command, Command::Stop(_)) {
            self.stops.store(true, Ordering::Relaxed);
        }
        self.lock().commands.push_back(command);
        self.wake.notify_one();
        self.arrivals.notify_one();
    }

    /// Notes whether more waits on disk than may be in memory, which the thread learns at once.
    pub(super) fn set_memory_full(&self, is_full: FullMemory) {
        let is_full = is_full == FullMemory::Yes;
        if self.memory_is_full.swap(is_full, Ordering::Relaxed) != is_full && is_full {
            self.wake();
        }
    }

    /// Wakes the thread, if it rests, to look at when it must be woken.
    pub(super) fn wake(&self) {
        // The lock: a thread that is about to wait must not miss it.
        drop(self.lock());
        self.wake.notify_one();
    }

    /// Returns whether more waits on disk than may be in memory.
    pub(super) fn is_memory_full(&self) -> bool {
        self.memory_is_full.load(Ordering::Relaxed)
    }

    /// Lends the writer to readers until there are commands or items for the thread, or its deadline has passed.
    /// The items are then with the writer.
    pub(super) fn wait(&self, writer: Box<W>) -> (Box<W>, Wake) {
        let mut state = self.lock();
        state.resting = Some(writer);
        loop {
            let mut left = None;
            // A reader that borrowed the writer wakes the thread when there is work for it.
            if let Some(mut writer) = state.resting.take() {
                if let Some(command) = state.commands.pop_front() {
                    return (writer, Wake::Command(command));
                }
                if !state.waiting.is_empty() {
                    debug_assert!(writer.items().is_empty());
                    state.waiting.swap(writer.items());
                    return (writer, Wake::Items);
                }
                left = writer.deadline().map(|at| at.saturating_duration_since(Instant::now()));
                if left.is_some_and(|left| left.is_zero()) {
                    return (writer, Wake::Timeout);
                }
                state.resting = Some(writer);
            } else {
                state.missed = true;
            }
            state = match left {
                Some(left) => self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Returns the resting writer if this thread may write a delivery, with nothing waiting before it.
    fn borrow(&self, state: &mut State<W>, budget: &WriteBudget) -> Option<Box<W>> {
        let is_first = state.waiting.is_empty() && state.commands.is_empty();
        let is_lent =
            state.when_full == WhenFull::HoldsBack && is_first && state.resting.is_some() && !self.is_backed;
        if !(is_lent && budget.allows(Instant::now)) {
            return None;
        }
        if let Some(until) = state.inline_write_disabled_until {
            if Instant::now() < until {
                return None;
            }
            state.inline_write_disabled_until = None;
        }
        state.resting.take_if(|writer| writer.can_write_inline())
    }

    /// Writes with the borrowed writer, and puts it back.
    fn write_with(&self, mut writer: Box<W>, item: Item, budget: &WriteBudget) {
        let start = Instant::now();
        writer.write(item);
        // A writer that is due at once returns the current time.
        let due = writer.deadline();
        let now = Instant::now();
        let is_due = due.is_some_and(|at| at <= now);
        let mut state = self.lock();
        budget.extend(now.duration_since(start));
        if now.duration_since(start) > SLOW_WRITE {
            state.inline_write_disabled_until = Some(now + INLINE_WRITE_DISABLED_FOR);
        }
        state.resting = Some(writer);
        let was_missed = std::mem::take(&mut state.missed);
        let is_wanted = is_due || was_missed || !state.waiting.is_empty() || !state.commands.is_empty();
        drop(state);
        if is_wanted {
            self.wake.notify_one();
        }
    }

    /// Waits for a command until `deadline`, whatever else arrives.
    pub(super) fn pause(&self, deadline: Instant) -> Option<Command> {
        let mut state = self.lock();
        loop {
            if let Some(command) = state.commands.pop_front() {
                return Some(command);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Closes the queue: waiting and further messages are dropped, counted, and reported as failed.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let mut items = VecDeque::new();
        state.waiting.swap(&mut items);
        drop(state);
        for item in items {
            self.done(item.count, item.bytes(), item.count);
            item.delivery.ack.fail();
        }
    }

    /// Counts items as written, and `lost` of their messages as not: they no longer count as queued, unless they
    /// are on disk.
    pub(super) fn done(&self, count: usize, bytes: usize, lost: usize) {
        let mut state = self.lock();
        state.messages = state.messages.saturating_sub(count);
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        if !self.is_backed {
            stats::add(self.counters.dropped_for(DropReason::Stopped), lost);
        }
        stats::subtract(&self.counters.queued, if self.is_backed { count - lost.min(count) } else { count });
        stats::subtract(&self.counters.memory_usage, bytes);
    }

    /// Drops messages of a delivery, or waiting ones, until it fits. Returns how many of its messages are left.
    fn make_room(&self, state: &mut State<W>, delivery: &mut Delivery, wanted: usize) -> usize {
        let victim = match state.when_full {
            WhenFull::DropsAll(victim) => victim,
            WhenFull::Drops | WhenFull::HoldsBack => Victim::Newest,
        };
        let limits = (state.messages_max, state.bytes_max);
        let (shed, reason) = match victim {
            Victim::Newest => {
                let room = state.messages_max.saturating_sub(state.messages);
                let left = if state.bytes >= state.bytes_max { 0 } else { wanted.min(room) };
                let mut shed = Shed { incoming: wanted - left, ..Shed::default() };
                if left < wanted {
                    let first = delivery.selection.first(left);
                    let mut rest = std::mem::replace(&mut delivery.selection, first);
                    rest.subtract(&delivery.selection);
                    shed.count(delivery, &rest);
                }
                (shed, DropReason::QueueFull)
            }
            Victim::Oldest => {
                (state.waiting.shed_oldest(delivery, wanted, limits), DropReason::QueueFullOldest)
            }
            Victim::LeastSevere => {
                (state.waiting.shed_least_severe(delivery, wanted, limits), DropReason::QueueFullSeverity)
            }
        };
        if shed.incoming + shed.waiting > 0 {
            state.messages = state.messages.saturating_sub(shed.waiting);
            state.bytes = state.bytes.saturating_sub(shed.bytes);
            stats::add(self.counters.dropped_for(reason), shed.incoming + shed.waiting);
            self.counters.add_shed(&shed.severities);
            stats::subtract(&self.counters.queued, shed.waiting);
            stats::subtract(&self.counters.memory_usage, shed.bytes);
        }
        wanted - shed.incoming
    }

    /// Notes that messages went from the queue to the driver, which settles each separately.
    pub(super) fn leave(&self, count: usize, bytes: usize) {
        let mut state = self.lock();
        state.messages = state.messages.saturating_sub(count);
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        stats::subtract(&self.counters.memory_usage, bytes);
    }

    /// Takes a delivery of a queue on disk, which was counted there. Returns it when the thread has ended.
    pub(super) fn enqueue(&self, delivery: Delivery, count: usize) -> Result<(), Delivery> {
        let bytes = delivery.batch.held_bytes();
        let mut state = self.lock();
        if state.closed {
            return Err(delivery);
        }
        state.messages += count;
        state.bytes += bytes;
        stats::add(&self.counters.memory_usage, bytes);
        state.waiting.push(Item::new(delivery, count));
        let rests = state.resting.is_some();
        drop(state);
        match rests {
            true => self.wake.notify_one(),
            false => self.arrivals.notify_one(),
        }
        Ok(())
    }
}

impl<W: Writer> Outlet for Queue<W> {
    fn deliver(&self, mut delivery: Delivery, budget: &WriteBudget) {
        let wanted = delivery.selection.count();
        if wanted == 0 {
            return;
        }
        stats::add(&self.counters.processed, wanted);
        let mut state = self.lock();
        if state.closed {
            drop(state);
            stats::add(self.counters.dropped_for(DropReason::Stopped), wanted);
            return delivery.ack.fail();
        }
        let is_bounded = match state.when_full {
            WhenFull::Drops => !delivery.controlled,
            WhenFull::HoldsBack => false,
            // A delivery with an id is stored elsewhere until its token is released: a dead letter that is
            // delivered again.
            WhenFull::DropsAll(_) => delivery.first.is_none(),
        };
        let mut count = wanted;
        if is_bounded {
            // The queue must not hold the source back: its own limit is the bound.
            delivery.ack = Ack::none();
            count = self.make_room(&mut state, &mut delivery, wanted);
            if count == 0 {
                return;
            }
        }
        // A few messages would keep the whole batch in memory for as long as they wait; one that is written at once
        // need not be copied.
        if is_bounded && !state.waiting.is_empty() {
            delivery.copy_if_sparse(count);
        }
        let item = match state.when_full {
            WhenFull::DropsAll(Victim::LeastSevere) => Item::with_severities(delivery, count),
            _ => Item::new(delivery, count),
        };
        state.messages += count;
        state.bytes += item.bytes();
        // Count it before another thread can take it out.
        stats::add(&self.counters.queued, count);
        stats::add(&self.counters.memory_usage, item.bytes());
        if let Some(writer) = self.borrow(&mut state, budget) {
            drop(state);
            return self.write_with(writer, item, budget);
        }
        state.waiting.push(item);
        // A working thread checks for more before it rests: waking it would waste a system call, unless it waits for a receiver.
        let rests = state.resting.is_some();
        drop(state);
        match rests {
            true => self.wake.notify_one(),
            false => self.arrivals.notify_one(),
        }
    }
}

#[cfg(test)]
impl<W: Writer> Queue<W> {
    /// Takes all waiting items, for a test that plays the destination.
    pub(super) fn take_all(&self) -> VecDeque<Item> {
        let mut items = VecDeque::new();
        self.lock().waiting.swap(&mut items);
        items
    }
}

#[cfg(test)]
mod tests;

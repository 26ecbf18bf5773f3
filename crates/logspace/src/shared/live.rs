//! Live tail: sends messages that just became durable to all subscribers.
//!
//! In: batches with their sequence numbers. Out: the same to each subscriber, or how many it missed.
//! Holds: a bounded queue per subscriber. Limits: [`LIVE_BATCHES_MAX`] and [`LIVE_BYTES_MAX`]; a slow subscriber misses
//! messages and learns how many; it never blocks anything else.

use message::{Batch, Selection};
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// Batches that may wait for a subscriber: about a second of a busy logspace.
pub const LIVE_BATCHES_MAX: usize = 1024;

/// Bytes that may wait for a subscriber.
pub const LIVE_BYTES_MAX: u64 = 16 << 20;

/// One step of a live tail.
#[derive(Clone, Debug)]
pub enum Live {
    /// New messages.
    Messages {
        /// The batch they came in.
        batch: Arc<Batch>,
        /// The selected messages of the batch.
        selection: Selection,
        /// Sequence number of the first of them; the others follow.
        first_sequence: u64,
    },
    /// The subscriber was too slow: messages are left out here.
    Lagged {
        /// How many.
        messages: u64,
    },
}

/// Receives the messages that arrive after it was made.
pub struct Subscription(Arc<Mailbox>);

/// The sending side.
#[derive(Default)]
pub(crate) struct Broadcast {
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
}

struct Mailbox {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Live, u64)>,
    bytes: u64,
    missed: u64,
    closed: bool,
    waker: Option<Waker>,
}

impl Subscription {
    /// Waits for the next step; `None` when nothing came within `timeout` or the logspace is closed.
    pub fn wait(&self, timeout: Duration) -> Option<Live> {
        let deadline = Instant::now() + timeout;
        let mut state = self.0.locked();
        loop {
            if let Some(live) = state.next() {
                return Some(live);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.closed || left.is_zero() {
                return None;
            }
            state = self.0.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Polls for the next step, for asynchronous callers; `Ready(None)` when the logspace is closed.
    pub fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Live>> {
        let mut state = self.0.locked();
        match state.next() {
            Some(live) => Poll::Ready(Some(live)),
            None if state.closed => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Broadcast {
    pub(crate) fn subscribe(&self) -> Subscription {
        let mailbox = Arc::new(Mailbox { state: Mutex::default(), filled: Condvar::new() });
        self.locked().push(Arc::downgrade(&mailbox));
        Subscription(mailbox)
    }

    /// Sends messages to all subscribers.
    pub(crate) fn send(&self, batch: &Arc<Batch>, selection: &Selection, first_sequence: u64, bytes: u64) {
        let mut mailboxes = self.locked();
        if mailboxes.is_empty() {
            return;
        }
        let messages =
            || Live::Messages { batch: Arc::clone(batch), selection: selection.clone(), first_sequence };
        let count = selection.count() as u64;
        mailboxes.retain(|mailbox| {
            let Some(mailbox) = mailbox.upgrade() else { return false };
            mailbox.push(messages, bytes, count);
            true
        });
    }

    /// Ends all subscriptions.
    pub(crate) fn close(&self) {
        for mailbox in self.locked().drain(..).filter_map(|mailbox| mailbox.upgrade()) {
            let mut state = mailbox.locked();
            state.closed = true;
            mailbox.wake(state);
        }
    }

    /// Returns the number of subscribers.
    pub(crate) fn count(&self) -> usize {
        self.locked().iter().filter(|mailbox| mailbox.strong_count() > 0).count()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Weak<Mailbox>>> {
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mailbox {
    fn push(&self, messages: impl Fn() -> Live, bytes: u64, count: u64) {
        let mut state = self.locked();
        let full = state.waiting.len() >= LIVE_BATCHES_MAX || state.bytes + bytes > LIVE_BYTES_MAX;
        if state.missed > 0 || (full && !state.waiting.is_empty()) {
            state.missed += count;
            return;
        }
        state.waiting.push_back((messages(), bytes));
        state.bytes += bytes;
        self.wake(state);
    }

    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let waker = state.waker.take();
        drop(state);
        self.filled.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the next batch that waits; then, once, how many were missed since.
    fn next(&mut self) -> Option<Live> {
        if let Some((live, bytes)) = self.waiting.pop_front() {
            self.bytes -= bytes;
            return Some(live);
        }
        let messages = std::mem::take(&mut self.missed);
        (messages > 0).then_some(Live::Lagged { messages })
    }
}

#[cfg(test)]
mod tests {
    //! Subscribers that keep up, that do not, and that go.

    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    /// Sends some batches of one message each.
    fn send(broadcast: &Broadcast, sequences: std::ops::Range<u64>, bytes: u64) {
        let batch = Arc::new(Batch::default());
        sequences.for_each(|sequence| broadcast.send(&batch, &Selection::all(1), sequence, bytes));
    }

    /// Returns what a subscriber gets without waiting: numbers of messages, and `-N` for N that it missed.
    fn got(subscription: &Subscription) -> Vec<i64> {
        let next = || match subscription.wait(Duration::ZERO)? {
            Live::Messages { first_sequence, .. } => Some(first_sequence as i64),
            Live::Lagged { messages } => Some(-(messages as i64)),
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_subscriber_gets_what_comes_from_now_on() {
        let broadcast = Broadcast::default();
        send(&broadcast, 0..2, 1);
        let one = broadcast.subscribe();
        send(&broadcast, 2..4, 1);
        let two = broadcast.subscribe();
        send(&broadcast, 4..5, 1);
        assert_eq!((got(&one), got(&two)), (vec![2, 3, 4], vec![4]));
        assert_eq!(broadcast.count(), 2);
        drop(one);
        assert_eq!(broadcast.count(), 1);
        send(&broadcast, 5..6, 1);
        assert_eq!((broadcast.count(), got(&two)), (1, vec![5]));
    }

    #[test]
    fn a_slow_subscriber_misses_what_is_beyond_its_limits() {
        let most = LIVE_BATCHES_MAX as u64;
        let (broadcast, half) = (Broadcast::default(), LIVE_BYTES_MAX / 2);
        let subscription = broadcast.subscribe();
        send(&broadcast, 0..most, 1);
        assert_eq!(got(&subscription).len(), LIVE_BATCHES_MAX);
        send(&broadcast, 0..most + 3, 1);
        let all = got(&subscription);
        assert_eq!((all.len(), all.last()), (LIVE_BATCHES_MAX + 1, Some(&-3)));
        send(&broadcast, 0..2, half);
        send(&broadcast, 2..3, 1);
        // What comes behind a gap is part of it until the subscriber knows of it.
        assert!(matches!(subscription.wait(Duration::ZERO), Some(Live::Messages { first_sequence: 0, .. })));
        send(&broadcast, 3..4, 1);
        assert_eq!(got(&subscription), [1, -2]);
        send(&broadcast, 4..5, LIVE_BYTES_MAX + 1);
        send(&broadcast, 5..6, 1);
        assert_eq!(got(&subscription), [4, -1], "one batch always has room");
        send(&broadcast, 6..8, half);
        assert_eq!(got(&subscription), [6, 7], "the bytes of what was taken are free");
    }

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Wakes>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn who_polls_is_woken_once_and_learns_of_the_end() {
        let (broadcast, wakes) = (Broadcast::default(), Arc::<Wakes>::default());
        let subscription = broadcast.subscribe();
        let waker = Waker::from(wakes.clone());
        let mut context = Context::from_waker(&waker);
        assert!(subscription.poll(&mut context).is_pending());
        send(&broadcast, 0..2, 1);
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
        for sequence in 0..2 {
            let Poll::Ready(Some(Live::Messages { first_sequence, .. })) = subscription.poll(&mut context)
            else {
                panic!("nothing came");
            };
            assert_eq!(first_sequence, sequence);
        }
        assert!(subscription.poll(&mut context).is_pending());
        broadcast.close();
        assert_eq!((wakes.0.load(Ordering::SeqCst), broadcast.count()), (2, 0));
        assert!(matches!(subscription.poll(&mut context), Poll::Ready(None)));
        assert!(subscription.wait(Duration::from_secs(3600)).is_none(), "nothing comes any more");
    }
}

//! What tests see of the threads that wait in queues.
//!
//! In: who begins to wait. Out: how often that was, and a wake-up for the tests.

use super::{Duration, Instant, PopResult, Queue, TURNS};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Counts of one queue.
#[derive(Default)]
pub(crate) struct Observed {
    /// How often its taker began to wait.
    waits: AtomicU64,
    /// How often somebody waited for room.
    held_back: AtomicU64,
}

impl Observed {
    pub(super) fn waits(&self) {
        self.waits.fetch_add(1, SeqCst);
        TURNS.take();
    }

    pub(super) fn held_back(&self) {
        self.held_back.fetch_add(1, SeqCst);
        TURNS.take();
    }
}

impl<T> Queue<T> {
    /// Returns how often the taker began to wait.
    pub(crate) fn waits(&self) -> u64 {
        self.observed.waits.load(SeqCst)
    }

    /// Returns true when somebody had to wait for room.
    pub(crate) fn held_back(&self) -> bool {
        self.observed.held_back.load(SeqCst) > 0
    }
}

#[track_caller]
fn check_taken(queue: &Queue<u32>, cost_max: u64, want: &[u32]) {
    match queue.take(cost_max, Instant::now()) {
        PopResult::Items(items) => assert_eq!(items, want),
        PopResult::Nothing => assert_eq!(want, [0; 0]),
        PopResult::Closed => panic!("the queue is closed"),
    }
}

#[test]
fn items_are_taken_up_to_a_cost_but_at_least_one() {
    let queue = Queue::new(100);
    (1..=5).for_each(|item| queue.offer(item, 10).unwrap());
    assert_eq!(queue.load(), 50);
    check_taken(&queue, 0, &[1]);
    check_taken(&queue, 20, &[2, 3]);
    assert_eq!(queue.load(), 20);
    check_taken(&queue, 19, &[4]);
    check_taken(&queue, 100, &[5]);
    check_taken(&queue, 100, &[]);
    assert_eq!(queue.load(), 0);
}

#[test]
fn an_item_fits_under_the_bound_or_alone() {
    let queue = Queue::new(100);
    assert_eq!(queue.offer(1, 300), Ok(()), "a larger one fits when nothing waits");
    assert_eq!(queue.offer(2, 1), Err(2));
    assert_eq!(queue.force(3, 50), Ok(()), "and what is bounded elsewhere always does");
    assert_eq!(queue.load(), 350);
    check_taken(&queue, u64::MAX, &[1, 3]);
    assert_eq!([queue.offer(4, 60), queue.offer(5, 40), queue.offer(6, 1)], [Ok(()), Ok(()), Err(6)]);
}

#[test]
fn a_closed_queue_gives_what_it_has_and_takes_no_more() {
    let queue = Queue::new(10);
    queue.offer(1, 1).unwrap();
    assert!(!queue.is_closed());
    queue.close();
    assert!(queue.is_closed());
    assert_eq!([queue.offer(2, 1), queue.force(3, 1), queue.put(4, 1)], [Err(2), Err(3), Err(4)]);
    check_taken(&queue, 10, &[1]);
    assert!(matches!(queue.take(10, Instant::now() + Duration::from_secs(60)), PopResult::Closed));
    // These would wait for ever.
    queue.pause(Duration::from_secs(3600));
    queue.linger(1, Instant::now() + Duration::from_secs(3600));
}

#[test]
fn a_nudge_wakes_the_taker_once() {
    let queue = Queue::<u32>::new(10);
    queue.nudge();
    let began = Instant::now();
    assert!(matches!(queue.take(10, began + Duration::from_secs(3600)), PopResult::Nothing));
    assert!(began.elapsed() < Duration::from_secs(600));
    assert!(matches!(queue.take(10, Instant::now() + Duration::from_millis(1)), PopResult::Nothing));
    queue.nudge();
    queue.offer(7, 1).unwrap();
    check_taken(&queue, 10, &[7]);
    queue.nudge();
    // A thread that waits for a cost is not woken by a nudge, but by enough items at once.
    queue.offer(8, 5).unwrap();
    queue.linger(5, Instant::now() + Duration::from_secs(3600));
    queue.linger(6, Instant::now() + Duration::from_millis(1));
}

#[test]
fn who_puts_waits_until_there_is_space() {
    let queue = Queue::new(10);
    queue.put(1, 10).unwrap();
    std::thread::scope(|scope| {
        let put = scope.spawn(|| queue.put(2, 5));
        assert!(TURNS.wait(Duration::from_secs(10), &mut || queue.held_back()), "it waits");
        check_taken(&queue, 10, &[1]);
        assert_eq!(put.join().unwrap(), Ok(()));
    });
    check_taken(&queue, 10, &[2]);
    queue.put(3, 10).unwrap();
    std::thread::scope(|scope| {
        let put = scope.spawn(|| queue.put(4, 5));
        queue.close();
        assert_eq!(put.join().unwrap(), Err(4), "closing ends the wait");
    });
}

//! Rows for what a queue takes, drops and gives back.

use super::{
    WhenFull::{Drops, HoldsBack},
    *,
};
use std::sync::atomic::Ordering;
use transport::{
    Registry,
    testing::{delivery, eventually, token},
};

/// Remembers what readers wrote with it.
#[derive(Default)]
struct Pen {
    items: VecDeque<Item>,
    due: Option<Instant>,
    can_write_inline: bool,
    written: usize,
}

impl Writer for Pen {
    fn items(&mut self) -> &mut VecDeque<Item> {
        &mut self.items
    }

    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn can_write_inline(&self) -> bool {
        self.can_write_inline
    }

    fn write(&mut self, item: Item) {
        self.written += item.count;
        self.due = Some(Instant::now() + Duration::from_millis(5));
    }
}

/// Returns what the thread would find now.
fn next<W: Writer>(queue: &Queue<W>, pen: W) -> (Box<W>, Wake) {
    queue.wait(Box::new(pen))
}

fn pen() -> Pen {
    Pen { due: Some(Instant::now()), ..Pen::default() }
}

fn queue(messages_max: usize, when_full: WhenFull) -> Queue<Pen> {
    let queueing = Queueing { messages_max, ..Queueing::default() };
    Queue::new(&queueing, when_full, Registry::default().register("dst.x", "d#0", ""))
}

fn taken(queue: &Queue<Pen>) -> usize {
    match next(queue, pen()) {
        (pen, Wake::Items) => pen.items.iter().map(|item| item.count).sum(),
        _ => 0,
    }
}

#[track_caller]
fn check((messages_max, when_full): (usize, WhenFull), controlled: bool, want: (usize, u64, bool)) {
    let queue = queue(messages_max, when_full);
    let (ack, seen) = token();
    queue.deliver(delivery(&["h|a", "h|b", "h|c"], ack, controlled), &WriteBudget::none());
    let released = seen.lock().unwrap().is_some();
    let queued = queue.counters.queued.load(Ordering::Relaxed);
    let dropped = queue.counters.dropped();
    assert_eq!(queue.counters.processed.load(Ordering::Relaxed), 3);
    assert_eq!(queued + dropped, 3);
    assert_eq!((taken(&queue), dropped, released), want);
}

#[test]
fn a_full_queue_drops_only_without_flow_control() {
    check((10, Drops), false, (3, 0, true));
    check((2, Drops), false, (2, 1, true));
    check((0, Drops), false, (0, 3, true));
    check((2, Drops), true, (3, 0, false));
    check((2, HoldsBack), false, (3, 0, false));
}

#[test]
fn few_waiting_messages_do_not_pin_a_batch() {
    let queue = queue(100, Drops);
    queue.deliver(delivery(&["h|first"], Ack::none(), false), &WriteBudget::none());
    let mut sparse = delivery(&["h|a", "h|b", "h|c", "h|d", "h|e"], Ack::none(), false);
    sparse.selection = Selection::none(5);
    sparse.selection.add(3);
    let whole = Arc::downgrade(&sparse.batch);
    queue.deliver(sparse, &WriteBudget::none());
    assert!(whole.upgrade().is_none());
    let (pen, wake) = next(&queue, pen());
    assert!(matches!(wake, Wake::Items));
    let copy = &pen.items[1].delivery.batch;
    assert_eq!((copy.len(), copy.bytes(copy.messages[0].text)), (1, b"d".as_slice()));
}

#[test]
fn commands_come_before_messages() {
    let queue = queue(100, Drops);
    queue.deliver(delivery(&["h|a"], Ack::none(), false), &WriteBudget::none());
    queue.command(Command::Reopen);
    assert!(matches!(next(&queue, pen()).1, Wake::Command(Command::Reopen)));
    assert!(matches!(next(&queue, pen()).1, Wake::Items));
}

/// A budget that lasts longer than any test.
fn ample() -> WriteBudget {
    WriteBudget::until(Instant::now() + Duration::from_secs(3600))
}

/// How many of three messages a reader writes itself, and how many wait.
#[track_caller]
fn check_written(
    (when_full, can_write_inline): (WhenFull, bool),
    budget: WriteBudget,
    before: usize,
    want: (usize, usize),
) {
    let queue = queue(10, when_full);
    (0..before).for_each(|_| queue.deliver(delivery(&["h|first"], Ack::none(), true), &WriteBudget::none()));
    queue.lock().resting = Some(Box::new(Pen { can_write_inline, ..Pen::default() }));
    queue.deliver(delivery(&["h|a", "h|b", "h|c"], Ack::none(), true), &budget);
    let state = queue.lock();
    let waiting = state.items.iter().map(|item| item.count).sum::<usize>();
    assert_eq!((state.resting.as_ref().unwrap().written, waiting), want);
}

#[test]
fn a_reader_writes_itself_what_nothing_waits_before() {
    check_written((HoldsBack, true), ample(), 0, (3, 0));
    check_written((HoldsBack, true), ample(), 1, (0, 4));
    check_written((HoldsBack, true), WriteBudget::none(), 0, (0, 3));
    check_written((HoldsBack, false), ample(), 0, (0, 3));
    check_written((Drops, true), ample(), 0, (0, 3));
}

#[test]
fn a_slow_disk_is_left_to_the_thread() {
    let queue = queue(10, HoldsBack);
    queue.lock().inline_write_disabled_until = Some(Instant::now() + INLINE_WRITE_DISABLED_FOR);
    queue.lock().resting = Some(Box::new(Pen { can_write_inline: true, ..Pen::default() }));
    queue.deliver(delivery(&["h|a"], Ack::none(), true), &ample());
    assert_eq!(queue.lock().items.len(), 1);
}

#[test]
fn a_thread_that_woke_while_its_writer_was_lent_is_woken_again() {
    let queue = queue(10, HoldsBack);
    let lent = std::thread::scope(|scope| {
        let pen = Pen { due: Some(Instant::now() + Duration::from_millis(200)), ..Pen::default() };
        let thread = scope.spawn(|| next(&queue, pen));
        let mut writer = None;
        eventually("the thread rests", || {
            writer = queue.lock().resting.take();
            writer.is_some()
        });
        eventually("the thread woke", || queue.lock().missed);
        let item = Item { delivery: delivery(&["h|a"], Ack::none(), true), count: 1, bytes: 1 };
        queue.write_with(writer.unwrap(), item, &WriteBudget::none());
        thread.join().unwrap()
    });
    assert!(matches!(lent.1, Wake::Timeout));
}

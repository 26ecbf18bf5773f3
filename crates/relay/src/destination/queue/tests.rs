//! Rows for what a queue takes, drops and gives back.

use super::*;
use crate::{
    Registry,
    testing::{delivery, token},
};
use std::sync::atomic::Ordering;

fn queue(messages_max: usize, soft: bool) -> Queue {
    let queueing = Queueing { messages_max, ..Queueing::default() };
    Queue::new(&queueing, soft, Registry::default().register("dst.x", "d#0", ""))
}

fn taken(queue: &Queue) -> usize {
    let mut items = VecDeque::new();
    match queue.wait(&mut items, Some(Instant::now())) {
        Wake::Items => items.iter().map(|item| item.count).sum(),
        _ => 0,
    }
}

#[track_caller]
fn check((messages_max, soft): (usize, bool), controlled: bool, want: (usize, u64, bool)) {
    let queue = queue(messages_max, soft);
    let (ack, seen) = token();
    queue.deliver(delivery(&["h|a", "h|b", "h|c"], ack, controlled));
    let released = seen.lock().unwrap().is_some();
    let queued = queue.counters.queued.load(Ordering::Relaxed);
    let dropped = queue.counters.dropped();
    assert_eq!(queue.counters.processed.load(Ordering::Relaxed), 3);
    assert_eq!(queued + dropped, 3);
    assert_eq!((taken(&queue), dropped, released), want);
}

#[test]
fn a_full_queue_drops_only_without_flow_control() {
    check((10, false), false, (3, 0, true));
    check((2, false), false, (2, 1, true));
    check((0, false), false, (0, 3, true));
    check((2, false), true, (3, 0, false));
    check((2, true), false, (3, 0, false));
}

#[test]
fn few_waiting_messages_do_not_pin_a_batch() {
    let queue = queue(100, false);
    queue.deliver(delivery(&["h|first"], Ack::none(), false));
    let mut sparse = delivery(&["h|a", "h|b", "h|c", "h|d", "h|e"], Ack::none(), false);
    sparse.selection = Selection::none(5);
    sparse.selection.add(3);
    let whole = Arc::downgrade(&sparse.batch);
    queue.deliver(sparse);
    assert!(whole.upgrade().is_none());
    let mut items = VecDeque::new();
    assert!(matches!(queue.wait(&mut items, None), Wake::Items));
    let copy = &items[1].delivery.batch;
    assert_eq!((copy.len(), copy.bytes(copy.messages[0].text)), (1, b"d".as_slice()));
}

#[test]
fn commands_come_before_messages() {
    let queue = queue(100, false);
    queue.deliver(delivery(&["h|a"], Ack::none(), false));
    queue.command(Command::Reopen);
    let mut items = VecDeque::new();
    assert!(matches!(queue.wait(&mut items, None), Wake::Command(Command::Reopen)));
    assert!(matches!(queue.wait(&mut items, None), Wake::Items));
}

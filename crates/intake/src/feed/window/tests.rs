//! Rows for when reading may go on.

use super::*;
use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

fn is_open(gate: &Gate) -> bool {
    pin!(gate.opened()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
}

#[test]
fn the_bytes_are_the_bound() {
    let gate = Gate::new(Window { messages: 100, bytes: 1_000 }, None);
    let first = gate.ticket(10, 600, None);
    assert!(is_open(&gate));
    let second = gate.ticket(10, 600, None);
    assert!(!is_open(&gate));
    drop(first);
    // Open again, but a waiting reader is only woken at half.
    assert!(is_open(&gate));
    drop(second);
    assert!(is_open(&gate));
}

#[test]
fn a_small_window_of_messages_still_takes_full_batches() {
    let gate = Gate::new(Window { messages: 100, bytes: 1 << 20 }, None);
    let held = gate.ticket(Window::MESSAGES_MIN - 1, 1, None);
    assert!(is_open(&gate));
    let more = gate.ticket(1, 1, None);
    assert!(!is_open(&gate));
    drop((held, more));
    assert!(is_open(&gate));
}

#[test]
fn a_waiting_reader_is_woken_at_half() {
    let gate = Gate::new(Window { messages: 0, bytes: 1_000 }, None);
    let tickets: Vec<Ack> = (0..4).map(|_| gate.ticket(1, 250, None)).collect();
    let mut waiting = pin!(gate.opened());
    let mut context = Context::from_waker(Waker::noop());
    let mut states = Vec::new();
    for ticket in tickets {
        states.push(waiting.as_mut().poll(&mut context).is_ready());
        drop(ticket);
        if states.last() == Some(&true) {
            break;
        }
    }
    assert_eq!(states, [false, false, false, true]);
}

#[test]
fn many_readers_keep_to_their_fair_parts() {
    let window = Window { messages: 1 << 20, bytes: 64 << 20 };
    let all = InWork::default();
    let (busy, other) = (Gate::new(window, Some(all.clone())), Gate::new(window, Some(all)));
    let large = busy.ticket(1, SHARED_BYTES - 1, None);
    assert!(is_open(&busy), "alone it may have all of it");
    assert!(!other.is_crowded() && is_open(&other));
    let small = other.ticket(1, 1, None);
    assert!(other.is_crowded());
    assert!(!is_open(&busy) && !is_open(&other));
    drop(small);
    let more = busy.ticket(1, 1, None);
    assert!(!is_open(&busy));
    assert!(is_open(&other), "it has nothing in work");
    drop(large);
    assert!(is_open(&busy) && is_open(&other));
    drop(more);
    assert_eq!(other.all_bytes(), 0);
}

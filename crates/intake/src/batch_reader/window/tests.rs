//! Rows for the conditions under which reading may continue.

use super::*;
use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

fn is_open(window: &FlowWindow) -> bool {
    pin!(window.wait_for_room()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
}

#[test]
fn the_bytes_are_the_bound() {
    let window = FlowWindow::new(Window { messages: 100, bytes: 1_000 }, None);
    let first = window.acquire(10, 600, None);
    assert!(is_open(&window));
    let second = window.acquire(10, 600, None);
    assert!(!is_open(&window));
    drop(first);
    // Open again, but a waiting reader is only woken at half.
    assert!(is_open(&window));
    drop(second);
    assert!(is_open(&window));
}

#[test]
fn a_small_window_of_messages_still_takes_full_batches() {
    let window = FlowWindow::new(Window { messages: 100, bytes: 1 << 20 }, None);
    let held = window.acquire(Window::MESSAGES_MIN - 1, 1, None);
    assert!(is_open(&window));
    let more = window.acquire(1, 1, None);
    assert!(!is_open(&window));
    drop((held, more));
    assert!(is_open(&window));
}

#[test]
fn a_waiting_reader_is_woken_at_half() {
    let window = FlowWindow::new(Window { messages: 0, bytes: 1_000 }, None);
    let permits: Vec<Ack> = (0..4).map(|_| window.acquire(1, 250, None)).collect();
    let mut waiting = pin!(window.wait_for_room());
    let mut context = Context::from_waker(Waker::noop());
    let mut states = Vec::new();
    for permit in permits {
        states.push(waiting.as_mut().poll(&mut context).is_ready());
        drop(permit);
        if states.last() == Some(&true) {
            break;
        }
    }
    assert_eq!(states, [false, false, false, true]);
}

#[test]
fn many_readers_keep_to_their_fair_parts() {
    let window = Window { messages: 1 << 20, bytes: 64 << 20 };
    let all = InFlight::default();
    let (busy, other) = (FlowWindow::new(window, Some(all.clone())), FlowWindow::new(window, Some(all)));
    let large = busy.acquire(1, SHARED_BYTES - 1, None);
    assert!(is_open(&busy), "alone it may have all of it");
    assert!(!other.is_crowded() && is_open(&other));
    let small = other.acquire(1, 1, None);
    assert!(other.is_crowded());
    assert!(!is_open(&busy) && !is_open(&other));
    drop(small);
    let more = busy.acquire(1, 1, None);
    assert!(!is_open(&busy));
    assert!(is_open(&other), "it has nothing in work");
    drop(large);
    assert!(is_open(&busy) && is_open(&other));
    drop(more);
    assert_eq!(other.all_bytes(), 0);
}

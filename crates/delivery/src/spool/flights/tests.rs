//! Deliveries that are written in any order, on the disk and in memory.

use super::Flights;
use message::Ack;
use std::time::{Duration, Instant};
use transport::testing::{delivery, token};

#[test]
fn what_is_written_counts_from_the_oldest() {
    let mut flights = Flights::new(10);
    let [first, second, third] = [(13, 3, 30), (17, 4, 40), (22, 5, 50)]
        .map(|(end, messages, bytes)| flights.start(end, messages, bytes));
    assert_eq!((flights.written(), flights.load()), (10, (12, 120)));
    flights.finish(second);
    assert_eq!((flights.written(), flights.load()), (10, (12, 120)), "the oldest is still on its way");
    flights.finish(first);
    assert_eq!((flights.written(), flights.load()), (17, (5, 50)));
    flights.finish(first);
    assert_eq!((flights.written(), flights.load()), (17, (5, 50)), "no delivery is written twice");
    flights.skip(30);
    flights.finish(third);
    assert_eq!((flights.written(), flights.load()), (30, (0, 0)));
    assert_eq!(flights.start(31, 1, 1), 4);
}

/// Three deliveries in memory since one second each, after one on the disk.
fn in_memory(start: Instant) -> (Flights, [u64; 3]) {
    let mut flights = Flights::new(5);
    assert_eq!(flights.start(7, 2, 20), 0);
    let numbers = [0, 1, 2].map(|second| {
        let delivery = delivery(&["h|a", "h|b"], Ack::none(), true);
        flights.start_in_memory(delivery, 2, start + Duration::from_secs(second))
    });
    (flights, numbers)
}

#[test]
fn what_is_in_memory_is_saved_oldest_first() {
    let start = Instant::now();
    let (mut flights, numbers) = in_memory(start);
    assert_eq!(flights.unsaved_since(), Some(start));
    let until = start + Duration::from_secs(1);
    let mut found = Vec::new();
    while let Some(unsaved) = flights.next_unsaved(until) {
        found.push((unsaved.number, unsaved.count));
        flights.staged(unsaved.number);
    }
    assert_eq!(found, [(numbers[0], 2), (numbers[1], 2)], "the last one is younger");
    assert_eq!(flights.unsaved_since(), Some(start + Duration::from_secs(2)));
    assert!(flights.save(numbers[0], 9).is_some());
    assert!(flights.save(numbers[0], 9).is_none(), "its token went back already");
    assert!(flights.finish(numbers[1]).is_some(), "written before the journal was");
    assert!(flights.save(numbers[1], 11).is_none());
    assert_eq!(flights.written(), 5);
    flights.finish(0);
    flights.finish(numbers[0]);
    assert_eq!(flights.written(), 11);
    assert_eq!(flights.abandon().len(), 1);
    assert!(flights.next_unsaved(start + Duration::from_secs(9)).is_none(), "nothing is left of it");
}

#[test]
fn what_is_written_before_it_is_saved_counts_as_written() {
    let start = Instant::now();
    let (mut flights, numbers) = in_memory(start);
    (0..=numbers[2]).for_each(|number| drop(flights.finish(number)));
    assert_eq!((flights.written(), flights.load()), (7, (0, 0)), "memory has no numbers on the disk");
    assert_eq!(flights.unsaved_since(), None);
    flights.save(numbers[1], 11);
    assert_eq!(flights.written(), 11, "the journal has it, but it needs no delivery");
    assert_eq!(flights.start(13, 1, 1), numbers[2] + 1);
}

#[test]
fn only_those_that_may_wait_keep_their_token() {
    let mut flights = Flights::new(0);
    let outcomes = [true, false].map(|controlled| {
        let (ack, outcome) = token();
        flights.start_in_memory(delivery(&["h|a"], ack, controlled), 1, Instant::now());
        outcome
    });
    drop(flights.let_go(&|delivery| delivery.controlled));
    assert_eq!(outcomes.map(|outcome| outcome.lock().unwrap().is_some()), [false, true]);
}

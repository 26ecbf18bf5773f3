//! Deliveries that come, come again, and are acknowledged in any order.

use super::*;

/// An event: a delivery with its key and fingerprint, an outcome by the number of the delivery, acknowledgements, a connection.
enum Event {
    First(u64, u64),
    Again(u64, u64),
    Done(usize),
    Failed(usize),
    Due,
    Forget(u64),
    Resume,
    Restart,
}

/// Applies events, and shows what becomes of each delivery and what is acknowledged.
#[track_caller]
fn check(events: &[Event], want: &str) {
    let deliveries = Deliveries::default();
    let (mut updates, mut shown) = (Vec::new(), Vec::new());
    for event in events {
        let arrival = match event {
            Event::First(key, text) => Some(deliveries.arrive(*key, *text, Attempt::First)),
            Event::Again(key, text) => Some(deliveries.arrive(*key, *text, Attempt::Repeated)),
            _ => None,
        };
        match arrival {
            Some(Arrival::New(ticket)) => updates.push(deliveries.update(vec![ticket])),
            Some(Arrival::Known) => shown.push("known".to_owned()),
            Some(Arrival::Clash) => shown.push("clash".to_owned()),
            None => {}
        }
        match event {
            Event::First(..) | Event::Again(..) => {}
            Event::Done(number) => updates[*number].complete(Outcome::Done),
            Event::Failed(number) => updates[*number].complete(Outcome::Failed),
            Event::Due => {
                let mut due = Vec::new();
                let is_whole = deliveries.take_due(&mut due);
                shown.push(format!("{due:?}{}", if is_whole { "" } else { " gave up" }));
            }
            Event::Forget(key) => deliveries.forget(*key),
            Event::Resume => deliveries.resume(),
            Event::Restart => deliveries.restart(),
        }
    }
    let rest = if deliveries.is_settled() { "settled" } else { "waits" };
    shown.push(rest.to_owned());
    assert_eq!(shown.join(", "), want);
}

#[test]
fn acknowledgements_come_in_the_order_of_deliveries() {
    use Event::{Done, Due, First, Resume};
    check(&[First(1, 9), Due], "[], waits");
    check(&[First(1, 9), Done(0), Due, Due], "[1], [], settled");
    check(&[First(1, 9), First(2, 9), Done(1), Due, Done(0), Due], "[], [1, 2], settled");
    // Nothing is acknowledged over a connection over which it did not come.
    check(&[First(1, 9), Done(0), Resume, Due], "[], settled");
    check(&[First(1, 9), Resume, Done(0), Due], "[], settled");
}

#[test]
fn what_comes_again_is_read_once() {
    use Event::{Again, Done, Due, First, Forget, Restart, Resume};
    check(&[First(1, 9), Resume, Again(1, 9), Due, Done(0), Due], "known, [], [1], settled");
    check(&[First(1, 9), Resume, Done(0), Again(1, 9), Due], "known, [1], settled");
    // The acknowledgement did not arrive, and is said again.
    check(&[First(1, 9), Done(0), Due, Resume, Again(1, 9), Due], "[1], known, [1], settled");
    check(&[First(1, 9), Done(0), Due, Again(1, 9), Due], "[1], known, [1], settled");
    check(&[First(1, 9), Again(1, 9), Done(0), Due], "known, [1], settled");
    check(&[First(1, 9), Done(0), Due, Forget(1), Resume, Again(1, 9), Done(1), Due], "[1], [1], settled");
    // What waits is not forgotten.
    check(&[First(1, 9), Forget(1), Resume, Again(1, 9)], "known, waits");
    check(&[First(1, 9), Restart, Again(1, 9), Done(0), Due, Done(1), Due], "[], [1], settled");
}

#[test]
fn none_is_taken_for_another() {
    use Event::{Again, Done, Due, First, Resume};
    // The broker gives the key to another text, or says that it sends it for the first time.
    check(&[First(1, 9), Resume, Again(1, 8), Done(0), Due, Done(1), Due], "[], [1], settled");
    check(&[First(1, 9), Resume, First(1, 9), Done(1), Due], "[1], settled");
    check(&[First(1, 9), Done(0), Due, First(1, 9), Due, Done(1), Due], "[1], [], [1], settled");
    check(&[First(1, 9), First(1, 8), Done(0), Due], "clash, [1], settled");
}

#[test]
fn what_was_given_up_is_read_again() {
    use Event::{Again, Done, Due, Failed, First, Resume};
    check(&[First(1, 9), First(2, 9), Failed(0), Due], "[] gave up, waits");
    check(&[First(1, 9), Failed(0), Due, Resume, Again(1, 9), Done(1), Due], "[] gave up, [1], settled");
}

#[test]
fn the_memory_of_what_was_acknowledged_ends() {
    let deliveries = Deliveries::default();
    let mut due = Vec::new();
    for key in 0..ANSWERED_MAX as u64 + 10 {
        let Arrival::New(ticket) = deliveries.arrive(key, 9, Attempt::First) else { panic!("it is new") };
        deliveries.update(vec![ticket]).complete(Outcome::Done);
        deliveries.take_due(&mut due);
    }
    assert_eq!(deliveries.lock().entries.len(), ANSWERED_MAX);
    assert!(
        matches!(deliveries.arrive(9, 9, Attempt::Repeated), Arrival::New(_)),
        "the oldest are forgotten"
    );
    assert_eq!(deliveries.arrive(20, 9, Attempt::Repeated), Arrival::Known);
}

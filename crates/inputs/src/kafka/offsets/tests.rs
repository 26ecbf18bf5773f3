//! Acknowledgements in any order, and the positions that they reach.

use super::*;

fn place(partition: i32) -> Place {
    ("logs".into(), partition)
}

/// An event of a partition: a batch of records, an acknowledgement by the number of its batch, a partition that begins or ends.
enum Event {
    Batch(&'static [(i32, i64, i64)]),
    Done(usize),
    Failed(usize),
    Begin(i32),
    End(i32),
}

/// Applies events and shows the positions reached, then those that failed.
#[track_caller]
fn check(events: &[Event], want: &str) {
    let offsets = Arc::<Offsets>::default();
    let mut batches = Vec::new();
    for event in events {
        match event {
            Event::Batch(ranges) => {
                let range = |(partition, first, end): &(i32, i64, i64)| {
                    (place(*partition), Range { first: *first, end: *end })
                };
                batches.push(offsets.update(ranges.iter().map(range).collect()));
            }
            Event::Done(number) => batches[*number].complete(Outcome::Done),
            Event::Failed(number) => batches[*number].complete(Outcome::Failed),
            Event::Begin(partition) => offsets.begin(place(*partition)),
            Event::End(partition) => offsets.end(&place(*partition)),
        }
    }
    let show = |mut list: Vec<(Place, i64)>| {
        list.sort();
        list.iter().map(|((_, partition), at)| format!("{partition}:{at}")).collect::<Vec<_>>().join(" ")
    };
    let found = format!("{} failed {}", show(offsets.take_reached()), show(offsets.failed()));
    assert_eq!(found, want);
    assert!(offsets.take_reached().is_empty(), "what was taken has not moved again");
}

#[test]
fn a_position_passes_nothing_that_is_not_acknowledged() {
    use Event::{Batch, Begin, Done, End, Failed};
    check(&[Begin(0), Batch(&[(0, 5, 9)])], " failed ");
    check(&[Begin(0), Batch(&[(0, 5, 9)]), Done(0)], "0:9 failed ");
    check(&[Begin(0), Batch(&[(0, 0, 3)]), Batch(&[(0, 3, 6)]), Done(1)], " failed ");
    check(&[Begin(0), Batch(&[(0, 0, 3)]), Batch(&[(0, 3, 6)]), Done(1), Done(0)], "0:6 failed ");
    let other = [Begin(0), Begin(1), Batch(&[(0, 0, 3)]), Batch(&[(1, 7, 8)]), Done(1)];
    check(&other, "1:8 failed ");
    let both = [Begin(0), Begin(1), Batch(&[(0, 0, 3), (1, 7, 8)]), Batch(&[(1, 8, 9)]), Done(1), Done(0)];
    check(&both, "0:3 1:9 failed ");
    let given_up =
        [Begin(0), Batch(&[(0, 0, 3)]), Batch(&[(0, 3, 6)]), Batch(&[(0, 6, 7)]), Failed(1), Done(2)];
    check(&given_up, " failed 0:3");
    check(&[Begin(0), Batch(&[(0, 0, 3)]), Begin(0), Done(0)], " failed ");
    check(&[Begin(0), Batch(&[(0, 0, 3)]), End(0), Begin(0), Batch(&[(0, 0, 2)]), Done(0)], " failed ");
    check(&[Batch(&[(0, 0, 3)]), Done(0)], " failed ");
}

#[test]
fn who_waits_learns_of_the_last_acknowledgement() {
    let offsets = Arc::<Offsets>::default();
    offsets.begin(place(0));
    let batch = offsets.update(vec![(place(0), Range { first: 0, end: 1 })]);
    assert!(!offsets.wait(&[place(0)], Duration::ZERO));
    assert!(offsets.wait(&[place(1)], Duration::ZERO), "it is not read");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| offsets.wait(&[place(0)], Duration::from_secs(10)));
        batch.complete(Outcome::Done);
        assert!(waits.join().expect("it does not panic"));
    });
}

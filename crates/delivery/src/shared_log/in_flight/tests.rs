//! Deliveries in flight, compared with a list of all of them.

use super::*;
use sim::Chance;

/// A delivery, as a naive implementation remembers it.
struct Known {
    range: Range<u64>,
    messages: u64,
    is_done: bool,
    is_abandoned: bool,
}

fn check(seed: u64) {
    let mut chance = Chance::new(seed);
    let mut flights = InFlight::new(5);
    let mut known: Vec<Known> = Vec::new();
    let (mut end, mut abandoned) = (5, 0);
    for _ in 0..200 {
        match chance.below(10) {
            0..4 => {
                let gap = chance.below(3);
                let messages = 1 + chance.below(4);
                let range = end + gap..end + gap + messages + chance.below(2);
                end = range.end;
                let number = flights.start(range.clone(), messages as usize, 10);
                assert_eq!(number, known.len() as u64);
                known.push(Known { range, messages, is_done: false, is_abandoned: false });
            }
            4..8 if !known.is_empty() => {
                let number = chance.below(known.len() as u64);
                flights.finish(number);
                known[number as usize].is_done = true;
            }
            8 => {
                end += chance.below(3);
                flights.pass(end);
            }
            9 if chance.below(8) == 0 => {
                let below = known.get(known.len() / 2).map_or(end, |flight| flight.range.start);
                let lost = flights.abandon(below);
                abandoned = abandoned.max(below);
                let open = known.iter_mut().filter(|flight| !flight.is_done && !flight.is_abandoned);
                let gone: Vec<&mut Known> = open.filter(|flight| flight.range.start < below).collect();
                assert_eq!(lost, gone.iter().map(|flight| flight.messages).sum::<u64>(), "seed {seed}");
                gone.into_iter().for_each(|flight| flight.is_abandoned = true);
            }
            _ => {}
        }
        let open = || known.iter().filter(|flight| !flight.is_done);
        let lowest = open().map(|flight| flight.range.start).next().unwrap_or(end).max(abandoned);
        let (settled, left_out) = flights.settled(usize::MAX);
        assert_eq!((flights.lowest(), settled.below, left_out), (lowest, lowest, 0), "seed {seed}");
        for flight in &known {
            let is_settled = flight.is_done || flight.range.start < abandoned;
            assert_eq!(
                settled.has(&flight.range),
                is_settled,
                "seed {seed}: {:?} in {settled:?}",
                flight.range
            );
        }
        let in_log = open().filter(|flight| !flight.is_abandoned).map(|flight| flight.messages).sum::<u64>();
        assert_eq!(flights.outstanding(), in_log, "seed {seed}");
        let (few, left_out) = flights.settled(1);
        assert!(few.ranges.len() <= 1);
        let in_few: u64 = known
            .iter()
            .filter(|flight| flight.is_done && !flight.is_abandoned && flight.range.start >= lowest)
            .filter(|flight| !few.has(&flight.range))
            .map(|flight| flight.messages)
            .sum();
        assert_eq!(left_out, in_few, "seed {seed}");
    }
}

#[test]
fn tells_the_same_as_a_list_of_all() {
    (0..200).for_each(check);
}

#[test]
fn what_is_in_memory_only_is_lost_when_it_fails() {
    let mut flights = InFlight::new(0);
    let old = flights.start(0..4, 4, 1);
    let new = flights.start(4..6, 2, 1);
    assert_eq!(flights.abandon(4), 4);
    assert_eq!((flights.fail(old), flights.fail(old), flights.fail(new)), (4, 0, 0));
    assert_eq!((flights.lowest(), flights.finished()), (4, 0));
}

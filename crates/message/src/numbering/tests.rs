//! Numbers of streams: noted, written down, found again.

use super::*;
use crate::Selection;
use std::slice;

fn key(stream: u8) -> StreamKey {
    StreamKey { sender: "host1".into(), epoch: 7, stream }
}

fn live(stream: u8) -> Arc<NumberedStream> {
    Arc::new(NumberedStream::new(key(stream), 0))
}

/// Notes runs of a stream, restarts, and shows which of the messages that come then are kept.
#[track_caller]
fn check(noted: &[Range<u64>], settled: u64, came: &[(u64, usize)], want: &[&[u64]]) {
    let mut taken = KnownNumbers::default();
    let stream = live(0);
    for run in noted {
        let count = (run.end - run.start) as usize;
        taken.note(&Numbering::dense(stream.clone(), run.start), &Selection::all(count));
    }
    stream.settle(settled);
    taken.prune();
    let mut bytes = Vec::new();
    taken.encode(99, &mut bytes);
    let (read, below) = KnownNumbers::decode(&bytes).expect("its own bytes");
    assert_eq!(below, 99);
    let repeats = Repeats::of(read);
    let kept: Vec<Vec<u64>> = came
        .iter()
        .map(|&(first, count)| {
            let numbering = Numbering::dense(live(0), first);
            let mut selection = Selection::all(count);
            let dropped = repeats.sift(&numbering, &mut selection);
            assert_eq!(dropped, count - selection.count());
            selection.iter().filter_map(|index| numbering.number(index)).collect()
        })
        .collect();
    assert_eq!(kept, want);
}

#[test]
fn drops_what_the_journal_has_and_nothing_else() {
    check(slice::from_ref(&(0..10)), 0, &[(0, 12)], &[&[10, 11]]);
    check(&[0..3, 3..6], 4, &[(4, 4)], &[&[6, 7]]);
    check(slice::from_ref(&(5..8)), 0, &[(0, 10)], &[&[0, 1, 2, 3, 4, 8, 9]]);
    // Two log paths brought the same messages; one of them only the first two.
    check(&[0..4, 0..2], 0, &[(0, 4), (0, 4)], &[&[], &[2, 3]]);
    // Only once each: what comes a third time is new.
    check(slice::from_ref(&(0..2)), 0, &[(0, 2), (0, 2)], &[&[], &[0, 1]]);
    check(&[], 0, &[(3, 2)], &[&[3, 4]]);
}

#[test]
fn messages_of_other_streams_pass() {
    let mut taken = KnownNumbers::default();
    taken.note(&Numbering::dense(live(0), 0), &Selection::all(5));
    let repeats = Repeats::of(taken);
    assert_eq!(repeats.sift(&Numbering::dense(live(1), 0), &mut Selection::all(5)), 0);
    assert_eq!(repeats.sift(&Numbering::sparse(live(0), vec![4, 9, 0]), &mut Selection::all(3)), 2);
}

#[test]
fn forgets_the_stream_that_was_used_the_longest_time_ago() {
    let mut taken = KnownNumbers::default();
    for epoch in 0..=STREAMS_MAX as u64 {
        taken.note_record(&StreamKey { epoch, ..key(0) }, slice::from_ref(&(0..1)));
    }
    let epochs: Vec<u64> = taken.into_runs().map(|(key, _)| key.epoch).collect();
    assert_eq!(epochs.len(), STREAMS_MAX);
    assert!(!epochs.contains(&0));
}

#[test]
fn damaged_bytes_are_refused() {
    let mut taken = KnownNumbers::default();
    taken.note_record(&key(0), &[0..4, 9..12]);
    let mut bytes = Vec::new();
    taken.encode(5, &mut bytes);
    for size in 0..bytes.len() {
        assert!(KnownNumbers::decode(&bytes[..size]).is_none(), "{size} bytes");
    }
    bytes[0] = 2;
    assert!(KnownNumbers::decode(&bytes).is_none());
}

//! Sets of places against sets of the standard library.

use super::*;
use proptest::{collection::vec, prelude::any, proptest};
use std::collections::BTreeSet;

fn set(places: impl IntoIterator<Item = u64>) -> SequenceSet {
    let mut set = SequenceSet::default();
    places.into_iter().for_each(|place| set.insert(place));
    set
}

proptest! {
    #[test]
    fn it_has_what_was_added(
        added in vec((0_u64..60, 0_u64..8), 0..30),
        others in vec(0_u64..70, 0..30),
        (from, length, below) in (0_u64..70, 0_u64..30, 0_u64..70),
    ) {
        let (mut found, mut want) = (SequenceSet::default(), BTreeSet::new());
        for (start, count) in added {
            found.insert_run(start..start + count);
            want.extend(start..start + count);
        }
        found.extend(&set(others.iter().copied()));
        want.extend(others);
        assert_eq!(found, set(want.iter().copied()));
        assert!((0..80).all(|place| found.has(place) == want.contains(&place)));
        assert_eq!((found.first(), found.count()), (want.first().copied(), want.len() as u64));
        assert_eq!(found.end(), want.last().map_or(0, |last| last + 1));
        let range = from..from + length;
        let inside: Vec<u64> = found.inside(range.clone()).into_iter().flatten().collect();
        assert_eq!(inside, range.clone().filter(|place| want.contains(place)).collect::<Vec<_>>());
        let outside: Vec<u64> = found.outside(range.clone()).into_iter().flatten().collect();
        assert_eq!(outside, range.filter(|place| !want.contains(place)).collect::<Vec<_>>());
        let mut bytes = Vec::new();
        found.encode(&mut bytes);
        assert_eq!(SequenceSet::decode(&bytes), Some(found.clone()));
        found.trim(below);
        assert_eq!(found, set(want.into_iter().filter(|place| *place >= below)));
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in vec(any::<u8>(), 0..40)) {
        if let Some(set) = SequenceSet::decode(&bytes) {
            assert!(set.count() > 0 || bytes.is_empty());
        }
    }
}

#[test]
fn interleaved_messages_take_two_bytes_each_and_consecutive_ones_none() {
    let size = |set: &SequenceSet| {
        let mut bytes = Vec::new();
        set.encode(&mut bytes);
        bytes.len()
    };
    assert_eq!(size(&set((0..1000).map(|place| place * 3))), 2000);
    assert!(size(&set(0..1_000_000)) < 8);
    assert!(size(&set([u64::MAX - 1])) == 11);
}

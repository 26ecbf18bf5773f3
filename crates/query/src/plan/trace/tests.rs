//! Rows for costs of several segments, added up.

use super::{Used, sum};
use std::time::Duration;

#[test]
fn what_is_not_known_adds_nothing() {
    for (one, other, want) in [
        (None, None, None),
        (Some(2), None, Some(2)),
        (None, Some(3), Some(3)),
        (Some(2), Some(3), Some(5)),
        (Some(0), None, Some(0)),
    ] {
        assert_eq!(sum(one, other), want, "{one:?} {other:?}");
    }
}

#[test]
fn every_figure_is_added() {
    let own = |factor: u64| Used {
        segments: factor,
        words: Some(2 * factor),
        postings: Some(3 * factor),
        documents: 4 * factor,
        undecided: 5 * factor,
        took: Duration::from_micros(6 * factor),
    };
    let mut used = own(1);
    used.merge(own(10));
    assert_eq!(format!("{used:?}"), format!("{:?}", own(11)));
    used.add_words(1, None);
    used.add_words(1, Some(7));
    assert_eq!((used.words, used.postings), (Some(24), Some(40)));
}

//! Rows for segments that are late, damaged or stopped: which of the newest ones are part of an answer.

use super::*;
use crate::{
    ParseOptions,
    tests::naive::{START_US, document, snapshot},
};
use std::{io, path::PathBuf};

/// The result of searching a segment.
#[derive(Clone, Copy)]
enum SegmentResult {
    Good,
    Late,
    Cancelled,
    Damaged,
    Unreadable,
    Locked,
}

fn result(kind: SegmentResult) -> Result<SegmentMatches, ReadError> {
    let path = PathBuf::from("x.ds");
    Err(match kind {
        SegmentResult::Good => return Ok(SegmentMatches::empty(10)),
        SegmentResult::Late => ReadError::Stopped(Stop::TimedOut),
        SegmentResult::Cancelled => ReadError::Stopped(Stop::Cancelled),
        SegmentResult::Damaged => ReadError::Corrupt { path, offset: 7, what: "a checksum differs" },
        SegmentResult::Unreadable => ReadError::Io { path, source: io::Error::other("no such device") },
        SegmentResult::Locked => ReadError::Locked { path },
    })
}

/// Checks the segments of an answer, the time from which it is complete (in seconds; none: all of it), and
/// the messages that are missing. There are three segments of ten messages, one a second; the newest comes
/// first.
#[track_caller]
fn check(results: [SegmentResult; 3], want: Result<(usize, Option<i64>, usize), SearchError>) {
    let lines = (0..30).map(|second| document(second, "gw1", "sshd", "text")).collect();
    let scope = SearchScope::from(snapshot(lines, 10));
    let query = Query::parse("*", &ParseOptions::default()).unwrap();
    let mut matches = Matches::of(&scope, &query, &Search::default()).unwrap();
    matches.parts.clear();
    let taken = matches.take(results.map(result).into_iter().collect());
    let got = taken.map(|()| {
        let from = matches.timed_out.map(|late| (late.searched_from_us - START_US) / 1_000_000);
        (matches.parts.len(), from, matches.unread.len())
    });
    assert_eq!(format!("{got:?}"), format!("{want:?}"));
}

#[test]
fn an_answer_has_the_newest_segments_without_a_gap() {
    use SegmentResult::{Cancelled, Damaged, Good, Late, Locked, Unreadable};
    check([Good, Good, Good], Ok((3, None, 0)));
    check([Good, Good, Late], Ok((2, Some(9), 0)));
    // One that was searched behind a late one would leave a gap.
    check([Good, Late, Good], Ok((1, Some(19), 0)));
    check([Late, Good, Good], Err(SearchError::TimedOut));
    check([Good, Damaged, Good], Ok((3, None, 1)));
    check([Unreadable, Locked, Damaged], Ok((3, None, 3)));
    check([Damaged, Late, Good], Ok((1, Some(19), 1)));
    check([Good, Cancelled, Good], Err(SearchError::Cancelled));
}

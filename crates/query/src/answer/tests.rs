//! Rows for the remarks on an answer: what was not searched, and why a search ended.

use super::*;
use lookup::Stop;

fn unread(messages: Option<Range<u64>>, reason: UnreadReason) -> Unread {
    Unread { member: 0, messages, received_us: (1_000_000, 61_400_000), reason }
}

#[test]
fn what_was_not_searched_is_described() {
    let times = "received 1970-01-01T00:00:01Z to 1970-01-01T00:01:01Z";
    let which = format!("messages 5 to 8 ({times})");
    for (reason, short, want) in [
        (
            UnreadReason::Locked,
            "locked",
            format!("{which} are locked and were not searched: unlock the logspace with its private key"),
        ),
        (
            UnreadReason::Away,
            "away",
            format!("{which} are in an archive that is not attached and were not searched"),
        ),
        (
            UnreadReason::Lost,
            "lost",
            format!("up to all of {which} are lost: the journal no longer has them"),
        ),
        (
            UnreadReason::Starting,
            "starting",
            format!(
                "{which} are still being read back from the journal and were not searched: ask again soon"
            ),
        ),
        (UnreadReason::Damaged, "damaged", format!("{which} may be left out: damaged")),
        (UnreadReason::Unreadable("torn".into()), "torn", format!("{which} may be left out: torn")),
    ] {
        assert_eq!(reason.to_string(), short);
        assert_eq!(unread(Some(5..9), reason).describe(), want);
    }
    // A member of a scope may hide its number of messages, and a range may be empty.
    for messages in [None, Some(5..5)] {
        let text = unread(messages, UnreadReason::Damaged).describe();
        assert_eq!(text, format!("messages {times} may be left out: damaged"));
    }
}

#[test]
fn errors_say_why_a_search_ended() {
    let corrupt = || ReadError::Corrupt { path: "a.seg".into(), offset: 7, what: "torn" };
    for (error, want) in [
        (SearchError::from(ReadError::Stopped(Stop::Cancelled)), "the search was cancelled".to_owned()),
        (SearchError::from(ReadError::Stopped(Stop::TimedOut)), "the search ran out of time".to_owned()),
        (SearchError::from(MemoryError::Stopped(Stop::TimedOut)), "the search ran out of time".to_owned()),
        (SearchError::from(Stop::Cancelled), "the search was cancelled".to_owned()),
        (SearchError::Refused("no".to_owned()), "no".to_owned()),
        (SearchError::from(corrupt()), corrupt().to_string()),
    ] {
        assert_eq!(error.to_string(), want);
    }
}

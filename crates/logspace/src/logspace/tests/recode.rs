//! Sealed segments become smaller ones while the logspace is in use, and the chain says so.

use super::*;
use crate::Audit;
use evidence::{Event, Identity, Keys, Recipient};
use journal::OsDisk;
use std::collections::HashMap;

/// Messages of a segment.
const MANY: u64 = 1000;

fn eager() -> LogspaceOptions {
    LogspaceOptions {
        segment_messages_max: MANY,
        recode_after: Duration::ZERO,
        recode_look: Duration::from_millis(5),
        ..options()
    }
}

/// Fills a logspace, waits for its segments to be recoded, and finds everything as before, also after a restart.
#[track_caller]
fn check(options: LogspaceOptions) {
    let dir = tempfile::tempdir().unwrap();
    let keys = options.keys.clone();
    let patient = LogspaceOptions { recode: false, ..options.clone() };
    let logspace = open(dir.path(), patient);
    for batch in 0..5 {
        store(&logspace, batch * MANY..(batch + 1) * MANY, LONG_AGO_US);
    }
    wait_until("sealed", || logspace.stats().segments >= 4);
    wait_until("found", || found(&logspace).len() as u64 == 5 * MANY);
    let before = found(&logspace);
    let bytes = logspace.stats().segment_bytes;
    // Who asks now goes on with the old files.
    let old = logspace.snapshot();
    logspace.close();
    let logspace = open(dir.path(), options.clone());
    let times = if options.age_after.is_some() { 8 } else { 4 };
    wait_until("recoded", || logspace.stats().segments_recoded_total >= times);
    assert_eq!(logspace.stats().recodes_failed_total, 0);
    assert_eq!(found(&logspace), before);
    assert!(logspace.stats().segment_bytes < bytes, "{} of {bytes}", logspace.stats().segment_bytes);
    assert!(old.segments.iter().all(|segment| !segment.is_empty()));
    logspace.close();
    let logspace = open(dir.path(), options);
    assert_eq!(found(&logspace), before);
    assert!(logspace.stats().segments_recoded >= 4);
    logspace.close();
    let chain = read_chain(&OsDisk, dir.path()).unwrap();
    let mut known: HashMap<u64, &evidence::Record> = HashMap::new();
    let mut replaced = 0;
    for record in chain.records() {
        let before = known.insert(record.segment.first, record);
        if let Event::Recode(old) = record.event {
            let before = &before.unwrap().segment;
            assert_eq!((old, record.segment.messages), (before.contents, before.messages));
            replaced += 1;
        }
    }
    assert!(replaced >= times, "{replaced} of {times}");
    let report = Audit { keys, ..Audit::default() }.run(dir.path(), &CancelToken::unlimited()).unwrap();
    assert!(report.is_good() && report.locked == 0, "{:?}", report.findings);
}

#[test]
fn sealed_segments_are_recoded_in_the_background() {
    check(eager());
}

#[test]
fn recoded_segments_are_aged_when_that_is_wanted() {
    check(LogspaceOptions { age_after: Some(Duration::ZERO), ..eager() });
}

#[test]
fn no_segment_becomes_larger() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), LogspaceOptions { segment_messages_max: 2, ..eager() });
    (0..4).for_each(|number| store(&logspace, number..number + 1, LONG_AGO_US));
    wait_until("sealed", || logspace.stats().segments >= 1);
    wait_for_looks(&logspace.ended);
    let stats = logspace.stats();
    assert_eq!(stats.recodes_failed_total, 0);
    assert!(stats.recode_saved_bytes_total >= stats.segments_recoded_total, "{stats:?}");
}

#[test]
fn encrypted_segments_are_recoded_by_who_can_read_them() {
    let (recipient, identity) = Identity::draw().unwrap();
    let recipients = vec![Recipient::load(&recipient).unwrap()];
    let keys = Keys::of(vec![Identity::parse(&identity, None).unwrap()]);
    check(LogspaceOptions { recipients, keys, ..eager() });
}

#[test]
fn locked_segments_stay_as_they_are_until_they_are_unlocked() {
    let (recipient, identity) = Identity::draw().unwrap();
    let recipients = vec![Recipient::load(&recipient).unwrap()];
    let keys = Keys::of(vec![Identity::parse(&identity, None).unwrap()]);
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), LogspaceOptions { recipients, ..eager() });
    store(&logspace, 0..MANY, now_us());
    store(&logspace, MANY..MANY + 1, now_us());
    wait_until("sealed", || logspace.stats().segments == 1);
    wait_for_looks(&logspace.ended);
    assert_eq!((logspace.stats().segments_recoded, logspace.stats().recodes_failed_total), (0, 0));
    logspace.unlock(&keys);
    wait_until("recoded", || logspace.stats().segments_recoded == 1);
    logspace.lock();
    assert_eq!(logspace.snapshot().locked.len(), 1);
}

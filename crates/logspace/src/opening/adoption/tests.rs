//! Rows for records in files: which may continue a chain, and why others may not.

use super::*;
use crate::options::Unheard;
use evidence::{Digest, Facts, testing};
use journal::OsDisk;
use segment::SegmentForm;
use std::{path::PathBuf, sync::Arc};

/// A log with the records of three segments of ten messages, from 0 on.
fn log(dir: &Path) -> EvidenceLog {
    let mut log = EvidenceLog::open(Arc::new(OsDisk), dir, None, 1, &Unheard).unwrap();
    for first in [0, 10, 20] {
        let record = log.record(Event::Seal, facts(first), 1).unwrap();
        log.append(record).unwrap();
    }
    log
}

/// Facts of ten messages.
fn facts(first: u64) -> Facts {
    let digest = |what: &str| Digest::of(format!("{what} {first}").as_bytes());
    Facts {
        first,
        count: 10,
        received_us: (5, 9),
        messages: digest("m"),
        contents: digest("c"),
        ..Facts::default()
    }
}

#[test]
fn a_record_fits_what_the_chain_says_of_its_segment() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log(dir.path());
    log.remove(20, "age", 2).unwrap();
    let contents = |first: u64| facts(first).contents;
    let other = Digest::of(b"other");
    for (event, first, want) in [
        (Event::Seal, 30, true),
        (Event::Seal, 35, true),
        (Event::Seal, 29, false),
        (Event::Seal, 10, false),
        (Event::Rewrite, 10, true),
        (Event::Rewrite, 30, true),
        (Event::Rewrite, 29, false),
        (Event::Rewrite, 20, false),
        (Event::Recode(contents(10)), 10, true),
        (Event::Recode(other), 10, false),
        (Event::Recode(other), 30, true),
        (Event::Recode(other), 29, false),
        (Event::Recode(contents(20)), 20, false),
        (Event::Removal("age".into()), 10, false),
        (Event::Restore, 10, false),
        (Event::Gap, 30, false),
    ] {
        let record = log.record(event.clone(), facts(first), 3).unwrap();
        assert_eq!(fits(&log, &record), want, "{event:?} of {first}");
    }
    let changed = |change: fn(&mut Facts)| {
        let mut facts = facts(10);
        change(&mut facts);
        fits(&log, &log.record(Event::Rewrite, facts, 3).unwrap())
    };
    assert!(changed(|facts| facts.contents = Digest::default()), "another file of the same messages");
    assert!(!changed(|facts| facts.messages = Digest::default()) && !changed(|facts| facts.count = 11));
}

#[test]
fn a_record_describes_the_file_that_it_is_in() {
    let dir = tempfile::tempdir().unwrap();
    let log = log(dir.path());
    let record = log.chain().records()[1].clone();
    let outline = || Outline {
        first: 10,
        count: 10,
        received_us: (5, 9),
        contents: facts(10).contents,
        record: Some(record.clone()),
        form: SegmentForm::Sealed,
    };
    let path = segment_path(5, 10);
    assert!(is_whole(&path, &outline(), &record));
    let changes: [fn(&mut Outline); 5] = [
        |outline| outline.first = 11,
        |outline| outline.count = 11,
        |outline| outline.received_us.0 = 4,
        |outline| outline.received_us.1 = 10,
        |outline| outline.contents = Digest::default(),
    ];
    for change in changes {
        let mut outline = outline();
        change(&mut outline);
        assert!(!is_whole(&path, &outline, &record), "{outline:?}");
    }
    for other in [segment_path(5, 11), segment_path(86_400_000_000, 10), PathBuf::from("1970/01-01/10.ds")] {
        assert!(!is_whole(&other, &outline(), &record), "{}", other.display());
    }
}

#[test]
fn a_file_is_not_adopted_for_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log(dir.path());
    let of = |record: &Record| Outline {
        first: record.segment.first,
        count: record.segment.count,
        received_us: record.segment.received_us,
        contents: record.segment.contents,
        record: Some(record.clone()),
        form: SegmentForm::Sealed,
    };
    let path = |record: &Record| segment_path(record.segment.received_us.0, record.segment.first);
    let known = log.chain().records()[1].clone();
    let why = |log: &EvidenceLog, current: Option<&Record>, record: &Record| {
        why_not(log, current, &path(record), &of(record)).unwrap_or_default()
    };
    assert_eq!(why(&log, Some(&known), &known), "");
    assert_eq!(
        why(&log, Some(&log.chain().records()[0]), &known),
        "the chain of evidence says that another file is here"
    );
    assert_eq!(why(&log, None, &known), "the chain of evidence says that it is gone");
    let bare = Outline { record: None, ..of(&known) };
    assert_eq!(why_not(&log, Some(&known), &path(&known), &bare), Some("it has no record of its own"));
    let elsewhere = why_not(&log, Some(&known), &segment_path(5, 11), &of(&known));
    assert_eq!(elsewhere, Some("its record is of another file or of another place"));
    let forged = testing::sign(&testing::key(), known.clone());
    assert_eq!(why(&log, None, &forged), "its record is signed by another key than this logspace's");
    let next = log.record(Event::Seal, facts(30), 3).unwrap();
    let unknown =
        "the chain of evidence does not know it, and the journal or a later record speaks against it";
    assert_eq!(why(&log, None, &next), unknown);
    log = EvidenceLog::open(Arc::new(OsDisk), dir.path(), None, 1, &Unheard).unwrap();
    let key = evidence::SigningKey::load(&crate::sign_key_of(dir.path())).unwrap();
    let other = testing::sign(&key, Record { logspace: [3; 16], ..next });
    assert_eq!(why(&log, None, &other), "it is of another logspace");
}

//! The public view of a segment: its facts, its form, its damage, its errors.

use super::*;
use crate::{RebuildError, RecodeError, SealError, SegmentForm, SegmentInspector};
use evidence::{Digest, Facts, Identity, Keys, Recipient};
use lookup::ReadError;
use std::{cell::RefCell, io};

const START_US: i64 = 1_700_000_000_000_000;

fn active(first: u64, count: usize) -> Active {
    let mut active = Active::new(first, Some(learned(&["message"])));
    let line = |at: usize| Line { host: "h".into(), text: format!("message {at}"), ..Line::default() };
    append(&mut active, &(0..count).map(line).collect::<Vec<_>>());
    active
}

#[test]
fn numbers_and_times_are_those_of_the_messages() {
    let active = active(7, 8);
    assert_eq!((active.len(), active.is_empty(), active.first_sequence()), (8, false, 7));
    // Three messages a batch, a quarter of a second apart.
    let received = (START_US, START_US + 500_000);
    assert_eq!(active.received_range(), received);
    assert!(!active.is_full() && Active::new(0, None).is_empty());
    assert_eq!(Active::new(0, None).received_range(), (0, 0));
    let sealed = Sealed::from_bytes(sealed_bytes(&active)).unwrap();
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    for view in [&*active.view(), &sealed as &dyn SegmentView, &recoded] {
        assert_eq!((view.len(), view.first_sequence(), view.received_range()), (8, 7, received));
        assert_eq!(view.received_between(START_US, START_US + 250_000), 0..3);
    }
}

#[test]
fn memory_is_counted() {
    let empty = Active::new(0, None).memory_bytes();
    let mut before = empty;
    for count in [1, 50, 500] {
        let bytes = active(0, count).memory_bytes();
        assert!(bytes > before && bytes > empty + 10 * count as u64, "{count} messages: {bytes} bytes");
        assert!(bytes < 100_000_000, "{count} messages: {bytes} bytes");
        before = bytes;
    }
}

/// The parts of a report are as large as the sections of the file.
#[test]
fn a_report_tells_the_sizes_of_the_file() {
    use crate::format::file::{Section, SegmentFile};
    let active = active(0, 2_000);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one");
    let report = active.seal(&path).unwrap();
    let Ok(file) = SegmentFile::open(&path, &Keys::default()).unwrap() else { panic!("a damaged file") };
    let size = |sections: &[Section]| -> u64 {
        sections.iter().map(|section| file.extent(*section).length as u64).sum()
    };
    assert_eq!(report.blocks, size(&[Section::Compression, Section::Blocks, Section::BlockIndex]));
    assert_eq!(report.terms, size(&[Section::Terms, Section::CharFilters, Section::Adjacency]));
    assert_eq!(report.postings, size(&[Section::Postings]));
    assert_eq!(report.templates, size(&[Section::Templates]));
    // The directory of columns is in the part of counts and times, which has 28 bytes of its own.
    assert_eq!(report.columns, size(&[Section::Columns, Section::Meta]) - 28);
    assert_eq!(report.file, std::fs::metadata(&path).unwrap().len());
    let parts = report.blocks + report.columns + report.terms + report.postings + report.templates;
    assert!(parts < report.file && report.blocks > 1_000, "{report:?}");
}

#[test]
fn an_inspector_tells_the_facts() {
    let active = active(11, 30);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one");
    let told = RefCell::new(None);
    let notary = |facts: Facts| {
        told.replace(Some(facts));
        Some("no record that can be read".to_owned())
    };
    active.seal_as(&path, &Sealing::default().with_notary(&notary)).unwrap();
    let facts: Facts = told.into_inner().unwrap();
    let inspector = SegmentInspector::open(&path, &Keys::default()).unwrap();
    assert_eq!((facts.first, facts.count, facts.received_us), (11, 30, active.received_range()));
    assert_eq!(inspector.extent(), Some((11, 30, active.received_range())));
    assert_eq!((inspector.id(), inspector.contents()), (facts.id, facts.contents));
    assert_eq!(inspector.size(), std::fs::metadata(&path).unwrap().len());
    assert!(inspector.record().is_none() && inspector.recipients().is_empty());
    assert!(!inspector.is_encrypted() && !inspector.is_locked());
    assert_eq!(inspector.form(), SegmentForm::Sealed);
    let sealed = inspector.read().unwrap();
    assert_eq!(sealed.stored_root().unwrap(), Some(facts.messages));
    let other = SegmentInspector::from_bytes(sealed_bytes(&active), &Keys::default()).unwrap();
    assert!(other.id() != facts.id && other.contents() != facts.contents);
}

#[test]
fn a_record_that_is_refused_keeps_a_segment_from_being_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one");
    let refused = active(0, 3).seal_as(&path, &Sealing::default().with_notary(&|_| None));
    assert!(refused.unwrap_err().to_string().starts_with(&format!("cannot make {}: ", path.display())));
}

#[test]
fn the_form_of_a_segment_is_known() {
    let active = active(0, 300);
    let form = |bytes: Vec<u8>| SegmentInspector::from_bytes(bytes, &Keys::default()).unwrap().form();
    assert_eq!(form(recoded_bytes(&active)), SegmentForm::Recoded);
    let recoded = Sealed::from_bytes(recoded_bytes(&active)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (keys, cancel) = (Keys::default(), CancelToken::unlimited());
    let mut recoding = Recoding { recipients: &[], keys: &keys, cancel: &cancel, pace: &mut || () };
    let draft = recoded.age(&dir.path().join("aged"), &mut recoding).unwrap();
    assert_eq!(Some(draft.messages()), recoded.stored_root().unwrap());
    assert_eq!((draft.report().messages, draft.report().before), (300, recoded.size()));
    let path = draft.path().to_owned();
    let report = draft.finish(&|_| Some(String::new())).unwrap();
    assert_eq!(report.file, std::fs::metadata(&path).unwrap().len());
    assert_eq!(form(std::fs::read(path).unwrap()), SegmentForm::Aged);
}

#[test]
fn an_encrypted_segment_is_known_as_one() {
    let (recipient, _) = Identity::draw().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one");
    let recipients = [Recipient::load(&recipient).unwrap()];
    active(0, 3).seal_as(&path, &Sealing::for_recipients(&recipients)).unwrap();
    let inspector = SegmentInspector::open(&path, &Keys::default()).unwrap();
    assert!(inspector.is_encrypted() && inspector.is_locked());
}

#[test]
fn errors_say_what_could_not_be_done() {
    let check = |error: &dyn std::fmt::Display, want: &str| assert_eq!(error.to_string(), want);
    let source = || io::Error::other("no room");
    check(&SealError { path: "/a".into(), source: source() }, "cannot make /a: no room");
    let locked = || ReadError::Locked { path: "/a".into() };
    check(&RecodeError::Write(source()), "cannot write the recoded segment: no room");
    check(&RecodeError::Read(locked()), &locked().to_string());
    check(
        &RecodeError::Differs { what: "term", number: 7 },
        "the recoded segment would not be the same: term 7",
    );
    check(&RebuildError::Read(locked()), &locked().to_string());
    check(&RebuildError::Seal(SealError { path: "/a".into(), source: source() }), "cannot make /a: no room");
}

/// Lines that hardly compress, so that the messages take several chunks of the file.
fn dense(count: usize) -> Active {
    let mut number = 1u64;
    let mut word = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:012x}", number >> 16)
    };
    let mut line =
        |_| Line { text: (0..12).map(|_| word()).collect::<Vec<_>>().join(" "), ..Line::default() };
    let lines: Vec<Line> = (0..count).map(&mut line).collect();
    let mut active = Active::new(100, Some(learned(&["message"])));
    append(&mut active, &lines);
    active
}

/// Checks that damage in each chunk names the messages that cannot be read because of it, and no others.
#[track_caller]
fn check_damage(whole: &[u8]) -> usize {
    let cancel = CancelToken::unlimited();
    let (first, count) = (100, Sealed::from_bytes(whole.to_vec()).unwrap().len());
    let mut in_part = 0;
    for chunk in 0..SegmentInspector::from_bytes(whole.to_vec(), &Keys::default()).unwrap().chunks() {
        let mut bytes = whole.to_vec();
        bytes[512 + (chunk << 16) + 100] ^= 4;
        let Ok(sealed) = Sealed::from_bytes(bytes) else { continue };
        let troubles = sealed.troubles(&cancel).unwrap();
        assert_eq!(troubles.iter().map(|trouble| trouble.chunk).collect::<Vec<_>>(), [chunk]);
        let messages = troubles[0].messages.clone();
        let is_read = |sequence: u64| {
            let mut one = std::iter::once((sequence - first) as u32);
            sealed.read(&mut one, &cancel, &mut |_, _| true).is_ok()
        };
        let all = first..first + u64::from(count);
        assert!(messages.start >= all.start && messages.end <= all.end, "{messages:?} of {all:?}");
        if messages.is_empty() {
            assert_eq!(messages, first..first);
            assert!(all.step_by(50).all(is_read), "chunk {chunk}");
            continue;
        }
        assert!(troubles[0].parts.contains(&"messages") || messages == all, "{:?}", troubles[0]);
        if messages == all {
            continue;
        }
        assert!(!is_read(messages.start) && !is_read(messages.end - 1), "chunk {chunk}: {messages:?}");
        assert!(messages.start == all.start || is_read(messages.start - 1), "chunk {chunk}: {messages:?}");
        assert!(messages.end == all.end || is_read(messages.end), "chunk {chunk}: {messages:?}");
        in_part += 1;
    }
    in_part
}

#[test]
fn damage_names_the_messages_that_it_concerns() {
    let whole = sealed_bytes(&dense(3_000));
    assert!(check_damage(&whole) > 1, "some messages are lost, others are not");
    let sealed = Sealed::from_bytes(whole).unwrap();
    assert_eq!(sealed.troubles(&CancelToken::unlimited()).unwrap(), []);
    assert_ne!(sealed.stored_root().unwrap(), Some(Digest::default()));
}

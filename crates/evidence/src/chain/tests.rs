//! Rows for the records of a chain: the known state of each segment, and which bytes are damaged.

use super::*;
use crate::{
    SigningKey,
    testing::{key, record, record_with_ledger, sign},
};

fn chain_of(key: &SigningKey, events: &[(u64, Event)]) -> Chain {
    let mut chain = Chain::default();
    for (first, event) in events {
        chain.appended(record(key, &chain, *first, event.clone()));
    }
    chain
}

/// Numbers of the records with a segment's current state, its last contents, and its archive.
#[track_caller]
fn check(
    chain: &Chain,
    first: u64,
    current: Option<u64>,
    last: Option<u64>,
    moved: Option<&Event>,
    place: Option<&str>,
) {
    assert_eq!(chain.current(first).map(|record| record.number), current, "current of {first}");
    assert_eq!(chain.last_contents(first).map(|record| record.number), last, "last contents of {first}");
    assert_eq!(chain.last_move(first), moved, "last move of {first}");
    assert_eq!(chain.archive_place(first), place.map(PathBuf::from), "place of {first}");
}

#[test]
fn the_newest_records_describe_a_segment() {
    let key = key();
    let archive = |place: &str| Event::Archive(place.into());
    let chain = chain_of(
        &key,
        &[
            (20, Event::Seal),
            (0, Event::Seal),
            (10, Event::Seal),
            (0, archive("sha256:00 /a b")),
            (10, Event::Rewrite),
            (10, Event::Recovery(3)),
            (10, Event::Key("ed25519:00".into())),
            (10, Event::Gap),
            (20, Event::Removal("age".into())),
            (30, Event::Recode(Digest::of(b"old"))),
            (30, archive("sha256:00")),
            (0, Event::Restore),
            (40, Event::Gap),
        ],
    );
    check(&chain, 0, Some(1), Some(1), Some(&Event::Restore), Some("/a b"));
    check(&chain, 10, Some(4), Some(4), None, None);
    check(&chain, 20, None, Some(8), None, None);
    check(&chain, 30, Some(9), Some(9), Some(&archive("sha256:00")), None);
    check(&chain, 40, None, None, None, None);
    assert_eq!(chain.firsts(), [0, 10, 20, 30]);
    assert_eq!(chain.end(), 40, "a gap is no segment");
    assert_eq!((chain.next_number(), Chain::default().next_number(), Chain::default().end()), (13, 0, 0));
    let whole: String = chain.records().iter().map(Record::print).collect();
    let read = Chain::parse(whole.as_bytes());
    assert_eq!((read.records(), read.firsts(), read.end()), (chain.records(), chain.firsts(), 40));
    assert_eq!((read.length(), read.torn_bytes(), read.is_newer()), (whole.len() as u64, 0, false));
}

#[test]
fn a_record_is_there_or_continues_the_chain() {
    let key = key();
    let chain = chain_of(&key, &[(0, Event::Seal), (10, Event::Seal)]);
    let next = record(&key, &chain, 20, Event::Seal);
    assert!(chain.continues(&next) && !chain.has(&next));
    let skipped = Record { number: 3, ..next.clone() };
    let elsewhere = Record { previous: Digest::of(b"other"), ..next.clone() };
    assert!(!chain.continues(&skipped) && !chain.continues(&elsewhere));
    for known in chain.records() {
        assert!(chain.has(known) && !chain.continues(known));
        assert!(!chain.has(&Record { at_us: 1, ..known.clone() }), "another record of this number");
    }
    assert!(Chain::default().continues(&chain.records()[0]));
    assert_eq!(chain.head(), chain.records()[1].digest());
}

#[test]
fn damage_is_where_no_record_is() {
    let key = key();
    let records: Vec<String> = (0..3)
        .scan(Chain::default(), |chain, at| {
            chain.appended(record(&key, chain, at * 10, Event::Seal));
            chain.records().last().map(Record::print)
        })
        .collect();
    let newer = {
        let body = "duramen record 2\nanything\n";
        format!("{body}sum {:08x}\n\n", crc32fast::hash(body.as_bytes()))
    };
    let [one, two, three] = [0, 1, 2].map(|at| records[at].as_str());
    let bad = "no\nrecord\n\n";
    let length = |text: &str| text.len() as u64;
    let damage = |offset, bytes| ChainDamage { offset, bytes };
    let rows: [(String, usize, &[ChainDamage], u64, bool); 7] = [
        ([one, two, three].concat(), 3, &[], 0, false),
        ([bad, one].concat(), 1, &[damage(0, length(bad))], 0, false),
        ([one, bad, bad, two].concat(), 2, &[damage(length(one), 2 * length(bad))], 0, false),
        (
            [one, bad, two, bad, three].concat(),
            3,
            &[damage(length(one), length(bad)), damage(length(one) + length(bad) + length(two), length(bad))],
            0,
            false,
        ),
        ([one, bad].concat(), 1, &[], length(bad), false),
        ([one, &two[..20]].concat(), 1, &[], 20, false),
        ([one, newer.as_str(), three].concat(), 2, &[damage(length(one), length(&newer))], 0, true),
    ];
    for (text, count, damages, torn, is_newer) in rows {
        let mut chain = Chain::parse(text.as_bytes());
        assert_eq!((chain.records().len(), chain.damages()), (count, damages), "{text}");
        assert_eq!(
            (chain.torn_bytes(), chain.length(), chain.is_newer()),
            (torn, length(&text) - torn, is_newer)
        );
        let cut = (torn > 0).then_some(damage(length(&text) - torn, torn));
        assert_eq!((chain.cut_torn(), chain.cut_torn(), chain.torn_bytes()), (cut, None, 0));
    }
    assert_eq!(Chain::parse(b"\xff\n\n").torn_bytes(), 3);
}

#[test]
fn records_of_other_versions_are_known_as_such() {
    let key = key();
    let whole = |body: &str| format!("{body}sum {:08x}\n\n", crc32fast::hash(body.as_bytes()));
    let mine = record(&key, &Chain::default(), 0, Event::Seal).print();
    let unknown = mine[..mine.rfind("sum ").unwrap()].replace("event seal", "event melt");
    for (text, is_newer) in [
        (mine.clone(), false),
        (whole(&unknown), true),
        (whole("duramen record 2\n"), true),
        (whole("another record 2\n"), false),
        (whole("duramen record 2\n").replace("record 2", "record 3"), false),
        ("duramen record 2\n\n".to_owned(), false),
        (String::new(), false),
    ] {
        assert_eq!(Record::is_newer(&text), is_newer, "{text}");
        assert_eq!(Record::parse(&text).is_some(), text == mine);
    }
}

#[test]
fn events_concern_contents_or_places_or_neither() {
    let rows = [
        (Event::Seal, false, true),
        (Event::Rewrite, false, true),
        (Event::Recode(Digest::default()), false, true),
        (Event::Removal(String::new()), false, true),
        (Event::Archive(String::new()), true, false),
        (Event::Restore, true, false),
        (Event::Recovery(1), false, false),
        (Event::Key(String::new()), false, false),
        (Event::Gap, false, false),
    ];
    for (event, is_move, is_of_contents) in rows {
        assert_eq!((event.is_move(), event.is_of_contents()), (is_move, is_of_contents), "{event:?}");
    }
}

#[test]
fn a_record_is_signed_by_the_key_that_it_names() {
    let (one, other) = (key(), key());
    let mut written = record_with_ledger(&one, None);
    assert!(written.is_signed_by(one.public()) && !written.is_signed_by(other.public()));
    assert_eq!((written.segment.first, written.end()), (0, 10));
    written.signer = other.public().fingerprint();
    let written = sign(&one, written);
    assert!(!written.is_signed_by(one.public()), "it names the other key");
    assert!(!written.is_signed_by(other.public()), "the other key did not sign it");
    for event in [Event::Recovery(3), Event::Key("ed25519:00".into()), Event::Gap] {
        let written = record(&one, &Chain::default(), u64::MAX - 3, event);
        assert_eq!((Record::parse(&written.print()), written.end()), (Some(written.clone()), u64::MAX));
    }
}

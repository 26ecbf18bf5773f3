//! Rows for a catalog that says something else than the chain.

use super::super::{catalog::check, report::AuditReport};
use crate::files::{
    catalog::{CATALOG_NAME, Catalog, Entry, Reason, Tombstone},
    layout::segment_path,
};
use evidence::{
    Chain, Event, Record,
    testing::{key, record, sign},
};
use journal::OsDisk;
use std::fs;

/// A chain of two segments of ten messages, of which the first was removed, and a third one.
fn chain() -> Chain {
    let (key, mut text, mut chain) = (key(), String::new(), Chain::default());
    for (first, event) in
        [(0, Event::Seal), (10, Event::Seal), (0, Event::Removal("age".into())), (20, Event::Seal)]
    {
        let made = record(&key, &chain, first, event);
        text.push_str(&sign(&key, made).print());
        chain = Chain::parse(text.as_bytes());
    }
    chain
}

fn entry(record: &Record) -> Entry {
    let segment = &record.segment;
    let (first_us, last_us) = segment.received_us;
    let path = segment_path(first_us, segment.first);
    Entry { first: segment.first, count: segment.count, first_us, last_us, bytes: 5, path }
}

/// The catalog that belongs to the chain.
fn whole(chain: &Chain) -> Catalog {
    let [first, second, _, third] = chain.records() else { unreachable!() };
    let stone = Tombstone { entry: entry(first), reason: Reason::Age, removed_us: 1 };
    Catalog { segments: vec![entry(second), entry(third)], tombstones: vec![stone] }
}

#[track_caller]
fn check_catalog(change: impl FnOnce(&mut Catalog), want: &[&str]) {
    let (dir, chain) = (tempfile::tempdir().unwrap(), chain());
    let mut catalog = whole(&chain);
    change(&mut catalog);
    catalog.write(&OsDisk, dir.path()).unwrap();
    let mut report = AuditReport::default();
    check(dir.path(), &chain, &mut report).unwrap();
    let text = |finding: &super::super::Finding| {
        let messages = finding.messages.clone().unwrap_or_default();
        format!("{} {}..{}: {}", finding.kind.name(), messages.start, messages.end, finding.text)
    };
    assert_eq!(report.findings.iter().map(text).collect::<Vec<_>>(), want);
}

#[test]
fn a_catalog_agrees_with_the_chain() {
    check_catalog(|_| {}, &[]);
    let late = "note 20..30: the catalog does not have the segment yet: the server adds it when it starts";
    check_catalog(|catalog| drop(catalog.segments.pop()), &[late]);
    let still = "note 0..10: the catalog still names a segment that the chain says was removed";
    check_catalog(|catalog| catalog.segments.insert(0, catalog.tombstones.remove(0).entry), &[still]);
}

#[test]
fn every_fact_of_a_segment_is_compared() {
    let differs =
        |end: u64| format!("chain 10..{end}: the catalog says something else of a segment than the chain");
    check_catalog(|catalog| catalog.segments[0].count = 11, &[&differs(21)]);
    check_catalog(|catalog| catalog.segments[0].first_us += 1, &[&differs(20)]);
    check_catalog(|catalog| catalog.segments[0].last_us += 1, &[&differs(20)]);
    check_catalog(|catalog| catalog.segments[0].path = "elsewhere.ds".into(), &[&differs(20)]);
    // The size is that of the present file, which recoding changes.
    check_catalog(|catalog| catalog.segments[0].bytes = 77, &[]);
}

#[test]
fn records_that_only_the_catalog_remembers_are_gone() {
    let gone = "missing 30..40: the catalog names a segment that the chain does not know: records are gone";
    let unknown = |catalog: &Catalog| Entry { first: 30, ..catalog.segments[1].clone() };
    check_catalog(|catalog| catalog.segments.push(unknown(catalog)), &[gone]);
    let removed = |catalog: &Catalog, entry: Entry| Tombstone { entry, ..catalog.tombstones[0].clone() };
    let gone = "missing 30..40: the catalog says that a segment was removed that the chain does not know: records are gone";
    check_catalog(|catalog| catalog.tombstones.push(removed(catalog, unknown(catalog))), &[gone]);
    let alive = [
        "missing 20..30: the catalog says that a segment was removed, and the chain does not",
        "note 20..30: the catalog does not have the segment yet: the server adds it when it starts",
    ];
    let bury = |catalog: &mut Catalog| {
        let entry = catalog.segments.pop().unwrap();
        catalog.tombstones.push(removed(catalog, entry));
    };
    check_catalog(bury, &alive);
    let more = "missing 0..31: the catalog says that more was removed than the chain knows of";
    check_catalog(|catalog| catalog.tombstones[0].entry.count = 31, &[more]);
    // Removals that were summed up reach as far as the chain does.
    check_catalog(|catalog| catalog.tombstones[0].entry.count = 30, &[]);
}

#[test]
fn a_catalog_that_is_not_there_shows() {
    let say = |chain: &Chain, bytes: Option<&str>| -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        bytes.iter().for_each(|bytes| fs::write(dir.path().join(CATALOG_NAME), bytes).unwrap());
        let mut report = AuditReport::default();
        check(dir.path(), chain, &mut report).unwrap();
        report.findings.iter().map(|finding| format!("{}: {}", finding.kind.name(), finding.text)).collect()
    };
    let chain = chain();
    assert_eq!(
        say(&chain, None),
        ["missing: the catalog is missing: the server makes it again when it starts"]
    );
    assert_eq!(say(&Chain::default(), None), Vec::<String>::new());
    let begun = Chain::parse(chain.records()[0].print().as_bytes());
    assert_eq!(say(&begun, None), Vec::<String>::new(), "the first record is written before the catalog");
    let two: String = chain.records()[..2].iter().map(Record::print).collect();
    assert_eq!(say(&Chain::parse(two.as_bytes()), None).len(), 1);
    let damaged = ["damaged: the catalog is damaged: the server makes it again when it starts"];
    assert_eq!(say(&chain, Some("duramen catalog 1\nsegm")), damaged);
    assert_eq!(say(&Chain::default(), Some("")), damaged);
    let newer = ["damaged: the catalog was written by a newer version: verify with that one"];
    assert_eq!(say(&chain, Some("duramen catalog 2\n")), newer);
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(CATALOG_NAME)).unwrap();
    assert!(check(dir.path(), &chain, &mut AuditReport::default()).is_err());
}

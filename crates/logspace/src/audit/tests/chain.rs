//! Rows for chains: what is said of a record that was changed, moved, or made by a wrong clock.

use super::super::{
    chain::{Signers, check},
    report::{AuditReport, FindingKind},
};
use evidence::{
    Chain, Digest, Event, Facts, Record, SigningKey,
    testing::{key, record, sign},
};

/// When the first record of a row was made, and the time between two records: a minute.
const MADE_US: i64 = 1_763_000_000_000_000;
const MINUTE_US: i64 = 60_000_000;

/// Records that continue each other; `change` alters each before it is signed.
fn records(key: &SigningKey, events: &[Event], change: impl Fn(usize, &mut Record)) -> Vec<Record> {
    let (mut chain, mut made) = (Chain::default(), Vec::new());
    for (at, event) in events.iter().enumerate() {
        let mut next = record(key, &chain, at as u64 * 10, event.clone());
        next.at_us = MADE_US + at as i64 * MINUTE_US;
        next.segment.received_us = (next.at_us - 30_000_000, next.at_us - 10_000_000);
        change(at, &mut next);
        let next = sign(key, next);
        made.push(next.clone());
        chain = parsed(&made);
    }
    made
}

fn parsed(records: &[Record]) -> Chain {
    Chain::parse(records.iter().map(Record::print).collect::<String>().as_bytes())
}

fn report(chain: &Chain, signers: &Signers, known_head: Option<Digest>) -> AuditReport {
    let mut report = AuditReport::default();
    check(chain, signers, known_head, &mut report);
    report
}

/// Each finding as `kind: text`, with the messages that it names.
fn said(report: &AuditReport) -> Vec<String> {
    let text = |finding: &super::super::report::Finding| {
        let messages = finding.messages.as_ref().map(|range| format!(" ({}..{})", range.start, range.end));
        format!("{}: {}{}", finding.kind.name(), finding.text, messages.unwrap_or_default())
    };
    report.findings.iter().map(text).collect()
}

#[track_caller]
fn check_said(events: &[Event], change: impl Fn(usize, &mut Record), want: &[&str]) {
    let key = key();
    let records = records(&key, events, change);
    let report = report(&parsed(&records), &Signers::Beside(vec![key.public().clone()]), None);
    assert_eq!(said(&report), want);
    assert_eq!((report.records, report.head), (records.len() as u64, records.last().unwrap().digest()));
}

fn seals(count: usize) -> Vec<Event> {
    vec![Event::Seal; count]
}

#[test]
fn a_whole_chain_has_nothing_to_report() {
    check_said(&seals(4), |_, _| {}, &[]);
}

#[test]
fn a_clock_may_be_off_by_a_second() {
    let second_made = |by_us: i64| {
        move |at: usize, record: &mut Record| {
            if at == 1 {
                record.at_us = MADE_US - by_us;
                record.segment.received_us = (MADE_US - 10_000_000, MADE_US - 10_000_000);
            }
        }
    };
    check_said(&seals(2), second_made(1_000_000), &[]);
    check_said(
        &seals(2),
        second_made(1_000_001),
        &["clock: the clock went back 1 s between records 0 and 1 (10..20)"],
    );
    check_said(
        &seals(2),
        second_made(7_500_000),
        &["clock: the clock went back 7 s between records 0 and 1 (10..20)"],
    );
}

#[test]
fn a_segment_is_sealed_after_its_last_message() {
    let late =
        |by_us: i64| move |_: usize, record: &mut Record| record.segment.received_us.1 = record.at_us + by_us;
    check_said(&seals(1), late(1_000_000), &[]);
    let want = ["clock: record 0 was made 1 s before its last message was received (0..10)"];
    check_said(&seals(1), late(1_000_001), &want);
    let want = ["clock: record 0 was made 90 s before its last message was received (0..10)"];
    check_said(&seals(1), late(90_000_000), &want);
    // Only a seal says when: a rewrite may be made by a clock that was set since.
    check_said(&[Event::Rewrite], late(90_000_000), &[]);
}

#[test]
fn messages_are_received_in_order() {
    let early = |by_us: i64, gap: u64| {
        move |at: usize, record: &mut Record| {
            if at == 1 {
                record.segment.first += gap;
                record.segment.received_us.0 = MADE_US - 10_000_000 - by_us;
            }
        }
    };
    check_said(&seals(2), early(1_000_000, 0), &[]);
    let want = ["clock: messages of record 1 were received 1 s before those that came earlier (10..20)"];
    check_said(&seals(2), early(1_000_001, 0), &want);
    let want = ["clock: messages of record 1 were received 3600 s before those that came earlier (10..20)"];
    check_said(&seals(2), early(3_600_000_000, 0), &want);
    // Records that do not touch say nothing of each other's times.
    let gap = "gap: no segment was sealed with these numbers: the journal lost the messages, or records are gone (10..15)";
    check_said(&seals(2), early(3_600_000_000, 5), &[gap]);
}

#[test]
fn losses_gaps_and_recoveries_are_reported() {
    check_said(
        &[Event::Seal, Event::Gap],
        |_, _| {},
        &["gap: the journal lost these messages before they were sealed, says record 1 (10..20)"],
    );
    check_said(
        &[Event::Seal, Event::Recovery(3)],
        |_, record| record.segment.first = 0,
        &[
            "chain: record 1: the server found that records of the chain were gone; it found 3 again in segments",
        ],
    );
    let gap =
        "gap: no segment was sealed with these numbers: the journal lost the messages, or records are gone";
    check_said(&seals(1), |_, record| record.segment.first = 4, &[&format!("{gap} (0..4)")]);
    check_said(
        &seals(3),
        |at, record| record.segment.first = [0, 40, 12][at],
        &[&format!("{gap} (10..12)"), &format!("{gap} (22..40)")],
    );
}

#[test]
fn a_new_file_has_the_messages_of_the_old_one() {
    let contents = Digest::of(b"contents");
    let same = |_: usize, record: &mut Record| record.segment.first = 0;
    check_said(&[Event::Seal, Event::Rewrite, Event::Recode(contents)], same, &[]);
    check_said(&[Event::Seal, Event::Archive("x".into()), Event::Restore, Event::Rewrite], same, &[]);
    let other = |at: usize, record: &mut Record| {
        record.segment.first = 0;
        if at == 1 {
            record.segment.messages = Digest::of(b"others");
        }
    };
    for event in [Event::Rewrite, Event::Recode(contents), Event::Restore, Event::Removal("age".into())] {
        let want = ["foreign: record 1 has other messages than record 0 (0..10)"];
        check_said(&[Event::Seal, event], other, &want);
    }
    // An event that neither moves nor writes a file says nothing about the file.
    check_said(&[Event::Seal, Event::Key("f".into())], other, &["note: record 1: from here on f signs"]);
    let want = ["foreign: record 1 replaces another file than that of record 0 (0..10)"];
    check_said(&[Event::Seal, Event::Recode(Digest::of(b"x"))], same, &want);
}

#[test]
fn a_key_is_announced_by_the_one_before() {
    let (first, second) = (key(), key());
    let fingerprint = second.public().fingerprint();
    let keys = || vec![first.public().clone(), second.public().clone()];
    let make = |event: Event| {
        let mut made = records(&first, &[Event::Seal, event], |_, _| {});
        let chain = parsed(&made);
        made.push(record(&second, &chain, 20, Event::Seal));
        let last = made.last_mut().unwrap();
        (last.at_us, last.segment.received_us) = (MADE_US * 2, (MADE_US + MINUTE_US, MADE_US + MINUTE_US));
        made[2] = sign(&second, made[2].clone());
        parsed(&made)
    };
    let announced = make(Event::Key(fingerprint.clone()));
    let silent = make(Event::Seal);
    let note = format!("note: record 1: from here on {fingerprint} signs");
    assert_eq!(said(&report(&announced, &Signers::Beside(keys()), None)), [note]);
    let found = said(&report(&silent, &Signers::Beside(keys()), None));
    assert!(
        found.len() == 1 && found[0].starts_with(&format!("signature: from record 2 on {fingerprint} signs"))
    );
    // With a list of trusted keys, a new key needs no announcement.
    assert_eq!(said(&report(&silent, &Signers::Trusted(keys()), None)), Vec::<String>::new());
    let only = Signers::Trusted(vec![first.public().clone()]);
    let want = format!("signature: record 2 is signed by {fingerprint}, which is not trusted");
    assert_eq!(said(&report(&announced, &only, None)), [want]);
}

#[test]
fn a_chain_is_of_one_logspace_and_in_order() {
    let change = |at: usize, record: &mut Record| {
        if at == 1 {
            record.logspace = [1; 16];
        }
    };
    check_said(&seals(2), change, &["foreign: record 1 is of another logspace"]);
    let key = key();
    let whole = records(&key, &seals(3), |_, _| {});
    let signers = Signers::Beside(vec![key.public().clone()]);
    let kinds = |records: &[Record]| -> Vec<FindingKind> {
        report(&parsed(records), &signers, None).findings.iter().map(|finding| finding.kind).collect()
    };
    assert_eq!(kinds(&whole), []);
    assert_eq!(kinds(&whole[1..]), [FindingKind::Chain, FindingKind::Gap]);
    assert_eq!(kinds(&[whole[0].clone(), whole[2].clone()]), [FindingKind::Chain, FindingKind::Gap]);
    let mut forged = whole.clone();
    forged[2].segment = Facts { count: 11, ..forged[2].segment.clone() };
    assert_eq!(kinds(&forged), [FindingKind::Signature]);
}

#[test]
fn a_digest_from_elsewhere_is_that_of_some_record() {
    let key = key();
    let records = records(&key, &seals(3), |_, _| {});
    let signers = Signers::Trusted(vec![key.public().clone()]);
    for record in &records {
        assert!(report(&parsed(&records), &signers, Some(record.digest())).is_good());
    }
    let found = said(&report(&parsed(&records[..2]), &signers, Some(records[2].digest())));
    assert_eq!(found, ["chain: the record that was kept elsewhere is not in the chain"]);
}

#[test]
fn bytes_that_are_no_record_are_counted() {
    let key = key();
    let made = records(&key, &seals(2), |_, _| {});
    let signers = Signers::Trusted(vec![key.public().clone()]);
    let (first, second) = (made[0].print(), made[1].print());
    let torn = Chain::parse(format!("{first}{second}record").as_bytes());
    assert_eq!(
        said(&report(&torn, &signers, None)),
        ["chain: 6 bytes at the end of the chain are no record"]
    );
    let damaged = Chain::parse(format!("{first}rubbish\n\n{second}").as_bytes());
    let found = report(&damaged, &signers, None);
    assert_eq!(said(&found), ["chain: 9 bytes of the chain are no record"]);
    assert_eq!(found.findings[0].offset, Some(first.len() as u64));
}

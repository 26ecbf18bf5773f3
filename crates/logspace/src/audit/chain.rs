//! The chain by itself: order, signatures, clocks, gaps.
//!
//! In: the chain, the keys that may sign. Out: findings. Limits: if records are cut off at the end together with
//! everything that belongs to them, only a digest that was saved elsewhere, or the journal, reveals it.

use super::report::{AuditReport, Finding, FindingKind};
use evidence::{Chain, Digest, Event, PublicKey, Record};
use std::collections::{HashMap, HashSet};

/// How far clocks may go back: small corrections are not reported.
const CLOCK_SLACK_US: i64 = 1_000_000;

/// Keys that may sign.
pub(super) enum Signers {
    /// The keys that the verifier named.
    Trusted(Vec<PublicKey>),
    /// The keys beside the chain: a new one is accepted when an earlier key announced it.
    Beside(Vec<PublicKey>),
}

impl Signers {
    pub(super) fn keys(&self) -> &[PublicKey] {
        match self {
            Signers::Trusted(keys) | Signers::Beside(keys) => keys,
        }
    }
}

pub(super) fn check(chain: &Chain, signers: &Signers, known_head: Option<Digest>, report: &mut AuditReport) {
    let keys = signers.keys();
    report.records = chain.records().len() as u64;
    report.head = chain.head();
    for damage in chain.damages() {
        let text = format!("{} bytes of the chain are no record", damage.bytes);
        let offset = Some(damage.offset);
        report.add(Finding { offset, ..Finding::new(FindingKind::Chain, text) });
    }
    if chain.torn_bytes() > 0 {
        let text = format!("{} bytes at the end of the chain are no record", chain.torn_bytes());
        report.add(Finding::new(FindingKind::Chain, text));
    }
    let mut before: Option<&Record> = None;
    for record in chain.records() {
        check_link(before, record, report);
        check_signature(record, keys, report);
        check_clocks(before, record, report);
        before = Some(record);
    }
    if known_head.is_some_and(|head| !chain.records().iter().any(|record| record.digest() == head)) {
        report
            .add(Finding::new(FindingKind::Chain, "the record that was kept elsewhere is not in the chain"));
    }
    if matches!(signers, Signers::Beside(_)) {
        check_succession(chain, report);
    }
    check_recoveries(chain, report);
    check_rewrites(chain, report);
    check_numbers(chain, report);
    check_losses(chain, report);
}

fn check_link(before: Option<&Record>, record: &Record, report: &mut AuditReport) {
    let (number, previous) =
        before.map_or((0, Digest::default()), |before| (before.number + 1, before.digest()));
    if (record.number, record.previous) != (number, previous) {
        let text = format!(
            "record {} does not follow the one before: records were taken out or changed",
            record.number
        );
        report.add(Finding::new(FindingKind::Chain, text));
    }
    if before.is_some_and(|before| before.logspace != record.logspace) {
        let text = format!("record {} is of another logspace", record.number);
        report.add(Finding::new(FindingKind::Foreign, text));
    }
}

fn check_signature(record: &Record, keys: &[PublicKey], report: &mut AuditReport) {
    let text = match keys.iter().find(|key| key.fingerprint() == record.signer) {
        Some(key) if record.is_signed_by(key) => return,
        Some(_) => format!("the signature of record {} is wrong", record.number),
        None => format!("record {} is signed by {}, which is not trusted", record.number, record.signer),
    };
    report.add(Finding::new(FindingKind::Signature, text));
}

/// Checks that each key but the first was announced by an earlier key.
fn check_succession(chain: &Chain, report: &mut AuditReport) {
    let mut known: HashSet<&str> = HashSet::new();
    for record in chain.records() {
        if known.insert(&record.signer) && record.number > 0 && known.len() > 1 {
            let text = format!(
                "from record {} on {} signs, and no key before it says so: name the keys that you know with --trust",
                record.number, record.signer
            );
            report.add(Finding::new(FindingKind::Signature, text));
        }
        if let Event::Key(fingerprint) = &record.event {
            known.insert(fingerprint);
            let text = format!("record {}: from here on {fingerprint} signs", record.number);
            report.add(Finding::new(FindingKind::Note, text));
        }
    }
}

/// Reports recoveries: records that a chain lost stay lost.
fn check_recoveries(chain: &Chain, report: &mut AuditReport) {
    for record in chain.records() {
        if let Event::Recovery(count) = record.event {
            let text = format!(
                "record {}: the server found that records of the chain were gone; it found {count} again in segments",
                record.number
            );
            report.add(Finding::new(FindingKind::Chain, text));
        }
    }
}

/// Checks that a new file holds the messages of the file that it replaces.
fn check_rewrites(chain: &Chain, report: &mut AuditReport) {
    let mut known: HashMap<u64, &Record> = HashMap::new();
    let of_segments = |record: &&Record| record.event.is_of_contents() || record.event.is_move();
    for record in chain.records().iter().filter(of_segments) {
        let before = known.insert(record.segment.first, record);
        let Some(before) = before.filter(|_| !matches!(record.event, Event::Seal)) else { continue };
        let mut add = |text: String| {
            let messages = Some(record.segment.first..record.end());
            report.add(Finding { messages, ..Finding::new(FindingKind::Foreign, text) });
        };
        if before.segment.messages != record.segment.messages {
            add(format!("record {} has other messages than record {}", record.number, before.number));
        }
        if matches!(record.event, Event::Recode(replaced) if replaced != before.segment.contents) {
            add(format!(
                "record {} replaces another file than that of record {}",
                record.number, before.number
            ));
        }
    }
}

fn check_clocks(before: Option<&Record>, record: &Record, report: &mut AuditReport) {
    let (first_us, last_us) = record.segment.received_us;
    let messages = Some(record.segment.first..record.end());
    let mut add = |text: String| {
        report.add(Finding { messages: messages.clone(), ..Finding::new(FindingKind::Clock, text) });
    };
    let seconds = |us: i64| us / 1_000_000;
    if let Some(before) = before.filter(|before| before.at_us > record.at_us + CLOCK_SLACK_US) {
        let back = seconds(before.at_us - record.at_us);
        add(format!("the clock went back {back} s between records {} and {}", before.number, record.number));
    }
    if record.event != Event::Seal {
        return;
    }
    if last_us > record.at_us + CLOCK_SLACK_US {
        let ahead = seconds(last_us - record.at_us);
        add(format!("record {} was made {ahead} s before its last message was received", record.number));
    }
    let earlier = before.filter(|before| before.end() == record.segment.first);
    if let Some(before) = earlier.filter(|before| before.segment.received_us.1 > first_us + CLOCK_SLACK_US) {
        let back = seconds(before.segment.received_us.1 - first_us);
        add(format!(
            "messages of record {} were received {back} s before those that came earlier",
            record.number
        ));
    }
}

/// Reports messages that the server found missing in its journal.
fn check_losses(chain: &Chain, report: &mut AuditReport) {
    for record in chain.records().iter().filter(|record| record.event == Event::Gap) {
        let text =
            format!("the journal lost these messages before they were sealed, says record {}", record.number);
        let messages = Some(record.segment.first..record.end());
        report.add(Finding { messages, ..Finding::new(FindingKind::Gap, text) });
    }
}

/// Reports sequence numbers that no record mentions.
fn check_numbers(chain: &Chain, report: &mut AuditReport) {
    let mut ranges: Vec<(u64, u64)> =
        chain.records().iter().map(|record| (record.segment.first, record.end())).collect();
    ranges.sort_unstable();
    let mut next = 0;
    for (first, end) in ranges {
        if first > next {
            let text = "no segment was sealed with these numbers: the journal lost the messages, or records are gone";
            report.add(Finding { messages: Some(next..first), ..Finding::new(FindingKind::Gap, text) });
        }
        next = next.max(end);
    }
}

//! What somebody does to a logspace by hand is found, and named.

use super::*;
use crate::{Audit, AuditReport, AuthorityError, EVIDENCE_DIR, FindingKind};
use evidence::{Identity, Keys, Recipient};
use journal::OsDisk;
use std::path::PathBuf;

/// Messages of a segment.
const MANY: u64 = 40;

fn small() -> LogspaceOptions {
    LogspaceOptions { segment_messages_max: MANY, journal_file_bytes_max: 2000, ..options() }
}

/// Stores so many segments, and some messages that stay in the journal.
fn fill(dir: &Path, options: LogspaceOptions, segments: u64) {
    let logspace = open(dir, options);
    let start = logspace.snapshot().sequence;
    for number in 0..segments * 4 + 1 {
        let first = start + number * MANY / 4;
        store(&logspace, first..first + MANY / 4, now_us());
    }
    wait_until("sealed", || logspace.stats().segments >= segments);
    logspace.close();
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let files = layout::files_ending(dir, layout::SEGMENT_ENDING).unwrap();
    files.into_iter().map(|path| dir.join(path)).collect()
}

fn audit(dir: &Path, audit: &Audit) -> AuditReport {
    audit.run(dir, &CancelToken::unlimited()).unwrap()
}

/// Does something to a logspace of four segments; one finding of this kind must tell of it.
#[track_caller]
fn check(harm: impl FnOnce(&Path), kind: FindingKind, text: &str) -> AuditReport {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 4);
    let before = audit(dir.path(), &Audit::default());
    assert!(before.is_good() && before.messages == 4 * MANY, "{:?}", before.findings);
    harm(dir.path());
    let report = audit(dir.path(), &Audit::default());
    let found = report.findings.iter().any(|finding| finding.kind == kind && finding.text.contains(text));
    assert!(found, "{:?}", report.findings);
    report
}

#[test]
fn a_deleted_segment_is_missed() {
    let report = check(|dir| fs::remove_file(&files(dir)[1]).unwrap(), FindingKind::Missing, "is not there");
    assert_eq!(report.findings[0].messages, Some(MANY..2 * MANY));
    // Also after the server has started again, which says so in the chain.
    let again = |dir: &Path| {
        fs::remove_file(&files(dir)[1]).unwrap();
        open(dir, small()).close();
    };
    check(again, FindingKind::Missing, "found the segment missing");
}

#[test]
fn a_cut_segment_is_found() {
    let cut = |dir: &Path| {
        let path = &files(dir)[2];
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 100]).unwrap();
    };
    check(cut, FindingKind::Damaged, "the end is missing");
}

#[test]
fn an_older_segment_in_another_place_is_found() {
    let copy = |dir: &Path| {
        fs::copy(&files(dir)[0], &files(dir)[2]).unwrap();
    };
    check(copy, FindingKind::Foreign, "another or an older one");
    let put_back = |dir: &Path| {
        let old = fs::read(&files(dir)[0]).unwrap();
        let path = files(dir)[0].clone();
        fill(dir, LogspaceOptions { retention_bytes: Some(1), ..small() }, 0);
        wait_until("removed", || !path.exists());
        fs::write(&path, old).unwrap();
    };
    check(put_back, FindingKind::Foreign, "was put back");
}

#[test]
fn a_segment_made_by_somebody_else_is_found() {
    let forge = |dir: &Path| {
        let other = tempfile::tempdir().unwrap();
        fill(other.path(), small(), 1);
        fs::copy(&files(other.path())[0], &files(dir)[0]).unwrap();
    };
    check(forge, FindingKind::Foreign, "another or an older one");
}

#[test]
fn an_end_that_was_taken_away_is_missed() {
    let take = |dir: &Path| {
        // The last segments, their records and the catalog: only the journal still knows.
        files(dir)[1..].iter().for_each(|path| fs::remove_file(path).unwrap());
        let chain = read_chain(&OsDisk, dir).unwrap();
        let records = &chain.records()[..1];
        let text: String = records.iter().map(|record| record.print()).collect();
        fs::write(dir.join(EVIDENCE_DIR).join("chain"), text).unwrap();
        fs::remove_file(dir.join("catalog")).unwrap();
    };
    let report = check(take, FindingKind::Missing, "between the last sealed segment and the journal");
    assert_eq!(report.records, 1);
}

#[test]
fn records_that_were_changed_are_found() {
    let edit = |dir: &Path, change: &dyn Fn(&mut Vec<evidence::Record>)| {
        let mut records = read_chain(&OsDisk, dir).unwrap().records().to_vec();
        change(&mut records);
        let text: String = records.iter().map(|record| record.print()).collect();
        fs::write(dir.join(EVIDENCE_DIR).join("chain"), text).unwrap();
    };
    check(|dir| edit(dir, &|records| records[1].at_us += 1), FindingKind::Signature, "of record 1 is wrong");
    check(
        |dir| edit(dir, &|records| drop(records.remove(1))),
        FindingKind::Chain,
        "record 2 does not follow",
    );
    check(|dir| edit(dir, &|records| drop(records.remove(1))), FindingKind::Gap, "no segment was sealed");
    let flip = |dir: &Path| {
        let path = dir.join(EVIDENCE_DIR).join("chain");
        let mut bytes = fs::read(&path).unwrap();
        bytes[500] ^= 4;
        fs::write(path, bytes).unwrap();
    };
    check(flip, FindingKind::Chain, "are no record");
}

#[test]
fn a_digest_that_was_kept_elsewhere_finds_an_old_copy() {
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(dir.path(), small(), 2);
    let early = audit(dir.path(), &Audit::default()).head;
    std::process::Command::new("cp").args(["-r"]).arg(dir.path()).arg(copy.path()).status().unwrap();
    fill(dir.path(), small(), 3);
    let late = audit(dir.path(), &Audit::default()).head;
    let old = copy.path().join(dir.path().file_name().unwrap());
    for (dir, head, good) in
        [(dir.path(), early, true), (dir.path(), late, true), (&old, early, true), (&old, late, false)]
    {
        let report = audit(dir, &Audit { known_head: Some(head), ..Audit::default() });
        assert_eq!(report.is_good(), good, "{:?}", report.findings);
    }
}

#[test]
fn a_clock_that_went_back_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = open(dir.path(), small());
    for (number, received_us) in [(0, now_us()), (1, now_us() - 3_600_000_000), (2, now_us() - 3_600_000_000)]
    {
        store(&logspace, number * MANY..(number + 1) * MANY, received_us);
    }
    store(&logspace, 3 * MANY..3 * MANY + 1, now_us());
    wait_until("sealed", || logspace.stats().segments >= 3);
    logspace.close();
    let report = audit(dir.path(), &Audit::default());
    let found = report.findings.iter().any(|finding| finding.kind == FindingKind::Clock);
    assert!(found, "{:?}", report.findings);
}

#[test]
fn only_trusted_keys_sign() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(dir.path(), small(), 1);
    let path = other.path().join("key");
    let stranger = evidence::SigningKey::load_or_draw(&path).unwrap();
    let report = audit(dir.path(), &Audit { trusted: vec![stranger.public().clone()], ..Audit::default() });
    assert!(report.findings.iter().any(|finding| finding.kind == FindingKind::Signature));
    let options = LogspaceOptions { sign_key: Some(path), ..small() };
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), options, 1);
    assert!(
        audit(dir.path(), &Audit { trusted: vec![stranger.public().clone()], ..Audit::default() }).is_good()
    );
}

#[test]
fn damage_is_named_and_the_rest_is_found() {
    let flip = |dir: &Path| {
        let path = &files(dir)[1];
        let mut bytes = fs::read(path).unwrap();
        bytes[512 + 300] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let report = check(flip, FindingKind::Damaged, "checksum mismatch");
    assert_eq!(report.findings[0].chunk, Some(0));
    assert_eq!(report.messages, 3 * MANY, "the others are all read back");
}

fn keys() -> (Recipient, Keys) {
    let (recipient, identity) = Identity::draw().unwrap();
    (Recipient::load(&recipient).unwrap(), Keys::of(vec![Identity::parse(&identity, None).unwrap()]))
}

#[test]
fn a_locked_logspace_says_so_and_opens_for_a_while() {
    let (recipient, keys) = keys();
    let dir = tempfile::tempdir().unwrap();
    let sealed = LogspaceOptions { recipients: vec![recipient], ..small() };
    fill(dir.path(), sealed.clone(), 3);
    let logspace = open(dir.path(), sealed.clone());
    let unsealed = found(&logspace).len() as u64;
    let locked: u64 = logspace.snapshot().locked.iter().map(|locked| locked.count).sum();
    assert_eq!((locked, unsealed), (3 * MANY, MANY / 4), "the active part is there");
    assert_eq!(logspace.unlock(&super::tampering::keys().1), (0, 3), "not with another key");
    assert_eq!(logspace.unlock(&keys), (3, 0));
    assert_eq!(found(&logspace).len() as u64, 3 * MANY + MANY / 4);
    logspace.lock();
    assert_eq!(logspace.snapshot().locked.len(), 3);
    logspace.close();
    let report = audit(dir.path(), &Audit::default());
    assert!(report.is_good() && report.locked == 3 && report.messages == 0, "{:?}", report.findings);
    let report = audit(dir.path(), &Audit { keys: keys.clone(), ..Audit::default() });
    assert!(report.is_good() && report.messages == 3 * MANY, "{:?}", report.findings);
    let logspace = open(dir.path(), LogspaceOptions { keys, ..sealed });
    assert_eq!(logspace.snapshot().locked.len(), 0, "the server holds the key");
    logspace.close();
}

#[test]
fn a_legal_hold_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), LogspaceOptions { retention_bytes: Some(1), legal_hold: true, ..small() }, 3);
    let logspace =
        open(dir.path(), LogspaceOptions { retention_bytes: Some(1), legal_hold: true, ..small() });
    wait_for_looks(&logspace.seals);
    assert_eq!(logspace.stats().segments, 3);
    logspace.set_retention(Retention { bytes: Some(1), ..Retention::default() });
    wait_until("removed", || logspace.stats().segments == 0);
    logspace.close();
    let report = audit(dir.path(), &Audit::default());
    assert!(report.is_good(), "removals are explained: {:?}", report.findings);
    assert_eq!(report.records, 6);
}

#[test]
fn the_scrubber_finds_damage_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 2);
    let path = files(dir.path())[0].clone();
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 4;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let heard = Arc::new(Heard::default());
    let scrubbed = LogspaceOptions { scrub_wait: Duration::from_millis(1), ..small() };
    let logspace = Logspace::open(dir.path(), scrubbed, heard.clone()).unwrap();
    wait_until("found", || heard.has("is damaged"));
    logspace.close();
}

#[test]
fn an_index_is_made_anew_and_the_chain_says_so() {
    let (recipient, keys) = keys();
    for recipients in [vec![], vec![recipient]] {
        let dir = tempfile::tempdir().unwrap();
        let sealed = LogspaceOptions { recipients: recipients.clone(), keys: keys.clone(), ..small() };
        fill(dir.path(), sealed.clone(), 3);
        let rebuild = RebuildIndex {
            keys: keys.clone(),
            recipients: recipients.clone(),
            now_us: now_us(),
            ..RebuildIndex::default()
        };
        let none = RebuildIndex { recipients: vec![], ..rebuild.clone() };
        if !recipients.is_empty() {
            assert!(matches!(none.run(dir.path(), MANY), Err(RebuildIndexError::NoRecipient)));
        }
        assert!(matches!(rebuild.run(dir.path(), 7), Err(RebuildIndexError::Unknown { first: 7 })));
        let before = fs::read(&files(dir.path())[1]).unwrap();
        rebuild.run(dir.path(), MANY).unwrap();
        assert_ne!(fs::read(&files(dir.path())[1]).unwrap(), before);
        let report = audit(dir.path(), &Audit { keys: keys.clone(), ..Audit::default() });
        assert!(
            report.is_good() && report.records == 4 && report.messages == 3 * MANY,
            "{:?}",
            report.findings
        );
        let logspace = open(dir.path(), sealed);
        assert_eq!(with_token(&logspace, &format!("n{}", MANY + 3)), 1);
        assert!(matches!(rebuild.run(dir.path(), MANY), Err(RebuildIndexError::InUse)));
        logspace.close();
        fs::write(&files(dir.path())[1], before).unwrap();
        let report = audit(dir.path(), &Audit { keys: keys.clone(), ..Audit::default() });
        assert!(
            report.findings.iter().any(|finding| finding.kind == FindingKind::Foreign),
            "the old file is no longer the right one"
        );
    }
}

/// Bytes of every file below a directory.
fn all_bytes(dir: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(if path.is_dir() { all_bytes(&path) } else { fs::read(path).unwrap() });
    }
    bytes
}

#[test]
fn nothing_of_an_encrypted_logspace_lies_on_the_disk_in_clear() {
    let (recipient, _) = keys();
    let dir = tempfile::tempdir().unwrap();
    let sealed = LogspaceOptions { recipients: vec![recipient], ..small() };
    fill(dir.path(), sealed.clone(), 3);
    let bytes = all_bytes(dir.path());
    assert!(memchr::memmem::find(&bytes, b"is here").is_none(), "no message, not in the journal either");
    let keys = |dir: &Path| -> Vec<u64> {
        let names = fs::read_dir(dir.join("journal-keys")).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        names.map(|entry| name(entry).strip_suffix(".key").unwrap().parse().unwrap()).collect()
    };
    let logspace = open(dir.path(), sealed.clone());
    assert_eq!(found(&logspace).len() as u64, MANY / 4, "what is not sealed is read back");
    store(&logspace, 3 * MANY + MANY / 4..4 * MANY + 1, now_us());
    store(&logspace, 4 * MANY + 1..4 * MANY + 2, now_us());
    wait_until("keys of sealed messages are destroyed", || {
        keys(dir.path()).iter().all(|number| *number >= 130)
    });
    logspace.close();
    assert!(memchr::memmem::find(&all_bytes(dir.path()), b"is here").is_none());
    for entry in fs::read_dir(dir.path().join("journal-keys")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let heard = Arc::new(Heard::default());
    let logspace = Logspace::open(dir.path(), sealed, heard.clone()).unwrap();
    assert!(heard.has("its key is gone"));
    logspace.close();
}

/// An authority that is away at first.
#[derive(Debug, Default)]
struct Away(Mutex<u32>);

impl crate::Authority for Away {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, AuthorityError> {
        assert!(request.len() > 40);
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        Err(AuthorityError { url: "http://clock".to_owned(), source: "away".into() })
    }
}

#[test]
fn an_authority_that_is_away_is_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Arc::new(Away::default());
    let stamped = LogspaceOptions { authority: Some(authority.clone()), ..small() };
    let logspace = open(dir.path(), stamped);
    store(&logspace, 0..MANY, now_us());
    store(&logspace, MANY..MANY + 1, now_us());
    wait_until("asked", || *authority.0.lock().unwrap() >= 3);
    assert_eq!(logspace.stats().timestamps_total, 0);
    logspace.close();
}

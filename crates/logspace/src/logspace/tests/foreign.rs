//! Files that are not the logspace's own, links that lead out of it, and chains that lost records: nothing of it is taken
//! for what was sealed, and nothing is lost by it.

use super::*;
use crate::{
    Audit, AuditReport, EVIDENCE_DIR, FindingKind, Verdict,
    files::catalog::{CATALOG_NAME, Catalog, Reason},
};
use journal::OsDisk;
use std::os::unix::fs::symlink;

/// Messages of a segment.
const MANY: u64 = 40;
/// Messages that stay in the journal.
const REST: u64 = 10;

/// The journal forgets what is sealed.
fn small() -> LogspaceOptions {
    LogspaceOptions { journal_file_bytes_max: 2000, ..roomy() }
}

/// The journal keeps everything.
fn roomy() -> LogspaceOptions {
    LogspaceOptions { segment_messages_max: MANY, recode: false, ..options() }
}

/// Stores messages from a number on until there are so many segments, and some that stay in the journal.
fn fill(dir: &Path, options: LogspaceOptions, first: u64, segments: u64) {
    let logspace = open(dir, options);
    let start = logspace.snapshot().sequence;
    for round in start / REST..segments * MANY / REST + 1 {
        let first = first + round * REST;
        store(&logspace, first..first + REST, now_us());
    }
    wait_until("sealed", || logspace.stats().segments >= segments);
    logspace.close();
}

fn files(dir: &Path) -> Vec<PathBuf> {
    layout::segment_files(dir).unwrap()
}

fn audit(dir: &Path) -> AuditReport {
    Audit::default().run(dir, &CancelToken::unlimited()).unwrap()
}

fn copy_tree(source: &Path, target: &Path) {
    let done = std::process::Command::new("cp").arg("-a").arg(source).arg(target).status().unwrap();
    assert!(done.success());
}

fn numbers(logspace: &Logspace) -> Vec<u64> {
    found(logspace).iter().map(|(sequence, _)| *sequence).collect()
}

/// Opens a logspace; what it says.
fn reopen(dir: &Path, options: LogspaceOptions) -> (Logspace, Arc<Heard>) {
    let heard = Arc::new(Heard::default());
    (Logspace::open(dir, options, heard.clone()).unwrap(), heard)
}

fn is_found(report: &AuditReport, kind: FindingKind, text: &str) -> bool {
    report.findings.iter().any(|finding| finding.kind == kind && finding.text.contains(text))
}

/// Puts the third segment of another logspace into one of two segments whose journal has messages with the same numbers:
/// all that was acknowledged is found, and the file stays where it is until a segment needs its place.
#[track_caller]
fn check_stranger(dir: &Path, other: &Path, why: &str) {
    let stranger = files(other)[2].clone();
    let place = dir.join(stranger.strip_prefix(other).unwrap());
    fs::copy(&stranger, &place).unwrap();
    assert_eq!(audit(dir).verdict(), Verdict::NotGood);
    for _ in 0..2 {
        let (logspace, heard) = reopen(dir, small());
        assert!(heard.has("is not this logspace's own") && heard.has(why), "{:?}", heard.0);
        assert!(logspace.stats().last_error.is_some_and(|error| error.contains("not this logspace's own")));
        check_found(&logspace, 2 * MANY + REST);
        logspace.close();
        assert_eq!(fs::read(&place).unwrap(), fs::read(&stranger).unwrap(), "it was touched");
    }
    let (logspace, heard) = reopen(dir, LogspaceOptions { retention_bytes: Some(1 << 40), ..small() });
    for first in (2 * MANY + REST..3 * MANY + REST).step_by(REST as usize) {
        store(&logspace, first..first + REST, now_us());
    }
    wait_until("sealed", || logspace.stats().segments == 3);
    check_found(&logspace, 3 * MANY + REST);
    assert!(heard.has("a file was where a segment belongs"), "{:?}", heard.0);
    logspace.close();
    assert_eq!(fs::read(place.with_extension("foreign")).unwrap(), fs::read(&stranger).unwrap());
    let report = audit(dir);
    assert_eq!(report.verdict(), Verdict::Complete, "{:?}", report.findings);
    assert_eq!(report.messages, 3 * MANY);
}

#[test]
fn e2_a_segment_of_another_server_is_never_taken_in() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(dir.path(), small(), 0, 2);
    fill(other.path(), small(), 1_000_000, 3);
    check_stranger(dir.path(), other.path(), "signed by another key");
}

#[test]
fn e2_a_segment_of_another_logspace_with_the_same_key_is_never_taken_in() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = dir.path().join("key.pem");
    evidence::SigningKey::load_or_draw(&key).unwrap();
    fill(&dir.path().join("a"), LogspaceOptions { sign_key: Some(key.clone()), ..small() }, 0, 2);
    fill(other.path(), LogspaceOptions { sign_key: Some(key.clone()), ..small() }, 1_000_000, 3);
    // The key that the logspace goes on with is the same.
    fs::copy(&key, dir.path().join("a").join(EVIDENCE_DIR).join("sign.key")).unwrap();
    check_stranger(&dir.path().join("a"), other.path(), "of another logspace");
}

#[test]
fn e2_a_segment_of_a_copy_that_went_on_does_not_hide_what_was_acknowledged() {
    let home = tempfile::tempdir().unwrap();
    let (dir, copy) = (home.path().join("one"), home.path().join("two"));
    let logspace = open(&dir, small());
    (0..9).for_each(|round| store(&logspace, round * REST..(round + 1) * REST, now_us()));
    wait_until("sealed", || logspace.stats().segments == 2);
    logspace.close();
    copy_tree(&dir, &copy);
    // The copy seals other messages, signed with the same key, next in the same chain.
    let logspace = open(&copy, small());
    (0..5).for_each(|round| store(&logspace, 5000 + round..5001 + round, now_us()));
    assert!(logspace.seal_now(PATIENCE).is_some());
    logspace.close();
    let logspace = open(&dir, small());
    store(&logspace, 2 * MANY + REST..2 * MANY + REST + 5, now_us());
    logspace.close();
    let stranger = files(&copy)[2].clone();
    let place = dir.join(stranger.strip_prefix(&copy).unwrap());
    fs::copy(&stranger, &place).unwrap();
    let (logspace, heard) = reopen(&dir, small());
    assert!(heard.has("the journal or a later record speaks against it"), "{:?}", heard.0);
    check_found(&logspace, 2 * MANY + REST + 5);
}

/// Takes the last record off the chain, and the last segment off the catalog.
fn cut_chain(dir: &Path, with_catalog: bool) {
    let chain = read_chain(&OsDisk, dir).unwrap();
    let records = &chain.records()[..chain.records().len() - 1];
    let text: String = records.iter().map(|record| record.print()).collect();
    fs::write(dir.join(EVIDENCE_DIR).join("chain"), text).unwrap();
    if with_catalog {
        let mut catalog = Catalog::read(&OsDisk, dir).unwrap().unwrap();
        catalog.segments.pop();
        catalog.write(&OsDisk, dir).unwrap();
    }
}

#[test]
fn e2_a_segment_that_a_crash_kept_out_of_the_chain_is_adopted() {
    for segments in [1, 3] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), roomy(), 0, segments);
        cut_chain(dir.path(), true);
        assert!(audit(dir.path()).is_good());
        let (logspace, heard) = reopen(dir.path(), roomy());
        assert!(heard.0.lock().unwrap().is_empty(), "{:?}", heard.0);
        assert_eq!((logspace.stats().segments, logspace.stats().last_error), (segments, None));
        check_found(&logspace, segments * MANY + REST);
        logspace.close();
        let report = audit(dir.path());
        assert!(report.verdict() == Verdict::Complete && report.records == segments, "{:?}", report.findings);
    }
}

#[test]
fn e2_copies_under_other_names_are_not_found_twice() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 0, 2);
    let file = files(dir.path())[0].clone();
    fs::copy(&file, file.with_file_name("00000000000000000777.ds")).unwrap();
    fs::copy(&file, file.with_file_name("another.ds")).unwrap();
    fs::write(file.with_file_name("00000000000000000888.ds"), "?").unwrap();
    let (logspace, heard) = reopen(dir.path(), small());
    assert_eq!(heard.0.lock().unwrap().len(), 3, "{:?}", heard.0);
    check_found(&logspace, 2 * MANY + REST);
    assert_eq!(logspace.stats().segments, 2);
    logspace.close();
    assert_eq!(files(dir.path()).len(), 5);
}

#[test]
fn e2_another_file_in_the_place_of_a_segment_is_not_searched() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(dir.path(), small(), 0, 3);
    fill(other.path(), small(), 1_000_000, 3);
    fs::copy(&files(other.path())[1], &files(dir.path())[1]).unwrap();
    let (logspace, heard) = reopen(dir.path(), small());
    assert!(heard.has("signed by another key"), "{:?}", heard.0);
    let want: Vec<u64> = (0..MANY).chain(2 * MANY..3 * MANY + REST).collect();
    assert_eq!(numbers(&logspace), want);
    assert_eq!(logspace.snapshot().damaged[0].count, MANY, "an answer says what it lacks");
}

/// A harm to a chain, and how it is done.
type Harm = (&'static str, fn(&Path));

#[test]
fn e3_segments_without_a_chain_are_not_good() {
    let harms: [Harm; 3] = [
        ("deleted", |chain| fs::remove_file(chain).unwrap()),
        ("emptied", |chain| fs::write(chain, "").unwrap()),
        ("garbage", |chain| fs::write(chain, "nothing").unwrap()),
    ];
    for (what, harm) in harms {
        for without_catalog in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            fill(dir.path(), small(), 0, 3);
            harm(&dir.path().join(EVIDENCE_DIR).join("chain"));
            if without_catalog {
                fs::remove_file(dir.path().join(CATALOG_NAME)).unwrap();
            }
            let report = audit(dir.path());
            assert!(is_found(&report, FindingKind::Chain, "there is no chain of evidence"), "{what}");
            // The server finds the records in the segments, and says that it had to.
            let (logspace, heard) = reopen(dir.path(), small());
            assert!(heard.has("was cut or removed: 3 of its records"), "{what}: {:?}", heard.0);
            assert!(logspace.stats().last_error.is_some_and(|error| error.contains("was cut or removed")));
            check_found(&logspace, 3 * MANY + REST);
            logspace.close();
            let report = audit(dir.path());
            assert!(is_found(&report, FindingKind::Chain, "records of the chain were gone"), "{what}");
            assert_eq!((report.verdict(), report.messages), (Verdict::NotGood, 3 * MANY));
        }
    }
}

#[test]
fn e3_altered_segments_without_a_chain_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 0, 3);
    fs::remove_file(dir.path().join(EVIDENCE_DIR).join("chain")).unwrap();
    let path = &files(dir.path())[0];
    let mut bytes = fs::read(path).unwrap();
    bytes[600] ^= 1;
    fs::write(path, bytes).unwrap();
    fs::remove_file(&files(dir.path())[1]).unwrap();
    let report = audit(dir.path());
    assert!(is_found(&report, FindingKind::Damaged, "checksum mismatch"), "{:?}", report.findings);
    assert!(
        is_found(&report, FindingKind::Chain, "record 2 of a segment does not follow"),
        "{:?}",
        report.findings
    );
}

#[test]
fn e3_the_last_record_is_missed_with_its_segment() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), roomy(), 0, 3);
    fs::remove_file(files(dir.path()).pop().unwrap()).unwrap();
    cut_chain(dir.path(), false);
    let report = audit(dir.path());
    assert!(is_found(&report, FindingKind::Missing, "that the chain does not know"), "{:?}", report.findings);
    let (logspace, heard) = reopen(dir.path(), roomy());
    assert!(heard.has("which the chain of evidence does not know"), "{:?}", heard.0);
    drop(logspace);
}

#[test]
fn e3_the_catalog_cannot_make_the_server_forget_or_remove() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 0, 3);
    let mut catalog = Catalog::read(&OsDisk, dir.path()).unwrap().unwrap();
    let mut later = catalog.segments[1].clone();
    catalog.bury(0, Reason::Age, 1);
    (later.first, later.count) = (3 * MANY, 1_000_000);
    catalog.segments.push(later);
    catalog.bury(3 * MANY, Reason::Size, 1);
    catalog.write(&OsDisk, dir.path()).unwrap();
    let report = audit(dir.path());
    assert!(is_found(&report, FindingKind::Missing, "and the chain does not"), "{:?}", report.findings);
    assert!(is_found(&report, FindingKind::Missing, "that the chain does not know"), "{:?}", report.findings);
    let (logspace, _) = reopen(dir.path(), small());
    check_found(&logspace, 3 * MANY + REST);
    logspace.close();
    assert_eq!(audit(dir.path()).verdict(), Verdict::Complete);
}

#[test]
fn e1_a_link_that_no_archive_record_explains_is_not_away() {
    let home = tempfile::tempdir().unwrap();
    let (dir, elsewhere) = (home.path().join("all"), home.path().join("elsewhere"));
    fill(&dir, small(), 0, 3);
    let file = files(&dir)[1].clone();
    fs::rename(&file, &elsewhere).unwrap();
    // Dangling; to the file itself, outside; to another segment.
    for target in [PathBuf::from("/nonexistent"), elsewhere, files(&dir)[0].clone()] {
        symlink(&target, &file).unwrap();
        let report = audit(&dir);
        assert_eq!((report.verdict(), report.away), (Verdict::NotGood, 0), "{}", target.display());
        assert!(is_found(&report, FindingKind::Missing, "no record of an archive"), "{:?}", report.findings);
        let (logspace, heard) = reopen(&dir, small());
        assert!(heard.has("is not this logspace's own"), "{:?}", heard.0);
        let want: Vec<u64> = (0..MANY).chain(2 * MANY..3 * MANY + REST).collect();
        assert_eq!(numbers(&logspace), want, "nothing is read through the link");
        assert_eq!(logspace.snapshot().damaged[0].count, MANY);
        logspace.close();
        assert_eq!(fs::read_link(&file).unwrap(), target, "it is left alone");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn e1_a_linked_folder_is_not_followed() {
    let home = tempfile::tempdir().unwrap();
    let (dir, elsewhere) = (home.path().join("all"), home.path().join("elsewhere"));
    fill(&dir, small(), 0, 2);
    let year = files(&dir)[0].ancestors().nth(2).unwrap().to_owned();
    fs::rename(&year, &elsewhere).unwrap();
    symlink(&elsewhere, &year).unwrap();
    let report = audit(&dir);
    assert_eq!((report.verdict(), report.messages), (Verdict::NotGood, 0), "{:?}", report.findings);
}

#[test]
fn e1_what_is_away_is_neither_complete_nor_wrong() {
    let home = tempfile::tempdir().unwrap();
    let (dir, archive) = (home.path().join("all"), home.path().join("archive"));
    fill(&dir, small(), 0, 3);
    let logspace = open(&dir, LogspaceOptions { archive_to: Some(archive.clone()), ..small() });
    assert_eq!(logspace.archive(Duration::ZERO, PATIENCE).unwrap().segments, 3);
    logspace.close();
    assert_eq!(audit(&dir).verdict(), Verdict::Complete);
    fs::rename(&archive, home.path().join("shelf")).unwrap();
    let report = audit(&dir);
    assert_eq!((report.verdict(), report.away), (Verdict::GoodForWhatIsHere, 3), "{:?}", report.findings);
    // Two links that changed places are no archive of either.
    let (one, two) = (files(&dir)[0].clone(), files(&dir)[1].clone());
    let (first, second) = (fs::read_link(&one).unwrap(), fs::read_link(&two).unwrap());
    for (path, target) in [(&one, second), (&two, first)] {
        fs::remove_file(path).unwrap();
        symlink(target, path).unwrap();
    }
    let report = audit(&dir);
    assert_eq!((report.verdict(), report.away), (Verdict::NotGood, 1), "{:?}", report.findings);
}

#[test]
fn e7_no_other_key_signs_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), small(), 0, 2);
    let evidence = dir.path().join(EVIDENCE_DIR);
    let chain = evidence.join("chain");
    fs::rename(evidence.join("sign.key"), evidence.join("kept.key")).unwrap();
    for without_chain in [false, true] {
        let kept = fs::read(&chain).unwrap();
        if without_chain {
            fs::remove_file(&chain).unwrap();
        }
        let refused = Logspace::open(dir.path(), small(), Arc::new(Unheard)).err().unwrap().to_string();
        assert!(
            refused.contains("sign.key is missing") && refused.contains("put that key back"),
            "{refused}"
        );
        assert!(!evidence.join("sign.key").exists(), "none was drawn");
        fs::write(&chain, kept).unwrap();
    }
    fs::rename(evidence.join("kept.key"), evidence.join("sign.key")).unwrap();
    fill(dir.path(), small(), 0, 3);
    assert_eq!(audit(dir.path()).verdict(), Verdict::Complete);
}

#[test]
fn e7_a_change_of_key_is_in_the_chain() {
    for is_vouched in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), small(), 0, 2);
        let old = dir.path().join(EVIDENCE_DIR).join("sign.key");
        if !is_vouched {
            fs::remove_file(&old).unwrap();
        }
        let key = dir.path().join("new.pem");
        let new = evidence::SigningKey::load_or_draw(&key).unwrap();
        let (logspace, heard) =
            reopen(dir.path(), LogspaceOptions { sign_key: Some(key.clone()), ..small() });
        assert!(
            heard.has(&format!("signed with {} from now on", new.public().fingerprint())),
            "{:?}",
            heard.0
        );
        check_found(&logspace, 2 * MANY + REST);
        logspace.close();
        fill(dir.path(), LogspaceOptions { sign_key: Some(key), ..small() }, 0, 3);
        let report = audit(dir.path());
        let want = if is_vouched { Verdict::Complete } else { Verdict::NotGood };
        assert_eq!(report.verdict(), want, "{:?}", report.findings);
        assert_eq!(is_found(&report, FindingKind::Signature, "and no key before it says so"), !is_vouched);
        let before = crate::logspace::evidence_log::keys_beside(dir.path()).unwrap();
        assert_eq!(before.len(), 2, "both public keys are beside the chain");
        let trusting = Audit { trusted: before, ..Audit::default() };
        assert_eq!(trusting.run(dir.path(), &CancelToken::unlimited()).unwrap().verdict(), Verdict::Complete);
    }
}

#[test]
fn e7_files_of_newer_versions_are_left_as_they_are() {
    let newer_record = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let last = text.trim_end().rfind("\n\n").unwrap() + 2;
        let body = text[last..].replace("event seal", "event merge");
        let body = &body[..body.rfind("sum ").unwrap()];
        format!("{text}{body}sum {:08x}\n\n", crc32fast::hash(body.as_bytes())).into_bytes()
    };
    let newer_catalog = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap().replace("duramen catalog 1", "duramen catalog 2").into_bytes()
    };
    let newer_segment = |mut bytes: Vec<u8>| {
        bytes[8] = 9;
        let sum = crc32fast::hash(&bytes[..508]).to_le_bytes();
        bytes[508..512].copy_from_slice(&sum);
        bytes
    };
    type Change<'a> = &'a dyn Fn(Vec<u8>) -> Vec<u8>;
    let changes: [(&str, Change<'_>); 3] =
        [("evidence/chain", &newer_record), ("catalog", &newer_catalog), ("segment", &newer_segment)];
    for (name, change) in changes {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), small(), 0, 2);
        let path = if name == "segment" { files(dir.path())[0].clone() } else { dir.path().join(name) };
        let bytes = change(fs::read(&path).unwrap());
        fs::write(&path, &bytes).unwrap();
        let refused = Logspace::open(dir.path(), small(), Arc::new(Unheard)).err().unwrap().to_string();
        assert!(refused.contains("written by a newer version"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name} was changed");
        assert_eq!(audit(dir.path()).verdict(), Verdict::NotGood, "{name}");
    }
}

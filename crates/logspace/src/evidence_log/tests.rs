//! Rows for keys that sign: drawn, configured, changed, and where commands beside the server find them.

use super::*;
use crate::options::Unheard;
use evidence::{Digest, testing};
use journal::OsDisk;

fn open(dir: &Path, given: Option<&Path>) -> Result<EvidenceLog, OpenEvidenceError> {
    EvidenceLog::open(Arc::new(OsDisk), dir, given, 1, &Unheard)
}

fn facts(first: u64) -> Facts {
    testing::record(&testing::key(), &Chain::default(), first, Event::Seal).segment
}

fn seal(log: &mut EvidenceLog, first: u64) {
    let record = log.record(Event::Seal, facts(first), 1).unwrap();
    log.append(record).unwrap();
}

#[test]
fn the_configured_key_is_found_beside_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = dir.path().join("l");
    let [first, second] = ["first.key", "second.key"].map(|name| dir.path().join(name));
    for path in [&first, &second] {
        SigningKey::load_or_draw(path).unwrap();
    }
    let drawn = logspace.join(EVIDENCE_DIR).join(SIGN_KEY_NAME);
    assert_eq!((configured_key(&logspace), sign_key_of(&logspace)), (None, drawn.clone()));
    for (given, want) in [
        (None, &drawn),
        (Some(&first), &first),
        (Some(&first), &first),
        (Some(&second), &second),
        (None, &drawn),
        (Some(&second), &second),
    ] {
        open(&logspace, given.map(PathBuf::as_path)).unwrap();
        assert_eq!(configured_key(&logspace).as_ref(), given);
        assert_eq!(&sign_key_of(&logspace), want);
    }
    let place = logspace.join(EVIDENCE_DIR).join(SIGN_KEY_PLACE);
    fs::write(&place, "/half").unwrap();
    assert_eq!(configured_key(&logspace), None, "a line that was cut off names no key");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    for given in [None, Some(first.as_path())] {
        assert!(matches!(open(&logspace, given), Err(OpenEvidenceError::Io { .. })));
    }
}

#[test]
fn public_keys_are_beside_the_chain() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(keys_beside(dir.path()).unwrap().len(), 0);
    let log = open(dir.path(), None).unwrap();
    let beside = keys_beside(dir.path()).unwrap();
    assert_eq!(beside, [log.key.public().clone()]);
    let folder = dir.path().join(EVIDENCE_DIR);
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names.into_iter().find(|name| name.ends_with(".pem")).unwrap();
    let digits = log.key.public().fingerprint();
    let digits = digits.rsplit(':').next().unwrap();
    assert_eq!(name, format!("key-{}.pem", &digits[..16]));
    // A file that a loss of power left incomplete is written again.
    fs::write(folder.join(&name), "-----BEGIN").unwrap();
    fs::write(folder.join("key-other.pem"), "no key").unwrap();
    open(dir.path(), None).unwrap();
    assert_eq!(keys_beside(dir.path()).unwrap(), beside);
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "no folder").unwrap();
    assert!(keys_beside(dir.path()).is_err());
}

#[test]
fn another_key_is_announced_by_the_one_before_if_that_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let logspace = dir.path().join("l");
    let [first, second] = ["first.key", "second.key"].map(|name| dir.path().join(name));
    let [one, two] = [&first, &second].map(|path| SigningKey::load_or_draw(path).unwrap());
    let mut log = open(&logspace, None).unwrap();
    assert!(log.earlier.is_empty() && log.key_trouble().is_none());
    seal(&mut log, 0);
    let drawn = log.key.public().clone();
    // The drawn key is still there, and signs the change.
    let log = open(&logspace, Some(&first)).unwrap();
    let last = log.chain().records().last().unwrap();
    assert_eq!(last.event, Event::Key(one.public().fingerprint()));
    assert!(last.is_signed_by(&drawn) && log.has_signed(last) && log.key_trouble().is_none());
    assert_eq!(log.earlier, [drawn]);
    // Announced once, also when it has signed nothing yet.
    let records = log.chain().records().len();
    let mut log = open(&logspace, Some(&first)).unwrap();
    assert_eq!(log.chain().records().len(), records);
    seal(&mut log, 10);
    // A configured key is not there any more when another is configured: the new one says so itself.
    let log = open(&logspace, Some(&second)).unwrap();
    let last = log.chain().records().last().unwrap();
    assert_eq!(last.event, Event::Key(two.public().fingerprint()));
    assert!(
        last.is_signed_by(two.public()) && log.key_trouble().is_some_and(|text| text.contains("--trust"))
    );
    assert_eq!(log.earlier.len(), 2, "who signed records of this chain: {:?}", log.earlier);
}

#[test]
fn records_of_others_are_not_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path(), None).unwrap();
    let own = log.record(Event::Seal, facts(0), 1).unwrap();
    assert!(log.is_own(&own) && log.has_signed(&own));
    let other = Record { logspace: [1; 16], ..own.clone() };
    let other = testing::sign(&log.key, other);
    assert!(log.has_signed(&other) && !log.is_own(&other), "of another logspace");
    let forged = testing::sign(&testing::key(), own.clone());
    assert!(!log.has_signed(&forged) && !log.is_own(&forged), "signed by another key");
    log.append(own).unwrap();
    let again = open(dir.path(), None).unwrap();
    assert_eq!(again.logspace(), log.logspace());
    let elsewhere = tempfile::tempdir().unwrap();
    assert_ne!(open(elsewhere.path(), None).unwrap().logspace(), log.logspace());
}

#[test]
fn removals_moves_and_events_carry_the_facts_of_a_segment() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = open(dir.path(), None).unwrap();
    log.tell(Event::Recovery(0), 1).unwrap();
    assert_eq!(log.chain().records()[0].segment, Facts::default(), "there is no segment yet");
    seal(&mut log, 0);
    seal(&mut log, 10);
    log.remove(77, "age", 2).unwrap();
    assert_eq!(log.chain().records().len(), 3, "the chain never knew it");
    log.remove(10, "age", 2).unwrap();
    log.remove(10, "age", 3).unwrap();
    let removal = log.chain().records().last().unwrap();
    assert_eq!((removal.number, &removal.event, removal.at_us), (3, &Event::Removal("age".into()), 2));
    assert_eq!(removal.segment, facts(10));
    log.tell(Event::Recovery(5), 4).unwrap();
    assert_eq!(log.chain().records().last().unwrap().segment, facts(0), "of the newest that is still there");
    assert!(log.relocate(10, Event::Restore, 5).is_err());
    log.relocate(0, Event::Archive(format!("{} /a/0", Digest::of(b"x"))), 5).unwrap();
    let moved = log.chain().records().last().unwrap();
    assert_eq!((moved.segment.clone(), moved.at_us), (facts(0), 5));
    assert!(log.losses().is_empty());
    let gap = log.record(Event::Gap, facts(20), 6).unwrap();
    log.append(gap).unwrap();
    assert_eq!(log.losses(), [Locked { first: 20, count: 10, received_us: facts(20).received_us }]);
}

#[test]
fn a_key_is_not_drawn_again_when_the_old_one_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let key = dir.path().join(EVIDENCE_DIR).join(SIGN_KEY_NAME);
    open(dir.path(), None).unwrap();
    fs::remove_file(&key).unwrap();
    let mut log = open(dir.path(), None).unwrap();
    seal(&mut log, 0);
    let signer = log.key.public().fingerprint();
    fs::remove_file(&key).unwrap();
    match open(dir.path(), None).map(drop).unwrap_err() {
        OpenEvidenceError::SignKeyGone { path, signer: Some(gone) } => {
            assert_eq!((path, gone), (key.clone(), signer))
        }
        other => panic!("{other}"),
    }
    // Segments without a chain were signed with it, too.
    fs::remove_file(dir.path().join(EVIDENCE_DIR).join(CHAIN_NAME)).unwrap();
    fs::create_dir_all(dir.path().join("2026/01-01")).unwrap();
    fs::write(dir.path().join("2026/01-01/00000000000000000000.ds"), "").unwrap();
    let gone = open(dir.path(), None).map(drop);
    assert!(matches!(gone, Err(OpenEvidenceError::SignKeyGone { signer: None, .. })));
    fs::remove_dir_all(dir.path().join("2026")).unwrap();
    assert!(open(dir.path(), None).is_ok());
    fs::write(&key, "no key").unwrap();
    assert!(matches!(open(dir.path(), None), Err(OpenEvidenceError::SignKey(_))));
}

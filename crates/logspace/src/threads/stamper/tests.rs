//! Stamps of an authority of openssl's, and of some that answer wrongly.

use super::*;
use crate::files::chain_file::append_record;
use evidence::{
    Chain, Event, Stamp,
    testing::{authority, key, record},
};
use journal::OsDisk;

type Ask = dyn Fn(&[u8]) -> Result<Vec<u8>, AuthorityError> + Send + Sync;

struct Answers(Box<Ask>);

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answers")
    }
}

impl Authority for Answers {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, AuthorityError> {
        (self.0)(request)
    }
}

fn good(dir: &Path) -> Answers {
    let ask = authority(dir, &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    Answers(Box::new(move |request| Ok(ask(request))))
}

/// A folder with a chain of some records, and one for the authority.
fn site(records: u64) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let logspace = dir.path().join("l");
    fs::create_dir_all(logspace.join(EVIDENCE_DIR)).unwrap();
    let (key, mut chain) = (key(), Chain::default());
    for number in 0..records {
        let next = record(&key, &chain, number * 10, Event::Seal);
        append_record(&mut chain, &OsDisk, &logspace, next).unwrap();
    }
    (dir, logspace)
}

#[test]
fn the_newest_record_is_stamped_once() {
    let (dir, logspace) = site(3);
    let good = good(dir.path());
    assert_eq!(stamp_newest(&logspace, &OsDisk, &good).unwrap(), Some(2));
    assert_eq!(stamp_newest(&logspace, &OsDisk, &good).unwrap(), None);
    let answer = fs::read(logspace.join(EVIDENCE_DIR).join("stamp-2.tsr")).unwrap();
    let chain = read_chain(&OsDisk, &logspace).unwrap();
    assert_eq!(Stamp::read(&answer).unwrap().digest, chain.head());
    let names: Vec<_> =
        fs::read_dir(logspace.join(EVIDENCE_DIR)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let (_dir, empty) = site(0);
    assert_eq!(stamp_newest(&empty, &OsDisk, &good).unwrap(), None);
    assert_eq!(chain_length(&empty, &OsDisk), 0);
    assert_eq!(chain_length(&logspace, &OsDisk), chain.length());
}

#[test]
fn what_is_no_stamp_for_the_record_is_not_kept() {
    let (dir, logspace) = site(1);
    let ca = dir.path().to_owned();
    let refuse = |answer: Answers, want: &str| {
        let error = stamp_newest(&logspace, &OsDisk, &answer).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
        assert!(!logspace.join(EVIDENCE_DIR).join("stamp-0.tsr").exists());
    };
    refuse(Answers(Box::new(|_| Ok(b"no stamp".to_vec()))), "is not understood");
    let away = |_: &[u8]| Err(AuthorityError { url: "http://clock".into(), source: "away".into() });
    refuse(Answers(Box::new(away)), "http://clock: away");
    let other = good(&ca);
    let replayed = other.ask(&StampRequest::new(evidence::Digest::of(b"x")).unwrap().encode()).unwrap();
    refuse(Answers(Box::new(move |_| Ok(replayed.clone()))), "is for something else");
    // The folder cannot be written.
    fs::create_dir(logspace.join(EVIDENCE_DIR).join("stamp-0.tmp")).unwrap();
    refuse(good(&ca), "cannot write");
    fs::remove_dir(logspace.join(EVIDENCE_DIR).join("stamp-0.tmp")).unwrap();
    assert_eq!(stamp_newest(&logspace, &OsDisk, &good(&ca)).unwrap(), Some(0));
    fs::remove_file(logspace.join(EVIDENCE_DIR).join(CHAIN_NAME)).unwrap();
    fs::create_dir(logspace.join(EVIDENCE_DIR).join(CHAIN_NAME)).unwrap();
    assert!(stamp_newest(&logspace, &OsDisk, &good(&ca)).is_err(), "a chain that cannot be read");
}

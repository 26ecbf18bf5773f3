//! Rows for time-stamps beside a chain, made by an authority of openssl's.

use super::super::{report::AuditReport, stamps::check};
use crate::files::chain_file::{EVIDENCE_DIR, stamp_name};
use evidence::{
    Chain, Event, Record, StampRequest, StampRoots,
    testing::{authority, key, record, sign},
};
use std::{fs, path::Path};

const EC: &[&str] = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

fn now_us() -> i64 {
    use crate::Clock;
    crate::OsClock.wall_us()
}

/// A chain of records, each made at a time.
fn chain(times_us: &[i64]) -> Chain {
    let (key, mut text, mut chain) = (key(), String::new(), Chain::default());
    for (number, at_us) in times_us.iter().enumerate() {
        let made = record(&key, &chain, number as u64 * 10, Event::Seal);
        text.push_str(&sign(&key, Record { at_us: *at_us, ..made }).print());
        chain = Chain::parse(text.as_bytes());
    }
    assert_eq!(chain.records().len(), times_us.len());
    chain
}

/// Answers a request for a time-stamp.
type Ask = dyn Fn(&[u8]) -> Vec<u8>;

/// A folder with an authority that stamps records of a chain.
struct Site {
    dir: tempfile::TempDir,
    ask: Box<Ask>,
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let ca = dir.path().join("ca");
        fs::create_dir(&ca).unwrap();
        fs::create_dir(dir.path().join(EVIDENCE_DIR)).unwrap();
        Site { ask: Box::new(authority(&ca, EC)), dir }
    }

    /// Puts a stamp of one record where that of another belongs.
    fn put(&self, of: &Record, beside: &Record) {
        let answer = (self.ask)(&StampRequest::new(of.digest()).unwrap().encode());
        fs::write(self.path(beside), answer).unwrap();
    }

    fn path(&self, record: &Record) -> std::path::PathBuf {
        self.dir.path().join(EVIDENCE_DIR).join(stamp_name(record))
    }

    /// Returns the number of good stamps, and each finding.
    fn check(&self, chain: &Chain, root: Option<&Path>) -> (u64, Vec<String>) {
        let roots = root.map(|path| StampRoots::load(path).unwrap());
        let mut report = AuditReport::default();
        check(self.dir.path(), chain, roots.as_ref(), &mut report).unwrap();
        let said = report.findings.iter().map(|finding| format!("{}: {}", finding.kind.name(), finding.text));
        (report.stamps, said.collect())
    }
}

#[test]
fn stamps_are_counted_and_compared_with_their_records() {
    let site = Site::new();
    let chain = chain(&[now_us() - 9_000_000, now_us() - 6_000_000, now_us() - 3_000_000]);
    let [first, second, third] = chain.records() else { unreachable!() };
    assert_eq!(site.check(&chain, None), (0, vec![]));
    site.put(first, first);
    site.put(third, third);
    assert_eq!(site.check(&chain, None), (2, vec![]), "a record without a stamp is no fault");
    site.put(first, second);
    let other = "signature: the time-stamp of record 1 is for something else".to_owned();
    assert_eq!(site.check(&chain, None), (2, vec![other]));
    fs::write(site.path(second), "no stamp").unwrap();
    let (stamps, said) = site.check(&chain, None);
    assert!(
        stamps == 2 && said.len() == 1 && said[0].starts_with("signature: stamp of record 1: "),
        "{said:?}"
    );
    fs::remove_file(site.path(second)).unwrap();
    fs::create_dir(site.path(second)).unwrap();
    let mut report = AuditReport::default();
    assert!(
        check(site.dir.path(), &chain, None, &mut report).is_err(),
        "what cannot be read is no missing stamp"
    );
}

#[test]
fn only_a_trusted_authority_counts() {
    let (site, other) = (Site::new(), Site::new());
    let chain = chain(&[now_us()]);
    site.put(&chain.records()[0], &chain.records()[0]);
    assert_eq!(site.check(&chain, Some(&site.dir.path().join("ca/ca.pem"))), (1, vec![]));
    let (stamps, said) = site.check(&chain, Some(&other.dir.path().join("ca/ca.pem")));
    assert_eq!((stamps, said.len()), (0, 1));
    assert!(said[0].contains("not one that is trusted"), "{said:?}");
}

#[test]
fn records_are_as_old_as_their_stamps_say() {
    let site = Site::new();
    let hour_us = 3_600_000_000;
    // The second was made, by its own clock, an hour after the authority saw it.
    let late = chain(&[now_us(), now_us() + hour_us]);
    late.records().iter().for_each(|record| site.put(record, record));
    let (stamps, said) = site.check(&late, None);
    assert_eq!((stamps, said.len()), (2, 1));
    let seconds = |text: &str, before: &str| -> i64 {
        let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{text}"));
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    assert!((3_500..=3_600).contains(&seconds(&said[0], "clock: record 1 says it is ")), "{said:?}");
    assert!(said[0].ends_with("s younger than its time-stamp"), "{said:?}");
    // The second says that it was made an hour before the first was stamped.
    let early = chain(&[now_us(), now_us() - hour_us, now_us()]);
    site.put(&early.records()[0], &early.records()[0]);
    fs::remove_file(site.path(&early.records()[1])).unwrap();
    let (stamps, said) = site.check(&early, None);
    assert_eq!((stamps, said.len()), (1, 1));
    assert!((3_590..=3_700).contains(&seconds(&said[0], "clock: record 1 says it is ")), "{said:?}");
    assert!(said[0].ends_with("s older than a time-stamp of a record before it"), "{said:?}");
    // Half a minute is what networks and small corrections take.
    let near = chain(&[now_us() + 30_000_000, now_us() - 30_000_000]);
    near.records().iter().for_each(|record| site.put(record, record));
    assert_eq!(site.check(&near, None), (2, vec![]));
}

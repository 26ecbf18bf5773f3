//! Rows for the time-stamps of a package: those that are valid, and the findings about the others.

use super::*;
use crate::{
    Event,
    stamp::StampRequest,
    testing::{authority, key, record, sign},
};

/// A chain of records; each says that it was made a day after the one before.
fn chain(count: u64) -> Chain {
    let (key, mut text, mut chain) = (key(), String::new(), Chain::default());
    for number in 0..count {
        let made = record(&key, &chain, number * 10, Event::Seal);
        let at_us = made.at_us + number as i64 * 86_400_000_000;
        text.push_str(&sign(&key, Record { at_us, ..made }).print());
        chain = Chain::parse(text.as_bytes());
    }
    assert_eq!(chain.records().len() as u64, count);
    chain
}

#[test]
fn a_stamp_is_for_its_record_and_not_older() {
    let chain = chain(2);
    let record = &chain.records()[1];
    let check = |digest, younger_us: i64, want: Option<&str>| {
        let stamp = Stamp { digest, at_us: record.at_us - younger_us, nonce: None };
        assert_eq!(fault_of("stamp-1.tsr", &stamp, record).as_deref(), want, "{younger_us}");
    };
    let own = record.digest();
    check(own, 0, None);
    check(own, -86_400_000_000, None);
    // The clock of the server may be a minute ahead of the authority's.
    check(own, 60_000_000, None);
    check(own, 60_000_001, Some("record 1 says it is 60 s younger than stamp-1.tsr"));
    check(own, 3_600_000_000, Some("record 1 says it is 3600 s younger than stamp-1.tsr"));
    check(chain.records()[0].digest(), 0, Some("stamp-1.tsr is for something else"));
}

#[test]
fn stamps_are_read_from_their_files() {
    let (dir, chain) = (tempfile::tempdir().unwrap(), chain(12));
    let ask = authority(dir.path(), &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    let answer = |number: usize| ask(&StampRequest::new(chain.records()[number].digest()).unwrap().encode());
    let folder = dir.path().join("package");
    fs::create_dir(&folder).unwrap();
    for (name, bytes) in [
        ("stamp-11.tsr", answer(11)),
        ("stamp-2.tsr", answer(2)),
        ("stamp-3.tsr", answer(4)),
        ("stamp-5.tsr", b"no stamp".to_vec()),
        ("stamp-12.tsr", answer(1)),
        ("stamp-x.tsr", answer(1)),
        ("other-1.tsr", answer(1)),
        ("chain.txt", Vec::new()),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.collect();
    let (stamps, faults) = check(&folder, &names, &chain, None).unwrap();
    assert_eq!(stamps.iter().map(|stamp| stamp.record).collect::<Vec<_>>(), [2, 11]);
    assert!(stamps.iter().all(|stamp| stamp.at_us > chain.records()[11].at_us));
    assert_eq!(
        faults,
        [
            "other-1.tsr is for no record of the chain",
            "stamp-12.tsr is for no record of the chain",
            "stamp-3.tsr is for something else",
            "stamp-5.tsr: the answer of the time-stamping authority is not understood",
            "stamp-x.tsr is for no record of the chain",
        ]
    );
    // With roots, the authority has to lead to one of them.
    let roots = StampRoots::load(&dir.path().join("ca.pem")).unwrap();
    assert_eq!(check(&folder, &names, &chain, Some(&roots)).unwrap().0.len(), 2);
    let other = tempfile::tempdir().unwrap();
    let _ = authority(other.path(), &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    let roots = StampRoots::load(&other.path().join("ca.pem")).unwrap();
    let (stamps, faults) = check(&folder, &names, &chain, Some(&roots)).unwrap();
    assert_eq!((stamps.len(), faults.len()), (0, 7));
}

//! The file of the chain: torn ends are cut off, and what could not be synced is not there.

use crate::files::chain_file::{CHAIN_NAME, EVIDENCE_DIR, append_record, mend_chain, read_chain};
use evidence::{
    Chain, Event,
    testing::{key, record},
};
use journal::Disk;
use sim::{Chance, SimDisk};
use std::path::Path;

#[test]
fn a_torn_end_is_cut_off_before_the_next_record() {
    let (key, dir) = (key(), Path::new("/space"));
    let disk = SimDisk::new();
    let mut chain = read_chain(&disk, dir).unwrap();
    for first in [0, 10, 20, 30] {
        let next = record(&key, &chain, first, Event::Seal);
        append_record(&mut chain, &disk, dir, next).unwrap();
    }
    let path = dir.join(EVIDENCE_DIR).join(CHAIN_NAME);
    let whole = disk.bytes(&path).unwrap();
    assert_eq!(chain.length(), whole.len() as u64);
    disk.set_bytes(&path, whole[..whole.len() - 9].to_vec());
    let mut chain = read_chain(&disk, dir).unwrap();
    assert!(chain.torn_bytes() > 0 && chain.records().len() == 3);
    let next = record(&key, &chain, 40, Event::Seal);
    let torn = chain.torn_bytes();
    let cut = mend_chain(&mut chain, &disk, dir).unwrap().unwrap();
    assert_eq!((cut.offset, cut.bytes), (chain.length(), torn));
    assert_eq!(mend_chain(&mut chain, &disk, dir).unwrap(), None);
    append_record(&mut chain, &disk, dir, next).unwrap();
    assert_eq!(read_chain(&disk, dir).unwrap().records(), chain.records());
    assert_eq!(chain.records().len(), 4);
}

#[test]
fn an_append_that_fails_is_not_there() {
    let (key, dir) = (key(), Path::new("/space"));
    for seed in 0..30 {
        let disk = SimDisk::new();
        let mut chain = Chain::default();
        let first = record(&key, &chain, 0, Event::Seal);
        append_record(&mut chain, &disk, dir, first).unwrap();
        disk.fail_syncs(1);
        let second = record(&key, &chain, 10, Event::Seal);
        assert!(append_record(&mut chain, &disk, dir, second.clone()).is_err());
        append_record(&mut chain, &disk, dir, second).unwrap();
        disk.cut_power_at_sync(1);
        let third = record(&key, &chain, 20, Event::Seal);
        let _ = append_record(&mut chain, &disk, dir, third);
        let disk = disk.after_power_cut(&mut Chance::new(seed));
        assert!(disk.list(&dir.join(EVIDENCE_DIR)).is_ok());
        assert!(read_chain(&disk, dir).unwrap().records().len() >= 2, "seed {seed}");
    }
}

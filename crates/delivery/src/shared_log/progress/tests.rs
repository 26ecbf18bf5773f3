//! Files of consumers: over power cuts, with damage; every version stays readable.

use super::*;
use sim::{Chance, SimDisk};
use std::path::Path;

const PATH: &str = "/log.shared/d#0.consumer";

fn progress(below: u64) -> Progress {
    let ranges = (0..below % 5).map(|index| below + 10 * index + 3..below + 10 * index + 7).collect();
    let settled = Settled { below, ranges };
    Progress { settled, end: below + 100, waiting: below / 2, capacity_bytes: 1 << 20 }
}

#[test]
fn what_was_synced_is_there_after_a_power_cut() {
    for seed in 0..300 {
        let mut chance = Chance::new(seed);
        let disk = SimDisk::new();
        let identity = Identity { number: 7, incarnation: 99 };
        let mut file = ProgressFile::create(&disk, Path::new(PATH), identity, &progress(1)).unwrap();
        let (mut synced, mut last) = (1, 1);
        for _ in 0..chance.below(12) {
            last += 1 + chance.below(10);
            file.save(&progress(last)).unwrap();
            if chance.below(3) == 0 {
                file.sync().unwrap();
                synced = last;
            }
        }
        let disk = disk.after_power_cut(&mut chance);
        let found = ProgressFile::open(&disk, Path::new(PATH)).unwrap();
        assert_eq!(found.identity, identity);
        let below = found.saved.settled.below;
        assert!((synced..=last).contains(&below), "seed {seed}: {below}, saved {last}, synced {synced}");
        assert_eq!(found.saved, progress(below), "seed {seed}");
    }
}

#[test]
fn without_a_slot_everything_is_delivered_again() {
    let disk = SimDisk::new();
    let identity = Identity { number: 3, incarnation: 5 };
    drop(ProgressFile::create(&disk, Path::new(PATH), identity, &progress(50)).unwrap());
    let mut bytes = disk.bytes(Path::new(PATH)).unwrap();
    bytes[HEADER_BYTES..].fill(7);
    disk.set_bytes(Path::new(PATH), bytes.clone());
    let found = ProgressFile::open(&disk, Path::new(PATH)).unwrap();
    assert_eq!((found.identity, found.saved), (identity, Progress::default()));
    bytes[10] ^= 1;
    disk.set_bytes(Path::new(PATH), bytes);
    assert!(matches!(ProgressFile::open(&disk, Path::new(PATH)), Err(ProgressError::Malformed)));
}

#[test]
fn the_most_ranges_fit() {
    let disk = SimDisk::new();
    let identity = Identity { number: 63, incarnation: 1 };
    let ranges = (0..RANGES_MAX as u64).map(|index| 2 * index + 10..2 * index + 11).collect();
    let full = Progress { settled: Settled { below: 9, ranges }, ..progress(9) };
    drop(ProgressFile::create(&disk, Path::new(PATH), identity, &full).unwrap());
    assert_eq!(ProgressFile::open(&disk, Path::new(PATH)).unwrap().saved, full);
}

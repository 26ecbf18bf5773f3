//! Rows for the catalog: reading back, damage, expiry, old removals.

use crate::files::catalog::{CATALOG_NAME, Catalog, Entry, Reason};
use sim::{Chance, SimDisk};
use std::path::{Path, PathBuf};

const DIR: &str = "/l";

/// Segment `number` of ten messages and 100 bytes, received at `number` seconds.
fn entry(number: u64) -> Entry {
    let first_us = number as i64 * 1_000_000;
    let path = PathBuf::from(format!("2026/01-01/{number}.ds"));
    Entry { first: number * 10, count: 10, first_us, last_us: first_us + 999_999, bytes: 100, path }
}

fn catalog(segments: u64, removed: u64) -> Catalog {
    let mut catalog = Catalog::default();
    (0..segments).rev().for_each(|number| catalog.add(entry(number)));
    (0..removed).for_each(|number| catalog.bury(number * 10, Reason::Age, 77));
    catalog
}

#[test]
fn reads_what_it_wrote_or_nothing() {
    let disk = SimDisk::new();
    assert_eq!(Catalog::read(&disk, Path::new(DIR)).unwrap(), None);
    let whole = catalog(9, 4);
    Catalog::default().write(&disk, Path::new(DIR)).unwrap();
    whole.write(&disk, Path::new(DIR)).unwrap();
    assert_eq!(Catalog::read(&disk, Path::new(DIR)).unwrap(), Some(whole));
    let path = Path::new(DIR).join(CATALOG_NAME);
    let bytes = disk.bytes(&path).unwrap();
    let mut chance = Chance::new(1);
    for at in 0..bytes.len() {
        let mut harmed = bytes.clone();
        harmed[at] ^= 1 << chance.below(8);
        disk.set_bytes(&path, harmed);
        // The case of a hexadecimal digit is all that may change without notice.
        match Catalog::read(&disk, Path::new(DIR)) {
            Ok(None) => {}
            Ok(Some(read)) => assert_eq!(read, catalog(9, 4), "byte {at}"),
            // The number of the version: a file of another one is not taken for a damaged one.
            Err(_) => assert_eq!(at, "duramen catalog ".len()),
        }
        disk.set_bytes(&path, bytes[..at].to_vec());
        assert_eq!(Catalog::read(&disk, Path::new(DIR)).unwrap(), None, "cut at {at}");
    }
}

#[track_caller]
fn check_expired(now_s: i64, age_s: Option<i64>, bytes_max: Option<u64>, want: &str) {
    let expired =
        catalog(5, 0).expired(now_s * 1_000_000, age_s.map(|age| age * 1_000_000), bytes_max, &|_| {
            crate::files::catalog::FileLocation::Here
        });
    let shown: Vec<String> = expired.iter().map(|(first, reason)| format!("{first}:{reason:?}")).collect();
    assert_eq!(shown.join(" "), want);
}

#[test]
fn what_is_old_or_too_much_expires_from_the_oldest_on() {
    check_expired(100, None, None, "");
    check_expired(5, Some(10), Some(500), "");
    check_expired(5, Some(3), None, "0:Age 10:Age");
    check_expired(5, None, Some(499), "0:Size");
    check_expired(5, Some(4), Some(250), "0:Age 10:Size 20:Size");
    check_expired(5, None, Some(0), "0:Size 10:Size 20:Size 30:Size 40:Size");
}

#[test]
fn numbers_are_never_given_again() {
    assert_eq!(catalog(0, 0).end(), 0);
    assert_eq!(catalog(5, 0).end(), 50);
    assert_eq!(catalog(5, 5).end(), 50);
}

#[test]
fn the_oldest_removals_are_summed_up() {
    let mut many = catalog(3, 0);
    let extra = 2;
    let mut number = 3;
    while many.tombstones.len() < 100_000 || number < 100_000 + extra {
        many.segments = vec![entry(number)];
        many.bury(number * 10, Reason::Size, 1);
        number += 1;
    }
    let oldest = &many.tombstones[0].entry;
    assert_eq!(many.tombstones.len(), 100_000);
    assert_eq!((oldest.first, oldest.end()), (30, 30 + (number - 100_000 - 3 + 1) * 10));
    assert_eq!(oldest.bytes, oldest.count * 10);
}

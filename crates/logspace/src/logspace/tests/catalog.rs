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
    let (first, extra) = (3, 2);
    let mut many = Catalog::default();
    for number in first..first + 100_000 + extra {
        many.segments = vec![entry(number)];
        many.bury(number * 10, Reason::Size, 1);
        let sum = &many.tombstones[0].entry;
        let summed = (number + 1 - first).saturating_sub(100_000) + 1;
        assert_eq!((sum.first, sum.count, sum.bytes), (30, summed * 10, summed * 100), "{number}");
        assert_eq!((sum.first_us, sum.last_us), (3_000_000, entry(first + summed - 1).last_us));
    }
    assert_eq!(many.tombstones.len(), 100_000);
    assert_eq!(many.tombstones[1].entry, entry(first + extra + 1));
    // A segment that is not there is not buried.
    let before = many.clone();
    many.bury(7, Reason::Age, 1);
    assert_eq!(many, before);
}

#[test]
fn archived_segments_take_no_space_and_stay_while_they_are_away() {
    use crate::files::catalog::FileLocation::{Archived, Away, Here};
    let expired = |places: [crate::files::catalog::FileLocation; 4], age_s: Option<i64>, bytes_max| {
        let place = |entry: &Entry| places[(entry.first / 10) as usize];
        let expired = catalog(4, 0).expired(4_000_000, age_s.map(|age| age * 1_000_000), bytes_max, &place);
        expired.iter().map(|(first, reason)| format!("{first}:{reason:?}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(expired([Archived, Archived, Here, Here], None, Some(200)), "");
    assert_eq!(expired([Archived, Archived, Here, Here], None, Some(199)), "20:Size");
    assert_eq!(expired([Archived, Here, Archived, Here], None, Some(0)), "10:Size 30:Size");
    assert_eq!(expired([Archived, Away, Archived, Here], Some(0), None), "0:Age 20:Age 30:Age");
    assert_eq!(expired([Away, Away, Away, Here], Some(2), Some(0)), "30:Size");
    assert_eq!(expired([Archived, Archived, Here, Here], Some(2), Some(0)), "0:Age 10:Age 20:Size 30:Size");
    // A segment that is not too old and fits ends the list: the rest is newer.
    assert_eq!(expired([Here, Archived, Here, Here], Some(4), None), "");
}

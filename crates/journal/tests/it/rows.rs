//! Rows for reading back, rotation, release, damage, full and broken disks.

use journal::{CursorFile, Disk, Durability, Journal, OpenError, Options, OsDisk, RECORD_BYTES_MAX, Read};
use sim::SimDisk;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) const DIR: &str = "/j";

pub(crate) fn open(disk: &SimDisk, file_bytes_max: u64) -> (Journal, journal::Recovery) {
    let options = Options { file_bytes_max, durability: Durability::Device, spare_files_max: 2 };
    Journal::open(Arc::new(disk.clone()), Path::new(DIR), options).unwrap()
}

/// Payload of the record at a sequence number, which determines its length and bytes.
pub(crate) fn payload(sequence: u64) -> Vec<u8> {
    (0..sequence * 37 % 900).map(|index| (index * 7 + sequence) as u8).collect()
}

pub(crate) fn append(journal: &mut Journal, count: u32) -> u64 {
    let next = journal.next_sequence();
    journal.append(count, &mut |out| out.extend_from_slice(&payload(next))).unwrap()
}

/// Shows the records of a reader as `sequence+count` and damage as `!lost`, and compares the payloads.
pub(crate) fn show(journal: &Journal, from: u64) -> String {
    let mut reader = journal.reader(from);
    let mut shown = Vec::new();
    loop {
        match reader.read().unwrap() {
            Read::End => return shown.join(" "),
            Read::Damage(damage) => shown.push(format!("!{}..{}", damage.lost.start, damage.lost.end)),
            Read::Record(record) => {
                assert_eq!(record.payload, payload(record.sequence), "record {}", record.sequence);
                shown.push(format!("{}+{}", record.sequence, record.count));
            }
        }
    }
}

fn files(disk: &SimDisk) -> Vec<PathBuf> {
    disk.paths().into_iter().filter(|path| path.to_string_lossy().contains("journal-")).collect()
}

#[test]
fn returns_committed_records() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 1 << 20);
    assert_eq!(append(&mut journal, 3), 0);
    assert_eq!(append(&mut journal, 1), 3);
    assert_eq!(show(&journal, 0), "");
    assert_eq!(journal.commit().unwrap(), 4);
    assert_eq!(show(&journal, 0), "0+3 3+1");
    assert_eq!(show(&journal, 2), "0+3 3+1");
    assert_eq!(show(&journal, 3), "3+1");
    append(&mut journal, 5);
    drop(journal);
    let (mut journal, recovery) = open(&disk, 1 << 20);
    assert_eq!((journal.next_sequence(), recovery.cut_bytes), (4, 0));
    append(&mut journal, 2);
    assert_eq!(journal.close().unwrap(), 6);
    assert_eq!(show(&open(&disk, 1 << 20).0, 0), "0+3 3+1 4+2");
}

#[test]
fn a_reader_follows_the_writer_from_file_to_file() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 2000);
    let mut reader = journal.reader(0);
    for sequence in 0..60 {
        assert!(matches!(reader.read().unwrap(), Read::End));
        append(&mut journal, 1);
        assert!(matches!(reader.read().unwrap(), Read::End));
        journal.commit().unwrap();
        match reader.read().unwrap() {
            Read::Record(record) => assert_eq!(record.payload, payload(sequence)),
            other => panic!("{other:?}"),
        }
    }
    assert!(files(&disk).len() > 5);
}

#[test]
fn releases_whole_files_and_keeps_the_number() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 1);
    for _ in 0..5 {
        append(&mut journal, 2);
        journal.commit().unwrap();
    }
    assert_eq!(journal.release(5).unwrap(), 2);
    assert_eq!(show(&journal, 4), "4+2 6+2 8+2");
    assert_eq!(show(&journal, 0), "!0..4 4+2 6+2 8+2");
    assert_eq!(journal.release(u64::MAX).unwrap(), 2);
    drop(journal);
    let (mut journal, _) = open(&disk, 1);
    assert_eq!(journal.next_sequence(), 10);
    journal.advance(20);
    append(&mut journal, 1);
    journal.commit().unwrap();
    assert_eq!(show(&journal, 8), "8+2 !10..20 20+1");
}

#[test]
fn writes_over_files_that_are_no_longer_needed() {
    let disk = SimDisk::new();
    let spares = || disk.paths().iter().filter(|path| path.to_string_lossy().contains("spare-")).count();
    let (mut journal, _) = open(&disk, 3000);
    let written = |journal: &mut Journal, count: u64| {
        for _ in 0..count {
            append(journal, 1);
            journal.commit().unwrap();
        }
    };
    written(&mut journal, 100);
    let first_files = files(&disk).len();
    journal.release(90).unwrap();
    assert_eq!(spares(), 2);
    written(&mut journal, 3);
    // A crash leaves older records behind the newer ones.
    for (crashes, count) in [(false, 5), (true, 9), (true, 14), (false, 20)] {
        if !crashes {
            journal.close().unwrap();
        } else {
            drop(journal);
        }
        let (reopened, recovery) = open(&disk, 3000);
        assert!(recovery.damages.is_empty(), "{:?}", recovery.damages);
        journal = reopened;
        written(&mut journal, count);
        let want: Vec<String> = (95..journal.next_sequence()).map(|at| format!("{at}+1")).collect();
        assert_eq!(show(&journal, 95), want.join(" "));
    }
    assert_eq!(spares(), 0);
    assert!(files(&disk).len() < first_files);
}

/// Damages the journal of ten records (each its own commit) at a fraction of its file; shows what is left.
#[track_caller]
fn check_damage(file_bytes_max: u64, damage: impl Fn(&mut Vec<u8>), file: usize, want: &str) {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, file_bytes_max);
    for _ in 0..10 {
        append(&mut journal, 1);
        journal.commit().unwrap();
    }
    drop(journal);
    let path = files(&disk)[file].clone();
    let mut bytes = disk.bytes(&path).unwrap();
    damage(&mut bytes);
    disk.set_bytes(&path, bytes);
    let (journal, recovery) = open(&disk, file_bytes_max);
    let shown = show(&journal, 0);
    let cut = recovery.cut_bytes;
    let damages: Vec<String> =
        recovery.damages.iter().map(|damage| format!("{}..{}", damage.lost.start, damage.lost.end)).collect();
    assert_eq!(format!("{shown} cut={cut} found=[{}]", damages.join(" ")), want);
}

/// Returns the offset of a record in a file that starts with record 0.
fn record_offset(sequence: u64) -> usize {
    64 + (0..sequence).map(|before| 32 + payload(before).len()).sum::<usize>()
}

#[test]
fn damage_loses_only_the_records_it_hits() {
    let whole = u64::MAX;
    let flip = |sequence: u64, at: usize| move |bytes: &mut Vec<u8>| bytes[record_offset(sequence) + at] ^= 4;
    let after = "0+1 1+1 2+1 !3..4 4+1 5+1 6+1 7+1 8+1 9+1 cut=0 found=[3..4]";
    (0..32).for_each(|at| check_damage(whole, flip(3, at), 0, after));
    check_damage(whole, flip(3, 100), 0, after);
    // Nothing after the last record proves that it was durable.
    let last = 32 + payload(9).len();
    let want = format!("0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+1 cut={last} found=[]");
    check_damage(whole, flip(9, 40), 0, &want);
    check_damage(
        whole,
        |bytes| bytes.truncate(bytes.len() - 1),
        0,
        &want.replace(&format!("cut={last}"), &format!("cut={}", last - 1)),
    );
    let want = "0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+1 9+1";
    check_damage(whole, |bytes| bytes.extend([0; 700]), 0, &format!("{want} cut=700 found=[]"));
    check_damage(whole, |bytes| bytes.extend([0xa5; 7]), 0, &format!("{want} cut=7 found=[]"));
    check_damage(whole, |bytes| bytes[9] ^= 1, 0, &format!("{want} cut=0 found=[0..0]"));
    // Earlier files are read past their damage too.
    check_damage(1, |bytes| bytes[70] ^= 1, 4, "0+1 1+1 2+1 3+1 !4..5 5+1 6+1 7+1 8+1 9+1 cut=0 found=[]");
    check_damage(1, |bytes| bytes.clear(), 4, "0+1 1+1 2+1 3+1 !4..5 5+1 6+1 7+1 8+1 9+1 cut=0 found=[]");
    check_damage(1, |bytes| bytes.truncate(20), 9, "0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+1 cut=20 found=[]");
}

#[test]
fn bytes_in_a_payload_never_pass_for_a_record() {
    let disk = SimDisk::new();
    let (mut other, _) = open(&disk, 1 << 20);
    append(&mut other, 8);
    other.commit().unwrap();
    let forged = disk.bytes(&files(&disk)[0]).unwrap();
    // Another directory has another salt: even its valid records are only bytes here.
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 1 << 20);
    journal.append(1, &mut |out| out.extend_from_slice(&forged)).unwrap();
    journal.commit().unwrap();
    drop(journal);
    let path = files(&disk)[0].clone();
    let mut bytes = disk.bytes(&path).unwrap();
    bytes[64] ^= 1;
    disk.set_bytes(&path, bytes);
    assert_eq!(show(&open(&disk, 1 << 20).0, 0), "");
}

#[test]
fn a_full_disk_waits_and_continues() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 4000);
    let mut failures = 0;
    for round in 0..80 {
        append(&mut journal, 1);
        disk.set_capacity(Some(disk.used_bytes() + round * 13 % 300));
        while journal.commit().is_err() {
            failures += 1;
            let partial = disk.bytes(files(&disk).last().unwrap()).unwrap();
            assert!(partial.len() <= 4000 + 1000, "cut back");
            disk.set_capacity(Some(disk.used_bytes() + failures * 17 % 2000));
        }
    }
    assert!(failures > 40, "{failures} failures");
    let want: Vec<String> = (0..80).map(|sequence| format!("{sequence}+1")).collect();
    assert_eq!(show(&journal, 0), want.join(" "));
    drop(journal);
    let (journal, recovery) = open(&disk, 4000);
    assert_eq!((show(&journal, 0), recovery.cut_bytes), (want.join(" "), 0));
}

#[test]
fn a_failed_sync_is_written_again() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 1500);
    for round in 0..20 {
        append(&mut journal, 1);
        disk.fail_syncs(round % 3);
        while journal.commit().is_err() {}
    }
    let want: Vec<String> = (0..20).map(|sequence| format!("{sequence}+1")).collect();
    assert_eq!(show(&journal, 0), want.join(" "));
}

#[test]
fn refuses_impossible_operations() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk, 1 << 20);
    let again = Journal::open(Arc::new(disk.clone()), Path::new(DIR), Options::default());
    assert!(matches!(again.err(), Some(OpenError::Locked { .. })));
    let large = journal.append(1, &mut |out| out.resize(out.len() + RECORD_BYTES_MAX + 1, 0));
    assert_eq!(large.unwrap_err().bytes, RECORD_BYTES_MAX + 1);
    append(&mut journal, 1);
    journal.commit().unwrap();
    assert_eq!(show(&journal, 0), "0+1");
    drop(journal);
    let path = files(&disk)[0].clone();
    let mut bytes = disk.bytes(&path).unwrap();
    bytes[8] = 2;
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    disk.set_bytes(&path, bytes);
    let newer = Journal::open(Arc::new(disk), Path::new(DIR), Options::default());
    assert_eq!(
        newer.err().map(|error| error.to_string()).unwrap_or_default(),
        "cannot open journal /j: it has format version 2"
    );
}

#[test]
fn works_on_a_real_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/journal");
    let open =
        || Journal::open(Arc::new(OsDisk), &path, Options { file_bytes_max: 3000, ..Options::default() });
    let (mut journal, _) = open().unwrap();
    assert!(matches!(open().err(), Some(OpenError::Locked { .. })));
    for _ in 0..30 {
        append(&mut journal, 1);
        journal.commit().unwrap();
    }
    drop(journal);
    let (mut journal, _) = open().unwrap();
    let want: Vec<String> = (0..30).map(|sequence| format!("{sequence}+1")).collect();
    assert_eq!(show(&journal, 0), want.join(" "));
    assert!(journal.release(30).unwrap() > 2);
}

#[test]
fn cursors_survive_a_torn_save() {
    let disk = SimDisk::new();
    let path = Path::new("/j/a.cursor");
    let mut cursor = CursorFile::open(&disk, path).unwrap();
    assert_eq!(cursor.sequence(), 0);
    for sequence in [7, 9, 4] {
        cursor.save(sequence).unwrap();
    }
    cursor.sync().unwrap();
    assert_eq!(CursorFile::open(&disk, path).unwrap().sequence(), 4);
    let mut bytes = disk.bytes(path).unwrap();
    bytes[24 + 3] ^= 1;
    disk.set_bytes(path, bytes);
    assert_eq!(CursorFile::open(&disk, path).unwrap().sequence(), 9);
    assert!(disk.list(Path::new("/j")).unwrap().len() == 1);
}

#[test]
fn reads_files_of_every_version() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/version-1.dj");
    let disk = SimDisk::new();
    if std::env::var_os("UPDATE").is_some() {
        let (mut journal, _) = open(&disk, 1 << 20);
        for count in [3, 1, 2] {
            append(&mut journal, count);
            journal.commit().unwrap();
        }
        journal.close().unwrap();
        std::fs::write(path, disk.bytes(&files(&disk)[0]).unwrap()).unwrap();
    }
    let disk = SimDisk::new();
    let name = Path::new("/j/journal-00000000000000000000.dj");
    disk.create(name).unwrap();
    disk.set_bytes(name, std::fs::read(path).unwrap());
    let (journal, recovery) = open(&disk, 1 << 20);
    assert_eq!((show(&journal, 0).as_str(), recovery.cut_bytes), ("0+3 3+1 4+2", 0));
}

//! Reports of damage: file, offset, bytes and messages lost; and files larger than one read.

use crate::rows::DIR;
use journal::{Damage, Durability, Journal, OpenError, Options, OsDisk, Read, Recovery};
use sim::SimDisk;
use std::{path::Path, sync::Arc};

const FIRST: &str = "journal-00000000000000000000.dj";

fn open(disk: &SimDisk) -> (Journal, Recovery) {
    let options = Options { file_bytes_max: u64::MAX, durability: Durability::Device, spare_files_max: 2 };
    Journal::open(Arc::new(disk.clone()), Path::new(DIR), options).unwrap()
}

/// Commits records of the sizes given, each its own commit; the payload of record n has only bytes n.
fn written(disk: &SimDisk, sizes: &[usize]) -> Journal {
    let (mut journal, _) = open(disk);
    for &size in sizes {
        let byte = journal.next_sequence() as u8;
        journal.append(1, &mut |out| out.resize(out.len() + size, byte)).unwrap();
        journal.commit().unwrap();
    }
    journal
}

fn described(damage: &Damage) -> String {
    let Damage { path, offset, bytes, lost } = damage;
    let file =
        path.file_stem().map_or("-".into(), |name| name.to_string_lossy().replace("0000000000000000000", ""));
    format!("!{file}@{offset}+{bytes}:{}..{}", lost.start, lost.end)
}

/// Shows the records and damage from a sequence number on, a record as its number.
fn show(journal: &Journal, from: u64) -> String {
    let mut reader = journal.reader(from);
    let mut shown = Vec::new();
    loop {
        let next = reader.next_sequence();
        match reader.read().unwrap() {
            Read::End => return shown.join(" "),
            Read::Damage(damage) => {
                shown.push(described(&damage));
                assert_eq!(reader.next_sequence(), damage.lost.end);
            }
            Read::Record(record) => {
                assert!(
                    record.sequence == next
                        && record.payload.iter().all(|byte| *byte == record.sequence as u8)
                );
                shown.push(record.sequence.to_string());
                assert!(shown.len() < 100, "a reader that does not end: {shown:?}");
                assert_eq!(reader.next_sequence(), next + 1);
            }
        }
    }
}

/// Writes records of the given sizes, damages the only file, opens it again; shows the findings.
#[track_caller]
fn check(sizes: &[usize], damage: impl Fn(&mut Vec<u8>), want: &str) {
    let disk = SimDisk::new();
    drop(written(&disk, sizes));
    let path = Path::new(DIR).join(FIRST);
    let mut bytes = disk.bytes(&path).unwrap();
    damage(&mut bytes);
    disk.set_bytes(&path, bytes);
    let (journal, recovery) = open(&disk);
    let found: Vec<String> = recovery.damages.iter().map(described).collect();
    let shown = format!("{} cut={} {}", show(&journal, 0), recovery.cut_bytes, found.join(" "));
    assert_eq!(shown.trim(), want);
    let bytes = disk.bytes(&path).map(|bytes| bytes.len() as u64);
    assert_eq!(bytes.unwrap_or_default(), journal.file_bytes(), "the tail was cut");
}

#[test]
fn damage_names_its_location() {
    // Records of 42 bytes at 64, 106, 148, 190.
    let sizes = [10, 10, 10, 10];
    let flip = |at: usize| move |bytes: &mut Vec<u8>| bytes[at] ^= 1;
    check(&sizes, |_| (), "0 1 2 3 cut=0");
    check(&sizes, flip(64), "!journal-0@64+42:0..1 1 2 3 cut=0 !journal-0@64+42:0..1");
    check(&sizes, flip(147), "0 !journal-0@106+42:1..2 2 3 cut=0 !journal-0@106+42:1..2");
    let two = |bytes: &mut Vec<u8>| bytes[106..190].fill(0);
    check(&sizes, two, "0 !journal-0@106+84:1..3 3 cut=0 !journal-0@106+84:1..3");
    let apart = |bytes: &mut Vec<u8>| {
        bytes[70] ^= 1;
        bytes[150] ^= 1;
    };
    let both =
        "!journal-0@64+42:0..1 1 !journal-0@148+42:2..3 3 cut=0 !journal-0@64+42:0..1 !journal-0@148+42:2..3";
    check(&sizes, apart, both);
    // The first of the two is proven by record 2, the second by nothing.
    let last = |bytes: &mut Vec<u8>| {
        bytes[106] ^= 1;
        bytes[190] ^= 1;
    };
    check(&sizes, last, "0 !journal-0@106+42:1..2 2 cut=42 !journal-0@106+42:1..2");
    // Added bytes, or a repeated record, are not damage.
    check(&sizes, |bytes| bytes.extend_from_within(106..148), "0 1 2 3 cut=0");
    check(&sizes, |bytes| bytes.extend([1, 2, 3]), "0 1 2 3 cut=3");
    // A record in which a number was skipped.
    let gone = |bytes: &mut Vec<u8>| drop(bytes.drain(106..148));
    check(&sizes, gone, "0 !journal-0@106+0:1..2 2 3 cut=0");
}

#[test]
fn a_damaged_header_is_repaired() {
    let flip = |bytes: &mut Vec<u8>| bytes[20] ^= 1;
    check(&[10, 10], flip, "0 1 cut=0 !journal-0@0+64:0..0");
    check(&[10], flip, "0 cut=0");
    check(&[10], |bytes| bytes.truncate(64), "cut=0");
    check(&[10], |bytes| bytes.truncate(63), "cut=63");
    check(&[10], |bytes| bytes.clear(), "cut=0");
}

#[test]
fn a_header_is_written_again_only_once() {
    let disk = SimDisk::new();
    drop(written(&disk, &[10, 10]));
    let path = Path::new(DIR).join(FIRST);
    let whole = disk.bytes(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[3] ^= 1;
    disk.set_bytes(&path, damaged);
    assert_eq!(open(&disk).1.damages.len(), 1);
    assert_eq!(disk.bytes(&path).unwrap()[..28], whole[..28]);
    let (journal, recovery) = open(&disk);
    assert!(recovery.damages.is_empty(), "{:?}", recovery.damages);
    assert_eq!(show(&journal, 0), "0 1");
}

#[test]
fn one_commit_is_there_whole_or_up_to_its_first_damage() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk);
    for byte in 0..3 {
        journal.append(1, &mut |out| out.resize(out.len() + 10, byte)).unwrap();
    }
    journal.commit().unwrap();
    drop(journal);
    let path = Path::new(DIR).join(FIRST);
    let mut bytes = disk.bytes(&path).unwrap();
    bytes[106] ^= 1;
    disk.set_bytes(&path, bytes);
    let (journal, recovery) = open(&disk);
    assert_eq!((show(&journal, 0).as_str(), recovery.cut_bytes, recovery.damages.len()), ("0", 84, 0));
    assert_eq!(journal.next_sequence(), 1);
}

#[test]
fn the_salt_is_found_in_the_newest_file_that_has_one() {
    let disk = SimDisk::new();
    let options = || Options { file_bytes_max: 1, ..Options::default() };
    let open = || Journal::open(Arc::new(disk.clone()), Path::new(DIR), options()).unwrap();
    let (mut journal, _) = open();
    for byte in 0..3 {
        journal.append(1, &mut |out| out.resize(out.len() + 10, byte)).unwrap();
        journal.commit().unwrap();
    }
    drop(journal);
    let paths = disk.paths();
    let whole: Vec<Vec<u8>> = paths.iter().map(|path| disk.bytes(path).unwrap()).collect();
    let changed = |index: usize, change: fn(&mut Vec<u8>)| {
        let mut bytes = whole[index].clone();
        change(&mut bytes);
        disk.set_bytes(&paths[index], bytes);
    };
    // No header is complete, and the last file is too short for a record.
    changed(0, |bytes| bytes[5] ^= 1);
    changed(1, |bytes| bytes[5] ^= 1);
    changed(2, |bytes| {
        bytes[5] ^= 1;
        bytes.truncate(75);
    });
    let (journal, recovery) = open();
    assert_eq!((show(&journal, 0).as_str(), recovery.cut_bytes), ("0 1", 75));
    drop(journal);
    // A file that was renamed and not yet overwritten has its old header and records.
    disk.set_bytes(&paths[1], whole[0].clone());
    let (journal, recovery) = open();
    assert_eq!((show(&journal, 0).as_str(), recovery.cut_bytes, recovery.damages.len()), ("0", 0, 0));
    assert_eq!(disk.paths().len(), 1);
}

const MIB: usize = 1 << 20;

#[test]
fn records_are_read_across_what_is_read_at_once() {
    let sizes = [MIB / 2, MIB / 2 - 64, 9_000, 5, MIB + 77, 3];
    let start = 64 + sizes[..2].iter().map(|size| 32 + size).sum::<usize>();
    let lost = format!("!journal-0@{start}+9032:2..3");
    check(&sizes, |bytes| bytes[start + 9031] ^= 1, &format!("0 1 {lost} 3 4 5 cut=0 {lost}"));
}

#[test]
fn a_record_is_found_where_another_part_of_the_file_is_read() {
    // The first MiB that is read ends in the damaged record or in the one after it.
    for sizes in [[MIB - 200, 300, 5], [MIB - 200, 60, 70], [MIB - 200, 90, 400]] {
        let start = 64 + 32 + sizes[0];
        let lost = format!("!journal-0@{start}+{}:1..2", 32 + sizes[1]);
        check(&sizes, |bytes| bytes[start] ^= 1, &format!("0 {lost} 2 cut=0 {lost}"));
    }
}

#[test]
fn a_file_cut_under_its_reader_ends_the_reading() {
    for (length, want, then) in [
        (190, "0 1 2", "0 1 2 3"),
        (189, "0 1 !journal-0@148+41:2..2", "0 1 !journal-0@148+42:2..3 3"),
        (148, "0 1", "0 1 !journal-0@148+42:2..3 3"),
        (64, "!journal-0@64+0:0..0", "!journal-0@64+126:0..3 3"),
        (0, "!journal-0@64+0:0..0", "!journal-0@64+126:0..3 3"),
    ] {
        let disk = SimDisk::new();
        let mut journal = written(&disk, &[10, 10, 10]);
        let path = Path::new(DIR).join(FIRST);
        let mut bytes = disk.bytes(&path).unwrap();
        bytes.truncate(length);
        disk.set_bytes(&path, bytes);
        assert_eq!(show(&journal, 0), want, "{length} bytes");
        let mut waiting = journal.reader(3);
        assert!(matches!(waiting.read().unwrap(), Read::End | Read::Damage(_)));
        journal.append(1, &mut |out| out.resize(out.len() + 10, 3)).unwrap();
        journal.commit().unwrap();
        assert_eq!(show(&journal, 0), then, "{length} bytes");
        let follows = |read: Read<'_>| matches!(read, Read::Record(record) if record.sequence == 3);
        assert!((0..2).any(|_| follows(waiting.read().unwrap())), "{length} bytes");
    }
}

#[test]
fn errors_say_what_to_look_at() {
    let disk = SimDisk::new();
    let (mut journal, _) = open(&disk);
    let again = Journal::open(Arc::new(disk.clone()), Path::new(DIR), Options::default());
    let want = "cannot open journal /j: another process has it open";
    assert_eq!(again.err().map(|error| error.to_string()).unwrap_or_default(), want);
    let again = Journal::open(Arc::new(disk.clone()), Path::new(DIR), Options::default());
    assert!(matches!(again.err(), Some(OpenError::Locked { .. })), "refusing it does not unlock it");
    let max = journal::RECORD_BYTES_MAX;
    let large = journal.append(1, &mut |out| out.resize(out.len() + max + 1, 0)).unwrap_err();
    assert_eq!(large.to_string(), "record of 67108865 bytes, at most 67108864 are possible");
    assert_eq!((journal.staged_bytes(), journal.next_sequence()), (0, 0));
    let file = tempfile::NamedTempFile::new().unwrap();
    let refused = Journal::open(Arc::new(OsDisk), file.path(), Options::default());
    let want = format!("cannot open journal {}: ", file.path().display());
    assert!(refused.err().is_some_and(|error| error.to_string().starts_with(&want)));
    let damage = Damage { path: "/j/a.dj".into(), offset: 64, bytes: 32, lost: 7..9 };
    assert_eq!(damage.to_string(), "/j/a.dj is damaged at offset 64: 32 bytes skipped, 2 messages lost");
}

#[test]
fn a_file_that_is_gone_cannot_be_read() {
    let disk = SimDisk::new();
    let journal = written(&disk, &[10]);
    let path = Path::new(DIR).join(FIRST);
    journal::Disk::remove(&disk, &path).unwrap();
    let error = journal.reader(0).read().err().map(|error| error.to_string());
    assert_eq!(error, Some(format!("cannot read {}: entity not found", path.display())));
}

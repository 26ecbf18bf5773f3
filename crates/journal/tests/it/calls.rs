//! The disk operations of a journal: what is written once, what is synced and in which order, what a clean
//! start leaves alone.

use crate::rows::{append, payload};
use journal::{CursorFile, Disk, DiskFile, DiskLock, Durability, Journal, Options};
use sim::SimDisk;
use std::{
    io,
    path::Path,
    sync::{Arc, Mutex},
};

/// A disk that records every call that changes something, and refuses those that a test chooses.
#[derive(Clone, Default)]
struct NotedDisk {
    disk: SimDisk,
    calls: Arc<Mutex<Vec<String>>>,
    /// The start of the calls that fail.
    refused: Arc<Mutex<Option<(&'static str, io::ErrorKind)>>>,
}

struct NotedFile {
    disk: NotedDisk,
    name: String,
    file: Box<dyn DiskFile>,
}

impl NotedDisk {
    fn note(&self, call: String) -> io::Result<()> {
        let refused = *self.refused.lock().unwrap();
        if let Some((_, error)) = refused.filter(|(start, _)| call.starts_with(start)) {
            return Err(error.into());
        }
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    fn refuse(&self, start: &'static str, error: io::ErrorKind) {
        *self.refused.lock().unwrap() = Some((start, error));
    }

    fn allow(&self) {
        *self.refused.lock().unwrap() = None;
    }

    /// Returns the calls since the last time, with the zeros of names left out.
    fn calls(&self) -> String {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap());
        calls.join(", ").replace("000000000000000000", "")
    }

    fn noted(&self, path: &Path, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        Box::new(NotedFile { disk: self.clone(), name: name(path), file })
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or("/".to_owned(), |name| name.to_string_lossy().into_owned())
}

impl Disk for NotedDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        self.note(format!("create_dir {}", name(dir)))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.note(format!("create {}", name(path)))?;
        Ok(self.noted(path, self.disk.create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        if let Some((_, error)) = self.refused.lock().unwrap().filter(|(start, _)| *start == "open") {
            return Err(error.into());
        }
        Ok(self.noted(path, self.disk.open(path)?))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.note(format!("remove {}", name(path)))?;
        self.disk.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note(format!("rename {} {}", name(from), name(to)))?;
        self.disk.rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.note(format!("sync_dir {}", name(dir)))?;
        self.disk.sync_dir(dir)
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn DiskLock>>> {
        self.disk.lock(path)
    }
}

impl DiskFile for NotedFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.note(format!("write {} {offset}+{}", self.name, bytes.len()))?;
        self.file.write_at(offset, bytes)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, bytes)
    }

    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.disk.note(format!("set_len {} {length}", self.name))?;
        self.file.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.note(format!("sync {}", self.name))?;
        self.file.sync()
    }
}

fn open(disk: &NotedDisk, dir: &str, file_bytes_max: u64, durability: Durability) -> Journal {
    let options = Options { file_bytes_max, durability, spare_files_max: 1 };
    Journal::open(Arc::new(disk.clone()), Path::new(dir), options).unwrap().0
}

/// Commits a record at a time: record 0 has no payload, record 1 has 37 bytes, record 2 has 74.
fn commit(journal: &mut Journal, count: usize) {
    for _ in 0..count {
        append(journal, 1);
        journal.commit().unwrap();
    }
}

#[test]
fn a_commit_is_one_write_and_one_sync() {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "/dir/j", 167, Durability::Device);
    assert_eq!(disk.calls(), "create_dir j, sync_dir dir");
    commit(&mut journal, 1);
    let first = "create journal-00.dj, write journal-00.dj 0+64, write journal-00.dj 64+32, sync journal-00.dj, sync_dir j";
    assert_eq!(disk.calls(), first);
    commit(&mut journal, 1);
    assert_eq!(disk.calls(), "write journal-00.dj 96+69, sync journal-00.dj");
    assert_eq!(journal.commit().unwrap(), 2);
    assert_eq!(disk.calls(), "", "nothing was staged");
    // 165 bytes are fewer than the limit, 271 are not.
    commit(&mut journal, 2);
    let second = "write journal-00.dj 165+106, sync journal-00.dj, set_len journal-00.dj 271, sync journal-00.dj, create journal-03.dj, write journal-03.dj 0+64, write journal-03.dj 64+143, sync journal-03.dj, sync_dir j";
    assert_eq!(disk.calls(), second);
    assert_eq!((journal.file_bytes(), journal.durable_sequence()), (271 + 207, 4));
    append(&mut journal, 1);
    assert_eq!((journal.staged_bytes(), journal.next_sequence(), journal.durable_sequence()), (180, 5, 4));
    assert_eq!(journal.close().unwrap(), 5);
    let closed = "set_len journal-03.dj 207, sync journal-03.dj, create journal-04.dj, write journal-04.dj 0+64, write journal-04.dj 64+180, sync journal-04.dj, sync_dir j, set_len journal-04.dj 244, sync journal-04.dj, create journal-05.dj, write journal-05.dj 0+64, write journal-05.dj 64+32, sync journal-05.dj, sync_dir j, set_len journal-05.dj 96";
    assert_eq!(disk.calls(), closed);
}

#[test]
fn a_file_of_exactly_the_limit_is_full() {
    for (limit, want) in [(95, "01"), (96, "01"), (97, "00")] {
        let disk = NotedDisk::default();
        let mut journal = open(&disk, "/j", limit, Durability::System);
        commit(&mut journal, 2);
        assert!(disk.calls().contains(&format!("write journal-{want}.dj")));
        assert_eq!(disk.disk.paths().len(), if want == "01" { 2 } else { 1 }, "{limit}");
    }
}

#[test]
fn a_commit_to_the_system_syncs_nothing() {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "j", 1 << 20, Durability::System);
    assert_eq!(disk.calls(), "create_dir j", "a relative folder has no parent to sync");
    commit(&mut journal, 2);
    let want = "create journal-00.dj, write journal-00.dj 0+64, write journal-00.dj 64+32, write journal-00.dj 96+69";
    assert_eq!(disk.calls(), want);
}

#[test]
fn a_clean_start_changes_nothing() {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "/j", 1 << 20, Durability::Device);
    commit(&mut journal, 2);
    drop(journal);
    disk.calls();
    let mut journal = open(&disk, "/j", 1 << 20, Durability::Device);
    assert_eq!(disk.calls(), "create_dir j, sync_dir /");
    commit(&mut journal, 1);
    assert_eq!(disk.calls(), "write journal-00.dj 165+106, sync journal-00.dj");
    journal.advance(3);
    journal.advance(2);
    commit(&mut journal, 1);
    assert_eq!(disk.calls(), "write journal-00.dj 271+143, sync journal-00.dj", "there was nothing to skip");
    journal.advance(5);
    assert_eq!((journal.next_sequence(), journal.durable_sequence()), (5, 5));
    commit(&mut journal, 1);
    assert!(disk.calls().starts_with("create journal-05.dj, "));
    // Only a full file is worth overwriting.
    assert!(journal.can_release(5) && !journal.can_release(4));
    assert_eq!((journal.release(4).unwrap(), journal.release(5).unwrap()), (0, 1));
    assert!(!journal.can_release(u64::MAX));
    assert_eq!(disk.calls(), "remove journal-00.dj");
    assert_eq!(journal.file_bytes(), 64 + 32 + payload(5).len() as u64);
}

#[test]
fn a_torn_tail_is_cut_once() {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "/j", 1 << 20, Durability::Device);
    commit(&mut journal, 2);
    drop(journal);
    let path = disk.disk.paths()[0].clone();
    let whole = disk.disk.bytes(&path).unwrap();
    disk.disk.set_bytes(&path, [&whole[..], &[1, 2, 3]].concat());
    disk.calls();
    let cut = "create_dir j, sync_dir /, set_len journal-00.dj 165, sync journal-00.dj";
    for want in [cut, "create_dir j, sync_dir /"] {
        drop(open(&disk, "/j", 1 << 20, Durability::Device));
        assert_eq!(disk.calls(), want);
    }
    assert_eq!(disk.disk.bytes(&path).unwrap(), whole);
}

/// Commits a record of the given number of bytes.
fn commit_bytes(journal: &mut Journal, bytes: usize) -> Result<u64, journal::CommitError> {
    if bytes > 0 {
        journal.append(1, &mut |out| out.resize(out.len() + bytes, 7)).unwrap();
    }
    journal.commit()
}

#[test]
fn a_file_in_reserve_is_written_over_and_cut_when_it_is_full() {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "/j", 150, Durability::System);
    (0..3).for_each(|index| assert_eq!(commit_bytes(&mut journal, 500).unwrap(), index + 1));
    disk.calls();
    assert_eq!(journal.release(2).unwrap(), 2);
    assert_eq!(disk.calls(), "rename journal-00.dj spare-00.dj, remove journal-01.dj", "one is kept");
    // The rename succeeds, opening fails: the next attempt finds the file there.
    disk.refuse("open", io::ErrorKind::TimedOut);
    let error = commit_bytes(&mut journal, 1).unwrap_err().to_string();
    assert_eq!(error, "cannot write /j/journal-00000000000000000003.dj: timed out");
    disk.allow();
    assert_eq!(commit_bytes(&mut journal, 0).unwrap(), 4);
    let want = "set_len journal-02.dj 596, sync journal-02.dj, rename spare-00.dj journal-03.dj, \
                set_len journal-02.dj 596, sync journal-02.dj, create journal-03.dj, \
                write journal-03.dj 0+64, write journal-03.dj 64+33";
    assert_eq!(disk.calls(), want);
    drop(journal);
    let mut journal = open(&disk, "/j", 150, Durability::System);
    assert_eq!(disk.calls(), "create_dir j, sync_dir /, set_len journal-03.dj 97, sync journal-03.dj");
    commit_bytes(&mut journal, 100).unwrap();
    disk.refuse("create journal", io::ErrorKind::PermissionDenied);
    let error = commit_bytes(&mut journal, 1).unwrap_err().to_string();
    assert_eq!(error, "cannot write /j/journal-00000000000000000005.dj: permission denied");
    disk.allow();
    assert_eq!(journal.close().unwrap(), 6);
    let last = Path::new("/j/journal-00000000000000000005.dj");
    assert_eq!(disk.disk.bytes(last).unwrap().len(), 64 + 33 + 32);
}

#[test]
fn a_cursor_says_when_it_cannot_be_kept() {
    let disk = NotedDisk::default();
    let path = Path::new("/j/a.cursor");
    disk.refuse("open", io::ErrorKind::PermissionDenied);
    let denied = CursorFile::open(&disk, path).err().map(|error| error.kind());
    assert_eq!(denied, Some(io::ErrorKind::PermissionDenied));
    disk.allow();
    let mut cursor = CursorFile::open(&disk, path).unwrap();
    for sequence in 1..4 {
        cursor.save(sequence).unwrap();
    }
    cursor.sync().unwrap();
    let want =
        "create a.cursor, write a.cursor 24+24, write a.cursor 0+24, write a.cursor 24+24, sync a.cursor";
    assert_eq!(disk.calls(), want);
    disk.refuse("write", io::ErrorKind::StorageFull);
    assert!(cursor.save(9).is_err());
    assert_eq!(cursor.sequence(), 3);
    disk.refuse("sync", io::ErrorKind::Other);
    assert!(cursor.sync().is_err());
    disk.allow();
    cursor.save(4).unwrap();
    assert_eq!(CursorFile::open(&disk, path).unwrap().sequence(), 4);
}

/// Checks which files are left, and how much was given back, after five records in files of two, with this many settled.
#[track_caller]
fn check_shrink(settled: u64, want: (&[&str], u64)) {
    let disk = NotedDisk::default();
    let mut journal = open(&disk, "/dir/j", 160, Durability::Device);
    commit(&mut journal, 5);
    let before = disk.disk.used_bytes();
    let freed = journal.shrink(settled).unwrap();
    let mut left: Vec<String> = disk.disk.paths().iter().map(|path| name(path)).collect();
    left.sort();
    let left: Vec<String> = left.iter().map(|name| name.replace("000000000000000000", "")).collect();
    assert_eq!((left, freed), (want.0.iter().map(|name| (*name).to_owned()).collect(), want.1));
    // What is left is read again, and numbers go on.
    drop(journal);
    assert!(disk.disk.used_bytes() <= before);
    let mut journal = open(&disk, "/dir/j", 160, Durability::Device);
    assert_eq!(journal.next_sequence(), 5);
    commit(&mut journal, 1);
    let mut reader = journal.reader(settled);
    let mut count = 0;
    while let journal::Read::Record(_) = reader.read().unwrap() {
        count += 1;
    }
    assert_eq!(count, 6 - settled);
}

#[test]
fn shrinking_gives_back_what_nobody_needs() {
    check_shrink(0, (&["journal-00.dj", "journal-02.dj", "journal-03.dj", "journal-04.dj"], 0));
    check_shrink(3, (&["journal-03.dj", "journal-04.dj"], 335));
    check_shrink(5, (&["journal-05.dj"], 690));
}

//! The files of the operating system, below a folder of the test.

use super::*;
use std::cell::RefCell;

#[test]
fn files_are_made_named_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    let list = || {
        let mut names = OsDisk.list(dir.path()).unwrap();
        names.sort();
        names
    };
    let kind = |result: io::Result<Box<dyn DiskFile>>| result.err().map(|error| error.kind());
    assert!(list().is_empty());
    assert_eq!(kind(OsDisk.open(&one)), Some(io::ErrorKind::NotFound));
    OsDisk.create(&one).unwrap().write_at(0, b"first").unwrap();
    assert_eq!(kind(OsDisk.create(&one)), Some(io::ErrorKind::AlreadyExists));
    OsDisk.create(&two).unwrap();
    assert_eq!(list(), ["one", "two"]);
    OsDisk.rename(&one, &two).unwrap();
    assert_eq!(list(), ["two"]);
    assert_eq!(OsDisk.open(&two).unwrap().len().unwrap(), 5);
    OsDisk.remove(&two).unwrap();
    assert!(list().is_empty());
    assert!(OsDisk.remove(&two).is_err() && OsDisk.rename(&one, &two).is_err());
    OsDisk.sync_dir(dir.path()).unwrap();
    assert!(OsDisk.sync_dir(&one).is_err() && OsDisk.list(&one).is_err());
}

#[test]
fn bytes_are_read_where_they_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let file = OsDisk.create(&path).unwrap();
    assert!(file.is_empty().unwrap());
    file.write_at(3, b"defg").unwrap();
    file.write_at(0, b"abc").unwrap();
    file.sync().unwrap();
    assert_eq!((file.len().unwrap(), file.is_empty().unwrap()), (7, false));
    let read = |offset, count| {
        let mut bytes = vec![b'.'; count];
        let read = OsDisk.open(&path).unwrap().read_at(offset, &mut bytes).unwrap();
        (read, String::from_utf8(bytes).unwrap())
    };
    for (offset, count, want) in [
        (0, 7, (7, "abcdefg")),
        (2, 3, (3, "cde")),
        (5, 4, (2, "fg..")),
        (7, 1, (0, ".")),
        (99, 1, (0, ".")),
        (1, 0, (0, "")),
    ] {
        assert_eq!(read(offset, count), (want.0, want.1.to_owned()), "{count} bytes at {offset}");
    }
    file.set_len(2).unwrap();
    assert_eq!(read(0, 3), (2, "ab.".to_owned()));
    file.set_len(3).unwrap();
    assert_eq!(read(0, 3), (3, "ab\0".to_owned()));
    assert!(file.read_at(u64::MAX, &mut [0]).is_err(), "no file has bytes there");
    let device = OsDisk.open(Path::new("/dev/null")).unwrap();
    assert!(device.sync().is_err(), "a device that stores nothing made bytes durable");
}

#[test]
fn a_lock_has_one_holder() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let held = OsDisk.lock(&path).unwrap();
    assert!(held.is_some() && OsDisk.lock(&path).unwrap().is_none());
    drop(held);
    assert!(OsDisk.lock(&path).unwrap().is_some());
    assert!(OsDisk.lock(&dir.path().join("no/folder")).is_err());
}

/// Reads five bytes from offset 10 on with the given results of system calls; shows the calls and the result.
#[track_caller]
fn check_read(answers: &[io::Result<usize>], want: &str) {
    let asked = RefCell::new(Vec::<String>::new());
    let read = |part: &mut [u8], offset| {
        let turn = asked.borrow().len();
        asked.borrow_mut().push(format!("{}@{offset}", part.len()));
        match &answers[turn] {
            Ok(count) => {
                part[..*count].fill(b'x');
                Ok(*count)
            }
            Err(error) => Err(error.kind().into()),
        }
    };
    let mut bytes = *b".....";
    let result = read_fully(read, 10, &mut bytes).map_err(|error| error.kind());
    let shown = format!("{} {result:?} {}", asked.borrow().join(" "), String::from_utf8_lossy(&bytes));
    assert_eq!(shown, want);
}

#[test]
fn reading_continues_after_what_is_not_the_end() {
    let interrupted = || Err(io::ErrorKind::Interrupted.into());
    check_read(&[Ok(5)], "5@10 Ok(5) xxxxx");
    check_read(&[Ok(2), Ok(3)], "5@10 3@12 Ok(5) xxxxx");
    check_read(&[Ok(2), Ok(1), Ok(0)], "5@10 3@12 2@13 Ok(3) xxx..");
    check_read(&[Ok(0)], "5@10 Ok(0) .....");
    check_read(&[interrupted(), Ok(4), interrupted(), Ok(1)], "5@10 5@10 1@14 1@14 Ok(5) xxxxx");
    check_read(&[Ok(1), Err(io::ErrorKind::TimedOut.into())], "5@10 4@11 Err(TimedOut) x....");
}

//! Reading a single file.

use super::*;

/// A file with a text, opened.
fn opened(folder: &tempfile::TempDir, text: &str) -> (PathBuf, Tail) {
    let path = folder.path().join("log");
    fs::write(&path, text).unwrap();
    let tail = Tail::open(&path).unwrap();
    (path, tail)
}

#[test]
fn stored_identities_stay_readable() {
    let folder = tempfile::tempdir().unwrap();
    // The checksums are those that are published for FNV-1a of 64 bits.
    for (text, sum) in
        [("", "0:cbf29ce484222325"), ("a", "1:af63dc4c8601ec8c"), ("foobar", "6:85944171f73967e8")]
    {
        let (path, tail) = opened(&folder, text);
        let metadata = fs::metadata(path).unwrap();
        assert_eq!(tail.identity(), format!("{}:{}:{sum}", metadata.dev(), metadata.ino()));
    }
}

#[test]
fn a_file_is_the_stored_one_with_as_many_first_bytes_as_were_known() {
    let folder = tempfile::tempdir().unwrap();
    let (_, tail) = opened(&folder, "foobar");
    let (device, inode) = tail.inode;
    for (stored, want) in [
        (format!("{device}:{inode}:6:85944171f73967e8"), true),
        (format!("{device}:{inode}:0:cbf29ce484222325"), true),
        (format!("{device}:{inode}:6:85944171f73967e9"), false),
        (format!("{device}:{inode}:5:85944171f73967e8"), false),
        (format!("{device}:{inode}:7:85944171f73967e8"), false),
        (format!("{device}:{}:6:85944171f73967e8", inode + 1), false),
        (format!("{}:{inode}:6:85944171f73967e8", device + 1), false),
        (format!("{device}:{inode}:6"), false),
        (String::new(), false),
    ] {
        assert_eq!(tail.is(&stored), want, "{stored}");
    }
}

#[test]
fn bytes_that_were_read_may_be_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut tail) = opened(&folder, "abcdef");
    tail.offset = 2;
    for (bytes, want) in [("cd", true), ("cdef", true), ("", true), ("cx", false), ("cdefg", false)] {
        assert_eq!(tail.has(bytes.as_bytes()).unwrap(), want, "{bytes}");
    }
    // An error of the system is neither of them.
    tail.file = File::options().append(true).open(path).unwrap();
    assert!(tail.has(b"cd").is_err());
}

#[test]
fn a_path_that_cannot_be_looked_at_is_not_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut tail) = opened(&folder, "text");
    assert_eq!(tail.change(&path).unwrap(), Change::None);
    assert_eq!(tail.change(&folder.path().join("other")).unwrap(), Change::Gone);
    assert_eq!(tail.change(&path.join("below a file")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    assert_eq!(Tail::open(folder.path()).err().unwrap().kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn a_file_that_becomes_shorter_is_truncated() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut tail) = opened(&folder, "text");
    for (offset, want) in [(3, Change::None), (4, Change::None), (5, Change::Truncated)] {
        tail.offset = offset;
        assert_eq!(tail.change(&path).unwrap(), want, "{offset}");
    }
    fs::write(&path, "next").unwrap();
    tail.offset = 4;
    assert_eq!(tail.change(&path).unwrap(), Change::Truncated);
    tail.rewind().unwrap();
    assert_eq!((tail.offset, tail.change(&path).unwrap()), (0, Change::None));
}

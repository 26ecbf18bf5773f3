//! Files that are there, links, and files that are too old.

use super::*;
use crate::testing::file_target as target;
use std::{
    io::{Read, Write},
    time::{Duration, SystemTime},
};
use transport::sys;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| error.kind().to_string())
}

#[test]
fn a_name_from_a_message_is_no_link_and_no_device() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link, pipe) =
        (folder.path().join("file"), folder.path().join("link"), folder.path().join("pipe"));
    fs::write(&file, "a").unwrap();
    symlink(&file, &link).unwrap();
    sys::make_pipe(&pipe, 0o600).unwrap();
    let found =
        |path: &Path, name: &str| append(path, &target(name)).err().and_then(|error| error.raw_os_error());
    assert_eq!((found(&file, "$HOST"), found(&link, "$HOST")), (None, Some(libc::ELOOP)));
    // Without a reader it is not waited for; with one it is refused all the same.
    assert_eq!(found(&pipe, "$HOST"), Some(libc::ENXIO));
    let mut reader = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    assert_eq!(found(&pipe, "$HOST"), Some(libc::ELOOP));
    append(&link, &target("constant")).unwrap().write_all(b"b").unwrap();
    assert_eq!(read(&file), "ab");
    append(&pipe, &target("constant")).unwrap().write_all(b"c").unwrap();
    let mut byte = [0];
    reader.read_exact(&mut byte).unwrap();
    assert_eq!(&byte, b"c");
}

#[test]
fn a_file_that_is_older_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let age = |seconds| {
        fs::write(&path, "old").unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    };
    for (limit, seconds, want) in
        [(Some(100), 200, ""), (Some(100), 10, "old"), (None, 200, "old"), (Some(1_000), 200, "old")]
    {
        age(seconds);
        let overwrite_if_older = limit.map(Duration::from_secs);
        append(&path, &FileTarget { overwrite_if_older, ..target("x") }).unwrap();
        assert_eq!(read(&path), want, "{limit:?} {seconds}");
    }
    // In the future, as after a clock that jumped, is not old.
    fs::write(&path, "new").unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(500)).unwrap();
    append(&path, &FileTarget { overwrite_if_older: Some(Duration::ZERO), ..target("x") }).unwrap();
    assert_eq!(read(&path), "new");
}

#[test]
fn a_link_points_to_the_file_that_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let open = |file: &str, link: &str| {
        append(&at(file), &FileTarget { link: Some(at(link)), ..target("x") })
            .map(drop)
            .map_err(|error| (error.kind(), error.to_string()))
    };
    let pointed = |link: &str| fs::read_link(at(link)).ok();
    open("a", "link").unwrap();
    assert_eq!(pointed("link"), Some(at("a")));
    let inode = |link: &str| fs::symlink_metadata(at(link)).unwrap().ino();
    let first = inode("link");
    open("a", "link").unwrap();
    assert_eq!(inode("link"), first, "it is right already");
    // An attempt that was cut off left this.
    symlink("nowhere", at("link.new")).unwrap();
    open("b", "link").unwrap();
    assert_eq!((pointed("link"), pointed("link.new")), (Some(at("b")), None));
    fs::write(at("other"), "mine").unwrap();
    let (kind, text) = open("c", "other").unwrap_err();
    assert_eq!((kind, read(&at("other")).as_str()), (io::ErrorKind::AlreadyExists, "mine"));
    assert!(text.ends_with("other is there and is no link"), "{text}");
    fs::create_dir(at("link.new")).unwrap();
    assert_ne!(open("c", "link").unwrap_err().0, io::ErrorKind::NotFound);
    assert_eq!(pointed("link"), Some(at("b")));
}

#[test]
fn a_file_gets_its_mode_and_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode, want) in [("usual", None, 0o600), ("other", Some(0o604), 0o604)] {
        let permissions = FilePermissions { mode, ..FilePermissions::default() };
        let file = append(&folder.path().join(name), &FileTarget { permissions, ..target("x") }).unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, want);
    }
    for (owner, group) in [(Some(12_345), None), (None, Some(23_456))] {
        let permissions = FilePermissions { owner, group, mode: None };
        match append(&folder.path().join("owned"), &FileTarget { permissions, ..target("x") }) {
            Ok(file) => {
                let metadata = file.metadata().unwrap();
                assert!(owner.is_none_or(|owner| owner == metadata.uid()));
                assert!(group.is_none_or(|group| group == metadata.gid()));
            }
            // Only root may give a file away.
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
        }
    }
}

#[test]
fn a_file_is_there_until_its_name_leads_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let file = append(&path, &target("x")).unwrap();
    let open = file.metadata().unwrap();
    assert!(is_there(&open, &path) && is_local(&file));
    // To look fails, which says nothing.
    assert!(is_there(&open, &path.join("below")));
    fs::rename(&path, folder.path().join("aside")).unwrap();
    assert!(!is_there(&open, &path));
    fs::write(&path, "").unwrap();
    assert!(!is_there(&open, &path));
    assert!(!is_local(&File::open("/dev/null").unwrap()));
}

#[test]
fn a_file_has_room_until_it_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "12345").unwrap();
    let rotation = |bytes| Rotation { bytes, kept: 2 };
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!([8, 5, 4].map(|bytes| room(&metadata, &rotation(bytes))), [3, 0, 0]);
    assert_eq!(room(&fs::metadata("/dev/null").unwrap(), &rotation(8)), usize::MAX);
    for (text, want) in [("a", ["a", "", ""]), ("b", ["b", "a", ""]), ("c", ["c", "b", ""])] {
        fs::write(&path, text).unwrap();
        put_aside(&path, 2).unwrap();
        let gone = io::ErrorKind::NotFound.to_string();
        let found = [1, 2, 3].map(|number| read(&aside(&path, number)));
        assert_eq!(found, want.map(|want| if want.is_empty() { gone.clone() } else { want.to_owned() }));
    }
    // One is kept at least.
    fs::write(&path, "d").unwrap();
    put_aside(&path, 0).unwrap();
    assert_eq!((read(&aside(&path, 1)), read(&aside(&path, 2))), ("d".to_owned(), "b".to_owned()));
    assert!(put_aside(&path, 2).is_err(), "there is nothing to put aside");
}

#[test]
fn a_fault_of_the_name_is_final() {
    for (code, want) in
        [(libc::EACCES, true), (libc::ENXIO, true), (libc::ENOSPC, false), (libc::EMFILE, false)]
    {
        assert_eq!(is_final(&io::Error::from_raw_os_error(code)), want);
    }
    assert!(!is_final(&io::ErrorKind::WriteZero.into()));
}

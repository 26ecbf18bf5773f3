//! Folders below a temporary one.

use super::*;
use std::os::unix::fs::MetadataExt;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn folders_have_the_mode_that_was_asked_for() {
    let root = tempfile::tempdir().unwrap();
    for (name, wanted, want) in [("plain", None, FOLDER_MODE), ("wide", Some(0o777), 0o777)] {
        let inner = root.path().join(name).join("a/b");
        create(&inner, &FilePermissions { mode: wanted, ..FilePermissions::default() }).unwrap();
        assert_eq!((mode(&inner), mode(&root.path().join(name))), (want, want), "{name}");
    }
}

#[test]
fn what_is_there_stays_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let wanted = FilePermissions { mode: Some(0o777), ..FilePermissions::default() };
    let before = mode(root.path());
    create(root.path(), &wanted).unwrap();
    create(Path::new(""), &wanted).unwrap();
    assert_eq!(mode(root.path()), before);
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = create(&file.join("below"), &wanted).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
}

#[test]
fn folders_belong_to_whom_was_asked_for() {
    let root = tempfile::tempdir().unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    for (name, owner, group) in [("owner", Some(12_345), None), ("group", None, Some(23_456))] {
        let folder = root.path().join(name);
        let before = fs::metadata(root.path()).unwrap();
        let made = create(&folder, &FilePermissions { owner, group, mode: None });
        match is_root {
            true => {
                made.unwrap();
                let after = fs::metadata(&folder).unwrap();
                let want = (owner.unwrap_or(before.uid()), group.unwrap_or(before.gid()));
                assert_eq!((after.uid(), after.gid()), want, "{name}");
            }
            false => assert_eq!(made.unwrap_err().kind(), io::ErrorKind::PermissionDenied),
        }
    }
}

#[test]
fn makes_what_is_above_a_path_when_asked() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/file");
    create_above(&path, None).unwrap();
    assert!(!root.path().join("a").exists());
    create_above(&path, Some(&FilePermissions::default())).unwrap();
    assert!(root.path().join("a/b").is_dir() && !path.exists());
}

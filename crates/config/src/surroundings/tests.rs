//! The file system of this machine and the one in memory, asked the same questions.

#![expect(clippy::disallowed_methods, reason = "files of a temporary folder")]

use super::*;

/// Checks a folder with `a.conf`, `b.conf` and `sub/c.conf`.
#[track_caller]
fn check(surroundings: &dyn Surroundings, root: &Path) {
    let path = |name: &str| root.join(name);
    assert_eq!(surroundings.read(&path("a.conf")).unwrap(), b"one");
    assert_eq!(surroundings.read(&path("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    for (name, is_folder, exists) in
        [("", true, true), ("sub", true, true), ("a.conf", false, true), ("none", false, false)]
    {
        let got = (surroundings.is_folder(&path(name)), surroundings.exists(&path(name)));
        assert_eq!(got, (is_folder, exists), "{name}");
    }
    let files: Vec<String> =
        surroundings.folder(root).unwrap().into_iter().filter(|name| name != "sub").collect();
    assert_eq!(files, ["a.conf", "b.conf"]);
    let matching = |pattern: &str| surroundings.glob(&format!("{}/{pattern}", root.display()));
    assert_eq!(matching("*.conf"), [path("a.conf"), path("b.conf")]);
    assert_eq!(matching("[b-z].conf"), [path("b.conf")]);
    assert!(matching("?").is_empty());
    assert!(matching("[z").is_empty(), "a malformed pattern matches nothing");
}

#[test]
fn both_have_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("sub")).unwrap();
    let mut memory = Memory::default();
    for (name, content) in [("b.conf", "two"), ("a.conf", "one"), ("sub/c.conf", "three")] {
        std::fs::write(root.join(name), content).unwrap();
        memory = memory.file(&root.join(name).display().to_string(), content);
    }
    check(&Disk::default(), root);
    check(&memory, root);
    assert_eq!(Disk::default().folder(root).unwrap(), ["a.conf", "b.conf", "sub"]);
    assert!(Disk::default().folder(&root.join("none")).is_err());
}

#[test]
fn variables_are_those_of_the_process() {
    assert_eq!(Disk::default().variable("CARGO_MANIFEST_DIR").as_deref(), Some(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(Disk::default().variable("NO_SUCH_VARIABLE"), None);
    let memory = Memory::default().with_variable("A", "1");
    assert_eq!((memory.variable("A").as_deref(), memory.variable("B")), (Some("1"), None));
}

#[test]
fn included_files_are_looked_for_in_the_documented_folders() {
    let disk = Disk { include_path: vec![PathBuf::from("/a"), PathBuf::from("/b")] };
    assert_eq!(disk.include_path(), [PathBuf::from("/a"), PathBuf::from("/b")]);
    assert!(Memory::default().include_path().is_empty());
}

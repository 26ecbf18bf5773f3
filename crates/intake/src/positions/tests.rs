//! Rows for the file of positions.

use super::*;
use std::time::Instant;
use transport::testing::eventually;

#[track_caller]
fn check(name: &str, position: &str) {
    let positions = BTreeMap::from([(name.to_owned(), position.to_owned())]);
    assert_eq!(decode(&encode(&positions)).unwrap(), positions);
}

#[test]
fn any_name_and_position_come_back() {
    check("file /var/log/x", "1:2 3");
    check("file /tmp/a\tb\nc%d%41", "100%\t");
    check("wildcard-file /ä/ö", "");
    check("%", "%%2");
}

#[test]
fn a_foreign_file_is_refused_and_a_missing_one_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let log = InternalLog::new("test", None);
    let positions = Positions::open(Some(&path), &log).unwrap();
    positions.set("a", "1".to_owned());
    positions.set("b", "2".to_owned());
    positions.remove("a");
    positions.save();
    assert_eq!(fs::read_to_string(&path).unwrap(), "duramen positions 1\nb\t2\n");
    let again = Positions::open(Some(&path), &log).unwrap();
    assert_eq!((again.position("a"), again.position("b").as_deref()), (None, Some("2")));
    fs::write(&path, "SLP4").unwrap();
    assert!(Positions::open(Some(&path), &log).is_err());
    // A folder cannot be read, which is not the same as being absent.
    assert!(Positions::open(Some(folder.path()), &log).is_err());
}

#[test]
fn a_change_is_saved_without_being_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let positions = Positions::open(Some(&path), &InternalLog::new("test", None)).unwrap();
    positions.set("a", "1".to_owned());
    eventually("the change is on disk", || {
        fs::read_to_string(&path).is_ok_and(|text| text == "duramen positions 1\na\t1\n")
    });
    positions.remove("a");
    eventually("the removal as well", || {
        fs::read_to_string(&path).is_ok_and(|text| text == "duramen positions 1\n")
    });
}

fn shared(path: &Path, log: &InternalLog) -> Shared {
    Shared {
        path: Some(path.to_owned()),
        state: Mutex::default(),
        changed: Condvar::new(),
        saving: Mutex::default(),
        log: log.clone(),
    }
}

#[test]
fn without_a_change_there_is_nothing_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let shared = shared(&path, &InternalLog::new("test", None));
    let start = Instant::now();
    shared.save_when_changed();
    assert!(start.elapsed() >= SAVE_EVERY, "it waited for a change");
    shared.save();
    assert!(!path.exists());
}

#[test]
fn a_failed_save_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("late").join("positions");
    let log = InternalLog::new("test", None);
    let positions = Positions(Arc::new(shared(&path, &log)));
    positions.set("a", "1".to_owned());
    positions.save();
    let text = log.take(10).0.remove(0).text;
    assert!(text.starts_with("Cannot save the positions of sources, trying again; filename='"), "{text}");
    fs::create_dir(folder.path().join("late")).unwrap();
    positions.save();
    assert_eq!(fs::read_to_string(&path).unwrap(), "duramen positions 1\na\t1\n");
    assert!(log.take(10).0.is_empty());
}

#[test]
fn a_file_beside_is_made_once_and_for_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let log = InternalLog::new("test", None);
    let positions = Positions::open(Some(&folder.path().join("positions")), &log).unwrap();
    let path = positions.file_beside("s3-1.sqlite").unwrap().unwrap();
    assert_eq!(path, folder.path().join("s3-1.sqlite"));
    fs::write(&path, "kept").unwrap();
    assert_eq!(positions.file_beside("s3-1.sqlite").unwrap().as_deref(), Some(path.as_path()));
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode & 0o777), ("kept", 0o600));
    assert_eq!(Positions::open(None, &log).unwrap().file_beside("x").unwrap(), None);
    let missing = Positions(Arc::new(shared(&folder.path().join("none/positions"), &log)));
    assert!(missing.file_beside("x").is_err());
}

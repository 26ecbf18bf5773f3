//! Rows for the file of positions.

use super::*;

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
}

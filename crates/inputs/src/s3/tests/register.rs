//! What was read, over restarts, with two owners, and with files that are damaged.

use super::*;

fn object(key: &str) -> ListedObject {
    ListedObject { key: key.to_owned(), etag: "\"1\"".to_owned(), size: 5, is_archived: false }
}

fn id(key: &str) -> ObjectId {
    ObjectId::of(&object(key))
}

fn done(keys: &[&str]) -> Changes {
    Changes { done: keys.iter().map(|key| id(key)).collect(), ..Changes::default() }
}

#[test]
fn an_object_with_another_content_is_another() {
    let one = object("a");
    let others = [
        ListedObject { key: "b".to_owned(), ..one.clone() },
        ListedObject { etag: "\"2\"".to_owned(), ..one.clone() },
        ListedObject { size: 6, ..one.clone() },
        ListedObject { key: "a\"1".to_owned(), etag: "\"".to_owned(), ..one.clone() },
    ];
    for other in others {
        assert_ne!(ObjectId::of(&one), ObjectId::of(&other), "{other:?}");
    }
    assert_eq!(ObjectId::of(&one), ObjectId::of(&ListedObject { is_archived: true, ..one.clone() }));
}

#[test]
fn what_was_read_is_known_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s3.sqlite");
    let plain = ObjectPosition { offset: 7, form: Some(Form::Plain) };
    let packed = ObjectPosition { offset: u64::from(u32::MAX) + 9, form: None };
    let mut register = Register::open(Some(&path)).unwrap();
    assert!(register.is_first_round());
    let positions = HashMap::from([(id("b"), plain), (id("c"), packed), (id("d"), plain)]);
    register.commit(&Changes { positions, ..done(&["a"]) }).unwrap();
    register.commit(&Changes { gone: vec![id("d")], ..Changes::default() }).unwrap();
    register.end_round().unwrap();
    // Somebody else would read everything a second time.
    let refused = Register::open(Some(&path)).map(drop).unwrap_err();
    assert!(refused.to_string().contains("locked"), "{refused}");
    drop(register);
    let mut register = Register::open(Some(&path)).unwrap();
    assert!(!register.is_first_round());
    assert_eq!(["a", "b"].map(|key| register.is_known(id(key)).unwrap()), [true, false]);
    let places = ["a", "b", "c", "d"].map(|key| register.position(id(key)).unwrap());
    assert_eq!(places, [ObjectPosition::START, plain, packed, ObjectPosition::START]);
    register.commit(&done(&["b", "b", "a"])).unwrap();
    assert_eq!((register.objects, register.position(id("b")).unwrap()), (2, ObjectPosition::START));
}

#[test]
fn objects_that_are_long_gone_are_forgotten_and_others_stay() {
    let mut register = Register::open(None).unwrap();
    register.commit(&done(&["stays", "goes"])).unwrap();
    for _ in 0..2 * ROUNDS_KEPT {
        assert!(register.look(|register| register.is_known(id("stays"))).unwrap());
        register.end_round().unwrap();
    }
    assert_eq!(register.objects, 1);
    assert!(!register.is_known(id("goes")).unwrap());
}

#[test]
fn a_look_that_fails_leaves_the_database_usable() {
    let mut register = Register::open(None).unwrap();
    let failed = register.look(|_| Err::<(), _>(RegisterError::Full)).unwrap_err();
    assert_eq!(failed.to_string(), "more than 50000000 objects cannot be kept in mind");
    register.commit(&done(&["a"])).unwrap();
    register.objects = OBJECTS_MAX;
    assert!(matches!(register.commit(&done(&["b"])), Err(RegisterError::Full)));
    assert!(!register.is_known(id("b")).unwrap());
}

#[test]
fn a_file_that_is_no_register_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s3.sqlite");
    std::fs::write(&path, "this is not a database, but a text that is long enough to be one of a kind")
        .unwrap();
    let refused = Register::open(Some(&path)).map(drop).unwrap_err().to_string();
    assert_eq!(refused, "the record of what was read: file is not a database");
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 2").unwrap();
    let refused = Register::open(Some(&path)).map(drop).unwrap_err().to_string();
    assert_eq!(refused, "the record of what was read has version 2, which is newer than this server");
}

//! Disks that are full, files that are damaged or of other versions.

use super::*;
use crate::{
    OpenError,
    database::{
        self,
        migrations::{ALL, Migration},
    },
};
use rusqlite::Connection;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

const SECOND: Migration =
    Migration { version: 3, statements: "ALTER TABLE object ADD COLUMN colour TEXT NOT NULL DEFAULT ''" };
const BROKEN: Migration = Migration { version: 4, statements: "ALTER TABLE missing ADD COLUMN x TEXT" };

/// All steps of this version, and others.
fn and(more: &[Migration]) -> Vec<Migration> {
    let same = |step: &Migration| Migration { version: step.version, statements: step.statements };
    ALL.iter().chain(more).map(same).collect()
}

fn copies(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut copies: Vec<String> = names.filter(|name| name.contains(".version-")).collect();
    copies.sort();
    copies
}

#[test]
fn files_are_private_and_durable() {
    let site = Site::new();
    site.create("eva", content("a", "x"));
    for file in ["objects.db", "objects.db-wal"] {
        let mode = fs::metadata(site.folder.path().join("objects").join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let connection = database::open(&site.path()).unwrap();
    let pragma = |name: &str| -> String {
        connection
            .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, rusqlite::types::Value>(0))
            .map(|value| format!("{value:?}"))
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "Text(\"wal\")");
    assert_eq!(pragma("synchronous"), "Integer(2)");
    assert_eq!(pragma("foreign_keys"), "Integer(1)");
}

#[test]
fn a_full_disk_refuses_changes_and_keeps_what_is_there() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    site.store.limit(0);
    let long = "x".repeat(20_000);
    let full = |number: usize| {
        let kind = "search".parse().unwrap();
        let spec = json!({"columns": [long[..200].to_owned() + &number.to_string()]});
        let content =
            Content::new(kind, (&format!("n{number}"), ""), &long[..4_000], Vec::new(), spec).unwrap();
        site.act("eva", |store, request| store.create(request, content, ""))
    };
    let refused = (0..200).find_map(|number| full(number).err()).unwrap();
    assert!(matches!(refused, StoreError::Full), "{refused}");
    assert!(site.store.troubles()[0].contains("no space is left"), "{:?}", site.store.troubles());
    assert_eq!(site.query("eva", &id), Some(json!("one")));
    assert!(!site.ledger.borrow().iter().any(|line| line.contains("n199")));
    site.store.limit(1 << 20);
    full(1_000).unwrap();
    assert!(site.store.troubles().is_empty(), "it heals by itself");
}

#[test]
fn a_damaged_file_is_named_and_left_alone() {
    let site = Site::new();
    site.create("eva", content("a", "one"));
    let path = site.path();
    drop(site.store);
    let damage = |bytes: Vec<u8>| {
        for extra in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{extra}", path.display()));
        }
        fs::write(&path, &bytes).unwrap();
        let store = Store::open(&path);
        let trouble = store.troubles().join("\n");
        assert!(trouble.contains("objects.db is damaged"), "{trouble}");
        let error = store.object(&caller("eva"), &"x".parse().unwrap()).unwrap_err();
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
        assert!(store.list(&caller("eva"), &Filter::default()).unwrap().is_empty());
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing is written over it");
        store
    };
    let good = fs::read(&path).unwrap();
    damage(b"this is no database, whatever its name says".repeat(100));
    let mut torn = good.clone();
    torn[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let store = damage(torn);
    // Once a copy is in its place, a reload is enough.
    fs::write(&path, &good).unwrap();
    store.reload(&site.folder.path().join("none"));
    assert!(store.troubles().is_empty(), "{:?}", store.troubles());
    assert_eq!(store.list(&caller("eva"), &Filter::default()).unwrap().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("objects"), "in the way").unwrap();
    let store = Store::open(&folder.path().join("objects/objects.db"));
    assert!(store.troubles()[0].starts_with("objects: cannot use "), "{:?}", store.troubles());
    assert!(Store::try_open(&folder.path().join("objects/objects.db")).is_err());
    fs::remove_file(folder.path().join("objects")).unwrap();
    fs::create_dir_all(folder.path().join("objects/objects.db")).unwrap();
    assert_eq!(Store::open(&folder.path().join("objects/objects.db")).troubles().len(), 1);
}

#[test]
fn older_tables_are_changed_over_after_a_copy() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let (path, folder) = (site.path(), site.folder.path().join("objects"));
    drop(site.store);
    database::open_with(&path, &and(&[SECOND])).unwrap();
    assert_eq!(copies(&folder), ["objects.version-2.db"]);
    let mode = fs::metadata(folder.join("objects.version-2.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The copy is a database of the old version with everything in it.
    let old = Store::open(&folder.join("objects.version-2.db"));
    assert_eq!(old.object(&caller("eva"), &id).unwrap().content.spec["query"], "one");
    let older_program = Store::open(&path);
    let trouble = &older_program.troubles()[0];
    let want = format!(
        "was changed by duramen {} to version 3 of its tables; this program knows 2",
        env!("CARGO_PKG_VERSION")
    );
    assert!(trouble.contains(&want), "{trouble}");
}

#[test]
fn a_step_that_fails_leaves_the_tables_as_they_were() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    drop(site.store);
    let path = site.folder.path().join("objects/objects.db");
    let failed = database::open_with(&path, &and(&[SECOND, BROKEN])).unwrap_err();
    assert!(matches!(failed, OpenError::Migration { version: 4, .. }), "{failed}");
    assert!(failed.to_string().contains("stay as they were: no such table: missing"), "{failed}");
    let store = Store::open(&path);
    assert!(store.troubles().is_empty(), "still version 2: {:?}", store.troubles());
    assert!(store.object(&caller("eva"), &id).is_ok());
}

#[test]
fn three_copies_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("objects.db");
    drop(database::open(&path).unwrap());
    for last in 3..=7 {
        let more: Vec<Migration> =
            (3..=last).map(|version| Migration { version, statements: "SELECT 1" }).collect();
        drop(database::open_with(&path, &and(&more)).unwrap());
    }
    let want = ["objects.version-4.db", "objects.version-5.db", "objects.version-6.db"];
    assert_eq!(copies(folder.path()), want);
}

/// Every version of the tables stays readable: its file is made from the statements that the version wrote.
#[test]
fn tables_of_each_version_are_read() {
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("objects.db");
        Connection::open(&path).unwrap().execute_batch(&text).unwrap();
        let store = Store::open(&path);
        assert!(store.troubles().is_empty(), "{:?}", store.troubles());
        let id = "01990a5e-6c00-7000-8000-000000000001".parse().unwrap();
        // Before version 2 there were names only; they are the ids of the accounts of then.
        let (owner, person) = match text.contains("VALUES (2,") {
            true => ("eva#k3x9", "user:bob#b1"),
            false => ("eva", "user:bob"),
        };
        let object = store.object(&caller(owner), &id).unwrap();
        assert_eq!((object.summary.name.as_str(), object.summary.revision), ("Failed logins", 2));
        assert_eq!(
            (object.summary.folder.as_str(), object.summary.tags.join(" ")),
            ("Work", "ssh vpn".into())
        );
        assert_eq!(object.content.spec["query"], "failed AND root");
        let connection = Connection::open(&path).unwrap();
        let row: String = connection.query_row("SELECT principal FROM acl", [], |row| row.get(0)).unwrap();
        assert_eq!(row, person);
        let person = Caller { user: person[5..].parse().unwrap(), is_administrator: false };
        assert_eq!(store.object(&person, &id).unwrap().summary.level, Level::Edit);
        assert!(store.object(&caller("eva#other"), &id).is_err());
        assert_eq!(store.versions(&caller(owner), &id).unwrap().len(), 2);
    }
}

#[test]
fn rows_that_no_program_of_ours_writes_are_errors() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    let connection = database::open(&site.path()).unwrap();
    connection.execute("UPDATE object_version SET tags = 'no json'", []).unwrap();
    let error = site.store.object(&caller("eva"), &id).unwrap_err();
    assert!(matches!(error, StoreError::Sqlite { .. }), "{error}");
    assert!(!site.store.troubles().is_empty());
    // Kinds of newer programs are left alone.
    connection.execute_batch("UPDATE object SET kind = 'dream'").unwrap();
    assert!(site.store.list(&caller("eva"), &Filter::default()).unwrap().is_empty());
}

#[test]
fn another_writer_is_waited_for() {
    let site = Site::new();
    let mut other = database::open(&site.path()).unwrap();
    let held = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    std::thread::scope(|scope| {
        let (begun, begin) = std::sync::mpsc::channel();
        let path = site.path();
        let writer = scope.spawn(move || {
            let store = Store::open(&path);
            begun.send(()).unwrap();
            let request = Request { caller: &caller("eva"), now_us: NOW_US, record: &|_| Ok(()) };
            store.create(&request, content("a", "one"), "").map(drop)
        });
        begin.recv().unwrap();
        drop(held);
        writer.join().unwrap().unwrap();
    });
    assert_eq!(site.list("eva", Filter::default()).len(), 1);
}

#[test]
fn a_closed_store_is_one_file() {
    let site = Site::new();
    let id = site.create("eva", content("a", "one"));
    site.store.close();
    let wal = site.folder.path().join("objects/objects.db-wal");
    assert!(!wal.exists());
    assert!(matches!(site.change("eva", &any(&id), "a", "x"), Err(StoreError::Unavailable { .. })));
    assert!(site.store.troubles().is_empty());
    assert!(Store::open(&site.path()).object(&caller("eva"), &id).is_ok());
}

//! Earlier versions of what is on disk stay readable; damaged files are no reason to stop.

use crate::{AlertFilter, Store, follower::SavedState};
use journal::OsDisk;
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

#[test]
fn every_version_of_the_tables_stays_readable() {
    check("version-1.sql", 0);
    check("version-2.sql", 1);
    check("version-3.sql", 1);
}

/// Opens a database of an earlier version; `notifications` is the number of them in it.
#[track_caller]
fn check(version: &str, notifications: i64) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("alerts.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(&fs::read_to_string(testdata(version)).unwrap()).unwrap();
    drop(old);
    let store = Store::at(&path);
    let alerts = store.alerts(&AlertFilter { limit: 10, ..AlertFilter::default() }).unwrap();
    let shown: Vec<_> =
        alerts.iter().map(|alert| (alert.number, alert.state.as_str(), alert.key.as_str())).collect();
    assert_eq!(shown, [(2, "firing", r#"{"host":"gw1"}"#)]);
    assert_eq!(store.watched().unwrap()[0].cursor, 40);
    let counts = (
        store.transitions("main", 0, 10).unwrap().len(),
        store.marks("main", 0).unwrap().len(),
        store.gaps("main", 0).unwrap().len(),
        store.coverage("main", None).unwrap().len(),
    );
    assert_eq!(counts, (2, 2, 1, 3));
    let kept: i64 = store
        .transaction(|transaction| {
            let sql = "SELECT COUNT(*) FROM notification WHERE state = 'waiting'";
            Ok(transaction.query_row(sql, [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(notifications, kept, "{version}");
}

#[test]
fn every_version_of_the_state_stays_readable_and_damage_is_none() {
    let state = SavedState { cursor: 40, mark: 2, evaluator: b"DWS".to_vec() };
    let golden = testdata("version-1.state");
    if std::env::var_os("UPDATE").is_some() {
        state.write(&OsDisk, &golden).unwrap();
    }
    assert_eq!(SavedState::read(&OsDisk, &golden).unwrap(), Some(state));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("space.1.state");
    assert_eq!(SavedState::read(&OsDisk, &path).unwrap(), None);
    let whole = fs::read(&golden).unwrap();
    for end in 0..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        assert_eq!(SavedState::read(&OsDisk, &path).unwrap(), None, "{end}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(SavedState::read(&OsDisk, &path).unwrap(), None, "{at}");
    }
}

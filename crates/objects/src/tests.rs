//! The store with a real database in a folder of the test.

mod crash;
mod disk;
mod files;
mod rights;
mod versions;

use crate::{
    AclEntry, Caller, Change, Content, Expected, Filter, Level, Object, ObjectId, Ownership, Presence,
    Request, Store, StoreError, Summary, Target,
};
use serde_json::{Value, json};
use std::{cell::RefCell, io, path::PathBuf};
use tempfile::TempDir;

/// A time in November 2026.
const NOW_US: i64 = 1_795_000_000_000_000;

/// A store, its ledger, its clock.
struct Site {
    store: Store,
    folder: TempDir,
    ledger: RefCell<Vec<String>>,
    is_ledger_full: RefCell<bool>,
    now_us: RefCell<i64>,
}

fn caller(user: &str) -> Caller {
    Caller { user: user.parse().unwrap(), is_administrator: user.starts_with("root") }
}

fn content(name: &str, query: &str) -> Content {
    let kind = "search".parse().unwrap();
    Content::new(kind, (name, ""), "", Vec::new(), json!({"query": query})).unwrap()
}

fn in_folder(name: &str, folder: &str, tags: &[&str]) -> Content {
    let kind = "search".parse().unwrap();
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Content::new(kind, (name, folder), "seen on Mondays", tags, json!({"query": "failed"})).unwrap()
}

fn entry(principal: &str, level: Level) -> AclEntry {
    AclEntry { principal: principal.parse().unwrap(), level }
}

fn any(id: &ObjectId) -> Target {
    Target { id: id.clone(), expected: Expected::Any }
}

fn at(id: &ObjectId, revision: u64) -> Target {
    Target { id: id.clone(), expected: Expected::Revision(revision) }
}

/// The names of objects in their order.
fn names(objects: &[Summary]) -> Vec<&str> {
    objects.iter().map(|object| object.name.as_str()).collect()
}

impl Site {
    fn new() -> Site {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("objects/objects.db"));
        assert_eq!(store.troubles(), Vec::<String>::new());
        Site {
            store,
            folder,
            ledger: RefCell::default(),
            is_ledger_full: RefCell::new(false),
            now_us: RefCell::new(NOW_US),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("objects/objects.db")
    }

    /// Does something as a user.
    fn act<T>(
        &self,
        user: &str,
        act: impl FnOnce(&Store, &Request<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let record = |change: &Change| {
            if *self.is_ledger_full.borrow() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let Change { action, name, revision, .. } = change;
            self.ledger.borrow_mut().push(format!("{user} {} {name} {revision}", action.name()));
            Ok(())
        };
        let request = Request { caller: &caller(user), now_us: *self.now_us.borrow(), record: &record };
        act(&self.store, &request)
    }

    fn create(&self, user: &str, content: Content) -> ObjectId {
        self.act(user, |store, request| store.create(request, content, "")).unwrap().summary.id
    }

    fn change(&self, user: &str, target: &Target, name: &str, query: &str) -> Result<Object, StoreError> {
        self.act(user, |store, request| store.change(request, target, content(name, query), ""))
    }

    fn share(&self, user: &str, id: &ObjectId, acl: Vec<AclEntry>) -> Result<Object, StoreError> {
        self.act(user, |store, request| store.share(request, &any(id), acl, None))
    }

    fn delete(&self, user: &str, id: &ObjectId) -> Result<Object, StoreError> {
        self.act(user, |store, request| store.delete(request, &any(id)))
    }

    fn restore(&self, user: &str, id: &ObjectId, revision: Option<u64>) -> Result<Object, StoreError> {
        self.act(user, |store, request| store.restore(request, &any(id), revision))
    }

    fn list(&self, user: &str, filter: Filter) -> Vec<Summary> {
        self.store.list(&caller(user), &filter).unwrap()
    }

    fn query(&self, user: &str, id: &ObjectId) -> Option<Value> {
        self.store.object(&caller(user), id).ok().map(|object| object.content.spec["query"].clone())
    }
}

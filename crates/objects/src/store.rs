//! The store: the database and the folder of objects together, with the rights applied.
//!
//! In: requests of a caller. Out: objects that the caller may see, changes that the caller may make. Holds: the connection
//! under a lock, the objects of the folder. A change is recorded in the ledger inside of its transaction: what cannot be
//! recorded is not done. A database that cannot be used is a trouble, not the end: objects of files are there without it.
//! Limits: see [`limits`](crate::limits). Each call may wait for a disk.

mod change_count;
mod changes;
mod error;
mod kept;
mod query;
mod request;

pub(crate) use changes::{one_more, taken};
pub use error::StoreError;
pub use kept::{Kept, KeptRule};
pub use request::{Expected, Filter, Ownership, Presence, Request, Target};

use crate::{
    acl::{AclEntry, Caller, EveryName, Level, Principal, Users},
    content::Content,
    database::{self, OpenError, rows::StoredObject},
    file::FileObject,
    id::ObjectId,
    object::{Object, Origin, Summary},
    provisioned::Provisioned,
};
use change_count::ChangeCount;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The objects of a server.
pub struct Store {
    path: PathBuf,
    database: Mutex<DatabaseState>,
    provisioned: Mutex<Arc<Provisioned>>,
    /// True when objects that are a part of the program are there, too.
    has_built_in: bool,
    /// The accounts: until they are set, every name is one.
    users: OnceLock<Arc<dyn Users>>,
    /// The last failure of the disk or of the database; none once something was written.
    failure: Mutex<Option<String>>,
    /// The files of other folders that have rules, by their ids.
    taken: Mutex<BTreeMap<String, PathBuf>>,
    changes: ChangeCount,
}

/// The database, or the reason why there is none.
enum DatabaseState {
    Open(Connection),
    Unusable(OpenError),
    /// The server is stopping.
    Closed,
}

impl DatabaseState {
    fn open(path: &Path) -> DatabaseState {
        match database::open(path) {
            Ok(connection) => DatabaseState::Open(connection),
            Err(error) => DatabaseState::Unusable(error),
        }
    }
}

impl Store {
    /// Opens the database in a file, which is made when it is not there. Without a usable one the store has only the
    /// objects of files; [`Store::troubles`] says so.
    pub fn open(path: &Path) -> Store {
        Store {
            path: path.to_owned(),
            database: Mutex::new(DatabaseState::open(path)),
            provisioned: Mutex::default(),
            has_built_in: false,
            users: OnceLock::new(),
            failure: Mutex::default(),
            taken: Mutex::default(),
            changes: ChangeCount::default(),
        }
    }

    /// The same with the objects that are a part of the program, from the next [`Store::reload`] on.
    pub fn with_built_in(self) -> Store {
        Store { has_built_in: true, ..self }
    }

    /// Sets the accounts of the server, once.
    pub fn set_users(&self, users: Arc<dyn Users>) {
        // A second server with this store has the same accounts.
        let _ = self.users.set(users);
    }

    /// Returns the accounts.
    pub(crate) fn users(&self) -> &dyn Users {
        self.users.get().map_or(&EveryName, AsRef::as_ref)
    }

    /// The same, for commands that have nothing to do without a database.
    pub fn try_open(path: &Path) -> Result<Store, OpenError> {
        let database = Mutex::new(DatabaseState::Open(database::open(path)?));
        let (provisioned, failure) = (Mutex::default(), Mutex::default());
        let (path, users, has_built_in) = (path.to_owned(), OnceLock::new(), false);
        let (taken, changes) = (Mutex::default(), ChangeCount::default());
        Ok(Store { path, database, provisioned, has_built_in, users, failure, taken, changes })
    }

    /// Reads the folder of objects again, and tries a database that could not be used once more.
    pub fn reload(&self, folder: &Path) {
        let mut fresh = Provisioned::read(folder);
        if self.has_built_in {
            fresh.add_built_in();
        }
        let fresh = Arc::new(fresh);
        *self.provisioned.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        let mut state = self.state();
        if matches!(*state, DatabaseState::Unusable(_)) {
            *state = DatabaseState::open(&self.path);
        }
        drop(state);
        self.changes.add();
    }

    /// Closes the database: everything is in its one file then, and the others are gone. Later calls find no database.
    pub fn close(&self) {
        *self.state() = DatabaseState::Closed;
    }

    /// Lists what is wrong with the database and the files, one sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let unusable = match &*self.state() {
            DatabaseState::Open(_) | DatabaseState::Closed => None,
            DatabaseState::Unusable(error) => Some(format!("objects: {error}")),
        };
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let failure = failure.map(|what| format!("objects: {}: {what}", self.path.display()));
        let files = self.provisioned();
        let files = files.problems.iter().map(|problem| format!("objects: {problem}"));
        unusable.into_iter().chain(failure).chain(files).collect()
    }

    fn state(&self) -> MutexGuard<'_, DatabaseState> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn provisioned(&self) -> Arc<Provisioned> {
        self.provisioned.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The file of the folder of objects that an object is kept in.
    pub(crate) fn file_of(&self, id: &ObjectId) -> Option<PathBuf> {
        self.provisioned().objects.get(id).map(|(path, _)| path.clone())
    }

    /// Reads from one state of the database.
    fn read<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let result = match &mut *self.state() {
            DatabaseState::Unusable(error) => Err(StoreError::Unavailable { what: error.to_string() }),
            DatabaseState::Closed => {
                Err(StoreError::Unavailable { what: "the server is stopping".to_owned() })
            }
            DatabaseState::Open(connection) => {
                connection.transaction().map_err(StoreError::of).and_then(|transaction| work(&transaction))
            }
        };
        self.watched(result)
    }

    /// Changes the database, or leaves it as it was.
    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let result = match &mut *self.state() {
            DatabaseState::Unusable(error) => Err(StoreError::Unavailable { what: error.to_string() }),
            DatabaseState::Closed => {
                Err(StoreError::Unavailable { what: "the server is stopping".to_owned() })
            }
            DatabaseState::Open(connection) => {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
                transaction.map_err(StoreError::of).and_then(|transaction| {
                    let done = work(&transaction)?;
                    transaction.commit().map_err(StoreError::of)?;
                    Ok(done)
                })
            }
        };
        if result.is_ok() {
            self.changes.add();
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.watched(result)
    }

    /// Keeps the failures that an administrator has to know of.
    fn watched<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error @ (StoreError::Full | StoreError::Damaged { .. } | StoreError::Sqlite { .. })) =
            &result
        {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
        result
    }

    /// Runs work in a transaction that is committed only if `is_kept` says so; for plans.
    pub(crate) fn transfer<T>(
        &self,
        keep: Keep,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match keep {
            Keep::Commit => self.write(work),
            // Dropping the transaction undoes it.
            Keep::Undo => self.read(work),
        }
    }

    /// Limits the size of the database, for tests of a full disk.
    #[cfg(test)]
    pub(crate) fn limit(&self, bytes: u64) {
        if let DatabaseState::Open(connection) = &*self.state() {
            database::limit(connection, bytes).expect("a limit can be set");
        }
    }
}

/// The end of a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It is committed.
    Commit,
    /// It is undone.
    Undo,
}

/// Returns the level of a caller: what is shared with them, or all for an administrator.
fn level(caller: &Caller, own: Option<Level>) -> Option<Level> {
    if caller.is_administrator { Some(Level::Own) } else { own }
}

/// Returns an object of the database as a caller sees it.
fn seen(users: &dyn Users, stored: StoredObject, mut acl: Vec<AclEntry>, level: Level) -> Object {
    acl.retain(|entry| is_meant(users, entry));
    let summary = Summary {
        id: stored.id,
        kind: stored.content.kind.name,
        name: stored.content.name.clone(),
        folder: stored.content.folder.clone(),
        description: stored.content.description.clone(),
        tags: stored.content.tags.clone(),
        summary: stored.content.summary.clone(),
        is_owner_present: users.is_present(&stored.owner),
        owner: stored.owner,
        revision: stored.revision,
        created_us: stored.created_us,
        created_by: stored.created_by,
        changed_us: stored.changed_us,
        changed_by: stored.changed_by,
        deleted_us: stored.deleted_us,
        origin: Origin::Page,
        level,
        is_shared: !acl.is_empty(),
    };
    Object { summary, content: stored.content, acl }
}

/// Returns true for an entry whose person is still there.
pub(crate) fn is_meant(users: &dyn Users, entry: &AclEntry) -> bool {
    match &entry.principal {
        Principal::Everyone => true,
        Principal::User(id) => users.is_present(id),
    }
}

/// The people who may see the object of a file: everyone, unless the file names them.
fn file_acl(file: &FileObject) -> Vec<AclEntry> {
    let everyone = || vec![AclEntry { principal: Principal::Everyone, level: Level::View }];
    file.acl.clone().unwrap_or_else(everyone)
}

/// Returns the object of a file, which can only be viewed; nothing if the caller may not.
fn seen_file(caller: &Caller, id: &ObjectId, path: &Path, file: &FileObject) -> Option<Object> {
    let acl = file_acl(file);
    level(caller, caller.level_by_name(&file.owner, &acl))?;
    let content: &Content = &file.content;
    let summary = Summary {
        id: id.clone(),
        kind: content.kind.name,
        name: content.name.clone(),
        folder: content.folder.clone(),
        description: content.description.clone(),
        tags: content.tags.clone(),
        summary: content.summary.clone(),
        owner: file.owner.clone(),
        is_owner_present: true,
        revision: 0,
        created_us: 0,
        created_by: String::new(),
        changed_us: 0,
        changed_by: String::new(),
        deleted_us: None,
        origin: Origin::File(path.to_owned()),
        level: Level::View,
        is_shared: !acl.is_empty(),
    };
    Some(Object { summary, content: content.clone(), acl })
}

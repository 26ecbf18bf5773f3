//! Objects between the database and folders of files: export, and import with a plan before it.
//!
//! In: a store, a folder. Out: files that are always the same for the same objects, or a store that has what the files say.
//! Holds nothing. An import is one transaction: with one conflict nothing is changed. It deletes nothing: objects without a
//! file stay as they are.

use crate::{
    acl::{AclEntry, Level, Principal},
    database::{
        rows::{self, StoredObject},
        writes::{self, Stamp},
    },
    file::FileObject,
    id::ObjectId,
    object::Action,
    provisioned::{Problem, Provisioned},
    store::{Keep, Request, Store, StoreError, taken},
};
use rusqlite::Transaction;
use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// An effect of a file on the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The object is made.
    Create,
    /// The object is changed, or brought back.
    Change,
    /// The object is as the file says.
    Same,
}

/// One file of an import.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The file.
    pub path: PathBuf,
    /// The object.
    pub id: ObjectId,
    /// Its name.
    pub name: String,
    /// The effect.
    pub outcome: Outcome,
}

/// The reasons why a folder is not imported; nothing has changed.
#[derive(Debug)]
pub enum PlanError {
    /// There is no such folder.
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Files have faults: all of them are named.
    Files(Vec<Problem>),
    /// The store refuses a file.
    Store {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: StoreError,
    },
    /// The database failed.
    Database(StoreError),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoFolder { path } => write!(f, "there is no folder {}", path.display()),
            PlanError::Files(problems) => {
                let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            PlanError::Store { path, source } => write!(f, "{}: {source}", path.display()),
            PlanError::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlanError {}

/// Says what an import of a folder would do.
pub fn plan(store: &Store, request: &Request<'_>, folder: &Path) -> Result<Vec<Step>, PlanError> {
    import(store, request, folder, Keep::Undo)
}

/// Imports a folder. Objects keep the ids, owners and people of their files; one without people is for everyone to view.
pub fn apply(store: &Store, request: &Request<'_>, folder: &Path) -> Result<Vec<Step>, PlanError> {
    import(store, request, folder, Keep::Commit)
}

fn import(store: &Store, request: &Request<'_>, folder: &Path, keep: Keep) -> Result<Vec<Step>, PlanError> {
    if !folder.is_dir() {
        return Err(PlanError::NoFolder { path: folder.to_owned() });
    }
    let read = Provisioned::read(folder);
    if !read.problems.is_empty() {
        return Err(PlanError::Files(read.problems));
    }
    let nothing = |_: &crate::object::Change| Ok(());
    let silent = Request { record: &nothing, ..*request };
    let request = if keep == Keep::Commit { request } else { &silent };
    let mut refused = None;
    let steps = store.transfer(keep, |transaction| {
        let mut steps = Vec::new();
        for (id, (path, file)) in &read.objects {
            let outcome = put(transaction, request, file);
            let outcome = outcome.inspect_err(|_| refused = Some(path.clone()))?;
            steps.push(Step { path: path.clone(), id: id.clone(), name: file.content.name.clone(), outcome });
        }
        Ok(steps)
    });
    steps.map_err(|source| match refused {
        Some(path) => PlanError::Store { path, source },
        None => PlanError::Database(source),
    })
}

/// Writes the object of a file.
fn put(
    transaction: &Transaction<'_>,
    request: &Request<'_>,
    file: &FileObject,
) -> Result<Outcome, StoreError> {
    let everyone = || vec![AclEntry { principal: Principal::Everyone, level: Level::View }];
    let acl = file.acl.clone().unwrap_or_else(everyone);
    let known = rows::by_id(transaction, &file.id).map_err(StoreError::of)?;
    let user = request.caller.user.clone();
    let fresh = StoredObject {
        id: file.id.clone(),
        owner: file.owner.clone(),
        content: file.content.clone(),
        revision: 1,
        created_us: request.now_us,
        created_by: user.clone(),
        changed_us: request.now_us,
        changed_by: user,
        deleted_us: None,
    };
    let (next, action) = match known {
        None => (fresh, Action::Create),
        Some(known) => {
            let people = rows::acl(transaction, &file.id).map_err(StoreError::of)?;
            let is_same = known.content == file.content && known.owner == file.owner && people == acl;
            if is_same && known.deleted_us.is_none() {
                return Ok(Outcome::Same);
            }
            if known.content.kind != file.content.kind {
                return Err(StoreError::Kind);
            }
            let action = if known.deleted_us.is_some() { Action::Restore } else { Action::Change };
            let StoredObject { revision, created_us, created_by, .. } = known;
            (StoredObject { revision: revision + 1, created_us, created_by, ..fresh }, action)
        }
    };
    let stamp = Stamp { action, comment: "" };
    let written = match action {
        Action::Create => writes::insert(transaction, &next, &stamp),
        _ => writes::update(transaction, &next, &stamp),
    };
    written.map_err(|error| taken(error, &next.content))?;
    writes::share(transaction, &next.id, &acl).map_err(StoreError::of)?;
    request.record(&next, action, Some((next.owner.clone(), acl)))?;
    Ok(if action == Action::Create { Outcome::Create } else { Outcome::Change })
}

/// Writes all objects of the database into a folder, one file each, and returns their paths. Files of other objects stay.
pub fn export(store: &Store, folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let files = store.transfer(Keep::Undo, |transaction| {
        let mut ids = Vec::new();
        rows::each(transaction, None, |object| {
            if object.deleted_us.is_none() {
                ids.push(object.id);
            }
        })
        .map_err(StoreError::of)?;
        ids.sort_unstable();
        let mut files = Vec::new();
        for id in ids {
            let stored =
                rows::by_id(transaction, &id).map_err(StoreError::of)?.ok_or(StoreError::NotFound)?;
            let acl = Some(rows::acl(transaction, &id).map_err(StoreError::of)?);
            files.push(FileObject { id, owner: stored.owner, acl, content: stored.content });
        }
        Ok(files)
    });
    let files = files.map_err(ExportError::Store)?;
    let failed = |path: &Path, source| ExportError::Io { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let mut paths = Vec::new();
    for file in files {
        let path = folder.join(file.file_name());
        replace(&path, &file.encode()).map_err(|source| failed(&path, source))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Replaces a file in one step.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    // Queries may name people: others need not read them.
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o640).open(&fresh)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(path.parent().unwrap_or(path))?.sync_all()
}

/// The reasons why objects are not exported.
#[derive(Debug)]
pub enum ExportError {
    /// The store cannot be read.
    Store(StoreError),
    /// A file or the folder cannot be written.
    Io {
        /// The file or the folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Store(error) => error.fmt(f),
            ExportError::Io { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for ExportError {}

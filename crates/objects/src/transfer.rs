//! Objects between the database and files: export, and import with a plan before it.
//!
//! In: a store, files. Out: files that are always the same for the same objects, or a store that has what the files say.
//! Holds nothing. An import is one transaction: with one conflict nothing is changed. It deletes nothing: objects without a
//! file stay as they are. Limits: [`FILES_BYTES_MAX`] for all files of an export.

mod folder;

pub use folder::{FolderError, read_folder, write_folder};

use crate::{
    acl::{AclEntry, Level, Principal, UserId, Users},
    content::Content,
    database::{
        rows::{self, StoredObject},
        writes::{self, Stamp},
    },
    file::{FileError, FileFault, FileObject, ObjectFile},
    id::ObjectId,
    limits::FILES_BYTES_MAX,
    object::Action,
    provisioned::{Problem, ProblemReason, Provisioned},
    store::{Keep, Request, Store, StoreError, is_meant, one_more, taken},
};
use rusqlite::Transaction;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fmt,
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
    /// Its kind.
    pub kind: &'static str,
    /// The effect.
    pub outcome: Outcome,
    /// The members that a change gives other values, such as `name` or `spec.query`; `deleted` for an object that comes
    /// back.
    pub members: Vec<String>,
}

/// The reasons why files are not imported; nothing has changed.
#[derive(Debug)]
pub enum PlanError {
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

/// Says what an import of files would do.
pub fn plan(store: &Store, request: &Request<'_>, files: &[ObjectFile]) -> Result<Vec<Step>, PlanError> {
    import(store, request, files, Keep::Undo)
}

/// Imports files. Objects keep the ids, owners and people of their files; one without people is for everyone to view.
pub fn apply(store: &Store, request: &Request<'_>, files: &[ObjectFile]) -> Result<Vec<Step>, PlanError> {
    import(store, request, files, Keep::Commit)
}

fn import(
    store: &Store,
    request: &Request<'_>,
    files: &[ObjectFile],
    keep: Keep,
) -> Result<Vec<Step>, PlanError> {
    let mut read = Provisioned::of_files(files);
    name_unknown(store.users(), files, &mut read);
    if !read.problems.is_empty() {
        return Err(PlanError::Files(read.problems));
    }
    if let Some((path, kept)) =
        read.objects.iter().find_map(|(id, (path, _))| Some((path, store.file_of(id)?)))
    {
        return Err(PlanError::Store { path: path.clone(), source: StoreError::ReadOnly { path: kept } });
    }
    let nothing = |_: &crate::object::Change| Ok(());
    let silent = Request { record: &nothing, ..*request };
    let request = if keep == Keep::Commit { request } else { &silent };
    let mut refused = None;
    let steps = store.transfer(keep, |transaction| {
        let mut steps = Vec::new();
        for (path, file) in read.objects.values() {
            let done = store
                .refuse_taken(file.content.kind, &file.id)
                .and_then(|()| put(store.users(), transaction, request, file));
            let (outcome, members) = done.inspect_err(|_| refused = Some(path.clone()))?;
            let (id, name, kind) = (file.id.clone(), file.content.name.clone(), file.content.kind.name);
            steps.push(Step { path: path.clone(), id, name, kind, outcome, members });
        }
        Ok(steps)
    });
    let mut steps = steps.map_err(|source| match refused {
        Some(path) => PlanError::Store { path, source },
        None => PlanError::Database(source),
    })?;
    steps.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(steps)
}

/// Adds the problems of files that name people whom the server does not have.
fn name_unknown(users: &dyn Users, files: &[ObjectFile], read: &mut Provisioned) {
    for (path, file) in read.objects.values() {
        let is_unknown = |id: &&UserId| users.id_of(id.name()).is_none();
        let people = file.acl.iter().flatten().filter_map(|entry| match &entry.principal {
            Principal::User(id) => Some(id),
            Principal::Everyone => None,
        });
        let owner = Some(&file.owner).filter(|owner| !owner.is_nobody());
        let unknown = match owner.filter(is_unknown) {
            Some(id) => Some(("owner", id)),
            None => people.into_iter().find(is_unknown).map(|id| ("acl", id)),
        };
        if let Some((member, id)) = unknown {
            let fault = FileFault::NoUser { member, name: id.name().to_owned() };
            let text = files.iter().find(|file| file.path == *path).map_or(&[][..], |file| &file.bytes);
            let reason = ProblemReason::Content(FileError::of_member(text, fault));
            read.problems.push(Problem { path: path.clone(), reason });
        }
    }
}

/// The same with the ids of the people; without those whom the server does not have any more.
fn with_ids(users: &dyn Users, file: &FileObject) -> (UserId, Vec<AclEntry>) {
    let everyone = || vec![AclEntry { principal: Principal::Everyone, level: Level::View }];
    let acl = file.acl.clone().unwrap_or_else(everyone);
    let known = |entry: AclEntry| match entry.principal {
        Principal::Everyone => Some(entry),
        Principal::User(id) => {
            users.id_of(id.name()).map(|id| AclEntry { principal: Principal::User(id), ..entry })
        }
    };
    let owner = users.id_of(file.owner.name()).unwrap_or_default();
    (owner, acl.into_iter().filter_map(known).collect())
}

/// The members of an object that a file gives other values.
fn changed(known: &StoredObject, people: &[AclEntry], file: &FileObject, fresh: &Sharing) -> Vec<String> {
    let (old, new): (&Content, &Content) = (&known.content, &file.content);
    let plain = [
        ("deleted", known.deleted_us.is_some()),
        ("name", old.name != new.name),
        ("folder", old.folder != new.folder),
        ("description", old.description != new.description),
        ("tags", old.tags != new.tags),
        ("owner", known.owner != fresh.owner),
        ("acl", people != fresh.acl),
    ];
    let mut members: Vec<String> =
        plain.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect();
    if let (Value::Object(old), Value::Object(new)) = (&old.spec, &new.spec) {
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
        members.extend(differing.map(|name| format!("spec.{name}")));
    }
    // The files differ in no member that has a name: then in the version of their form.
    if members.is_empty() && old != new {
        members.push("spec".to_owned());
    }
    members
}

/// The owner and the people of an object, by their ids.
struct Sharing {
    owner: UserId,
    acl: Vec<AclEntry>,
}

/// Writes the object of a file.
fn put(
    users: &dyn Users,
    transaction: &Transaction<'_>,
    request: &Request<'_>,
    file: &FileObject,
) -> Result<(Outcome, Vec<String>), StoreError> {
    let (owner, acl) = with_ids(users, file);
    let mut sharing = Sharing { owner, acl };
    let known = rows::by_id(transaction, &file.id).map_err(StoreError::of)?;
    let user = request.caller.user.name().to_owned();
    let fresh = StoredObject {
        id: file.id.clone(),
        owner: UserId::nobody(),
        content: file.content.clone(),
        revision: 1,
        created_us: request.now_us,
        created_by: user.clone(),
        changed_us: request.now_us,
        changed_by: user,
        deleted_us: None,
    };
    let (next, action, members) = match known {
        None => (fresh, Action::Create, Vec::new()),
        Some(known) => {
            let mut people = rows::acl(transaction, &file.id).map_err(StoreError::of)?;
            people.retain(|entry| is_meant(users, entry));
            // A file of an object whose owner was removed names nobody; the object is still theirs, and of nobody else.
            if sharing.owner.is_nobody() && !users.is_present(&known.owner) {
                sharing.owner = known.owner.clone();
            }
            let members = changed(&known, &people, file, &sharing);
            if members.is_empty() {
                return Ok((Outcome::Same, members));
            }
            if known.content.kind != file.content.kind {
                return Err(StoreError::Kind);
            }
            let action = if known.deleted_us.is_some() { Action::Restore } else { Action::Change };
            let StoredObject { revision, created_us, created_by, .. } = known;
            (StoredObject { revision: revision + 1, created_us, created_by, ..fresh }, action, members)
        }
    };
    let stamp = Stamp { action, comment: "" };
    let next = StoredObject { owner: sharing.owner, ..next };
    let acl = sharing.acl;
    if action != Action::Change || members.iter().any(|member| member == "owner") {
        one_more(transaction, next.content.kind, &next.owner)?;
    }
    let written = match action {
        Action::Create => writes::insert(transaction, &next, &stamp),
        _ => writes::update(transaction, &next, &stamp),
    };
    written.map_err(|error| taken(error, &next.content))?;
    writes::share(transaction, &next.id, &acl).map_err(StoreError::of)?;
    request.record(&next, action, Some((next.owner.clone(), acl)))?;
    Ok((if action == Action::Create { Outcome::Create } else { Outcome::Change }, members))
}

/// Returns all objects of the database as files, one each, sorted by name.
pub fn export(store: &Store) -> Result<Vec<ObjectFile>, StoreError> {
    let mut files = store.transfer(Keep::Undo, |transaction| {
        let mut ids = Vec::new();
        rows::each(transaction, None, |object| {
            if object.deleted_us.is_none() {
                ids.push(object.id);
            }
        })
        .map_err(StoreError::of)?;
        let (mut files, mut size) = (Vec::new(), 0);
        for id in ids {
            let stored =
                rows::by_id(transaction, &id).map_err(StoreError::of)?.ok_or(StoreError::NotFound)?;
            let mut acl = rows::acl(transaction, &id).map_err(StoreError::of)?;
            acl.retain(|entry| is_meant(store.users(), entry));
            let is_owned = store.users().is_present(&stored.owner);
            let owner = if is_owned { stored.owner.by_name() } else { UserId::nobody() };
            let file = FileObject { id, owner, acl: Some(acl), content: stored.content };
            let (path, bytes) = (Path::new(&file.file_name()).to_owned(), file.encode());
            size += bytes.len();
            if size > FILES_BYTES_MAX {
                return Err(StoreError::ExportSize);
            }
            files.push(ObjectFile { path, bytes });
        }
        Ok(files)
    })?;
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

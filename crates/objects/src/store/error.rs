//! The reasons why the store refuses a request.

use crate::{acl::Level, id::IdError, kind::Kind, limits, object::Object, provisioned::BUILT_IN};
use rusqlite::ErrorCode;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// The reasons why a request is refused, or fails.
#[derive(Debug)]
pub enum StoreError {
    /// There is no usable database.
    Unavailable {
        /// The reason.
        what: String,
    },
    /// There is no such object, or the caller may not see it.
    NotFound,
    /// The object was deleted: it has to be restored first.
    Deleted,
    /// The caller may see the object, and not do this.
    Forbidden {
        /// The level that is needed.
        needs: Level,
    },
    /// Only administrators may list the objects of all users.
    NotAdministrator,
    /// The object is that of a file.
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else has changed the object meanwhile.
    Changed {
        /// The object as it is now.
        current: Box<Object>,
        /// The object as the caller has seen it; none when that version is gone.
        base: Option<Box<Object>>,
    },
    /// The owner has another object of that kind and name in the folder.
    NameTaken {
        /// The name.
        name: String,
        /// The folder.
        folder: String,
    },
    /// The kind of an object cannot be changed.
    Kind,
    /// There are too many people, one is there twice, or the owner is no name of a user.
    People,
    /// The remark is too long.
    Comment,
    /// The owner has too many objects.
    TooMany,
    /// The owner, or all owners together, have too many objects of the kind.
    TooManyOfKind(Kind),
    /// A file of another folder has something of that id, which counts.
    IdTaken {
        /// The file.
        path: PathBuf,
    },
    /// The files of an export would be too large.
    ExportSize,
    /// The disk is full, or the database has reached its limit.
    Full,
    /// Another process has written for too long.
    Busy,
    /// The database is damaged.
    Damaged {
        /// The finding of SQLite.
        what: String,
    },
    /// SQLite failed.
    Sqlite {
        /// Its finding.
        what: String,
    },
    /// The change cannot be written into the ledger: it was not made.
    Record(io::Error),
    /// No id can be drawn.
    Id(IdError),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unavailable { what } => write!(f, "the database of objects cannot be used: {what}"),
            StoreError::NotFound => f.write_str("there is no such object"),
            StoreError::Deleted => f.write_str("the object was deleted; restore it first"),
            StoreError::Forbidden { needs } => write!(f, "the object is not shared with you to {needs} it"),
            StoreError::NotAdministrator => {
                f.write_str("only who may administer every logspace sees the objects of all users")
            }
            StoreError::ReadOnly { path } if path == Path::new(BUILT_IN) => {
                f.write_str("the object is a part of the program: copy it to change it")
            }
            StoreError::ReadOnly { path } => {
                write!(f, "the object is kept in {}: it is changed there", path.display())
            }
            StoreError::Changed { current, .. } => write!(
                f,
                "{} has changed the object meanwhile: it has revision {} now",
                current.summary.changed_by, current.summary.revision
            ),
            StoreError::NameTaken { name, folder } => match folder.as_str() {
                "" => write!(f, "its owner has another object with the name {name:?}"),
                folder => write!(f, "its owner has another object with the name {name:?} in {folder:?}"),
            },
            StoreError::Kind => f.write_str("the kind of an object stays the same"),
            StoreError::People => write!(
                f,
                "an object is shared with at most {} people, each once, and owned by a user",
                limits::ACL_ENTRIES_MAX
            ),
            StoreError::Comment => {
                write!(f, "a remark has at most {} characters", limits::COMMENT_CHARS_MAX)
            }
            StoreError::TooMany => write!(
                f,
                "a user has at most {} objects, deleted ones included",
                limits::OBJECTS_PER_OWNER_MAX
            ),
            StoreError::TooManyOfKind(kind) => write!(
                f,
                "a user has at most {} objects of kind {}, all users together {}",
                kind.owner_max, kind.name, kind.total_max
            ),
            StoreError::IdTaken { path } => {
                write!(f, "{} has a rule with the id of the object: it is changed there", path.display())
            }
            StoreError::ExportSize => write!(
                f,
                "the files of all objects have more than {} bytes; copy the database instead",
                limits::FILES_BYTES_MAX
            ),
            StoreError::Full => f.write_str("no space is left for objects"),
            StoreError::Busy => f.write_str("another program is changing objects; try again"),
            StoreError::Damaged { what } => write!(f, "the database of objects is damaged: {what}"),
            StoreError::Sqlite { what } => write!(f, "the database of objects failed: {what}"),
            StoreError::Record(error) => write!(f, "the change cannot be written into the ledger: {error}"),
            StoreError::Id(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StoreError {}

impl StoreError {
    /// The meaning of an error of SQLite.
    pub(crate) fn of(error: rusqlite::Error) -> StoreError {
        let what = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged { what },
            _ => StoreError::Sqlite { what },
        }
    }
}

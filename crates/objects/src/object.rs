//! Objects as the store returns them, and the changes that are written into the ledger.

use crate::{
    acl::{AclEntry, Caller, Level, UserId},
    content::Content,
    id::ObjectId,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The origin of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Somebody made it on the page or with the API.
    Page,
    /// A file of the folder of objects; it can only be read.
    File(PathBuf),
}

/// An object without its specification.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The id.
    pub id: ObjectId,
    /// Name of the kind.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The folder; empty for none.
    pub folder: String,
    /// A text about it.
    pub description: String,
    /// Tags, sorted.
    pub tags: Vec<String>,
    /// One line that tells it apart; for a search, its query.
    pub summary: String,
    /// The account that owns it; nobody for a file that names none.
    pub owner: UserId,
    /// False when the account of the owner was removed.
    pub is_owner_present: bool,
    /// Counts the changes, from 1; 0 for a file.
    pub revision: u64,
    /// The time it was made, in microseconds since 1970; 0 for a file.
    pub created_us: i64,
    /// The user who made it; empty for a file.
    pub created_by: String,
    /// The time of the last change; 0 for a file.
    pub changed_us: i64,
    /// The user of the last change; empty for a file.
    pub changed_by: String,
    /// The time it was deleted, if it was.
    pub deleted_us: Option<i64>,
    /// Its origin.
    pub origin: Origin,
    /// The level of the caller.
    pub level: Level,
    /// True when anybody else may see it.
    pub is_shared: bool,
}

/// An object.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// All but the specification and the people.
    pub summary: Summary,
    /// The content.
    pub content: Content,
    /// The people that it is shared with; those whose accounts were removed are left out.
    pub acl: Vec<AclEntry>,
}

impl Object {
    /// The tag of its present state, for `ETag` and `If-Match`. That of a file is no state: it cannot be changed here.
    pub fn etag(&self) -> String {
        match self.summary.origin {
            Origin::Page => format!("\"{}\"", self.summary.revision),
            Origin::File(_) => "\"file\"".to_owned(),
        }
    }

    /// Returns true if a caller sees the object because it is theirs or shared with them, and not only as an administrator.
    pub fn is_shared_with(&self, caller: &Caller) -> bool {
        let (owner, acl) = (&self.summary.owner, &self.acl);
        let level = match self.summary.origin {
            Origin::Page => caller.own_level(owner, acl),
            Origin::File(_) => caller.level_by_name(owner, acl),
        };
        level.is_some()
    }
}

/// One version of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Version {
    /// The revision that the change made.
    pub revision: u64,
    /// The change.
    pub action: Action,
    /// The time of the change, in microseconds since 1970.
    pub changed_us: i64,
    /// The user.
    pub changed_by: String,
    /// The user's remark; empty for none.
    pub comment: String,
    /// The name that the object had.
    pub name: String,
    /// The folder that it was in.
    pub folder: String,
}

/// The changes of objects.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was made.
    Create,
    /// Its content was changed.
    Change,
    /// The people or the owner were changed.
    Share,
    /// It was deleted, and can be restored.
    Delete,
    /// It came back, or an earlier version of it did.
    Restore,
    /// It was removed for good, a month after it was deleted.
    Purge,
}

impl Action {
    /// All actions.
    pub(crate) const ALL: [Action; 6] =
        [Action::Create, Action::Change, Action::Share, Action::Delete, Action::Restore, Action::Purge];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Change => "change",
            Action::Share => "share",
            Action::Delete => "delete",
            Action::Restore => "restore",
            Action::Purge => "purge",
        }
    }
}

/// A change that is about to become durable.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The change.
    pub action: Action,
    /// The object.
    pub id: ObjectId,
    /// Its kind.
    pub kind: String,
    /// Its name after the change.
    pub name: String,
    /// The revision that it gets.
    pub revision: u64,
    /// The people and the owner after the change, when that is what changes.
    pub shared: Option<(UserId, Vec<AclEntry>)>,
}

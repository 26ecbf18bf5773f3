//! Objects made, changed, shared, deleted and restored.
//!
//! Each change is one transaction and one version. It begins with the state that the caller has seen: if somebody else was
//! faster, nothing is changed and the caller gets both states.

use super::{Expected, Request, Store, StoreError, Target, query::visible, seen};
use crate::{
    acl::{AclEntry, Level, UserId},
    content::Content,
    database::{
        rows::{self, StoredObject},
        writes::{self, Stamp},
    },
    file::sorted,
    id::ObjectId,
    kind::Kind,
    limits,
    object::{Action, Change, Object},
};
use rusqlite::{ErrorCode, Transaction};

impl Store {
    /// Makes an object, which its maker owns and nobody else sees.
    pub fn create(
        &self,
        request: &Request<'_>,
        content: Content,
        comment: &str,
    ) -> Result<Object, StoreError> {
        checked(comment)?;
        let caller = request.caller;
        let id = ObjectId::draw(request.now_us).map_err(StoreError::Id)?;
        let stored = StoredObject {
            id,
            owner: caller.user.clone(),
            content,
            revision: 1,
            created_us: request.now_us,
            created_by: caller.user.name().to_owned(),
            changed_us: request.now_us,
            changed_by: caller.user.name().to_owned(),
            deleted_us: None,
        };
        self.write(|transaction| {
            if rows::count(transaction, &caller.user).map_err(StoreError::of)?
                >= limits::OBJECTS_PER_OWNER_MAX
            {
                return Err(StoreError::TooMany);
            }
            one_more(transaction, stored.content.kind, &stored.owner)?;
            let stamp = Stamp { action: Action::Create, comment };
            writes::insert(transaction, &stored, &stamp).map_err(|error| taken(error, &stored.content))?;
            request.record(&stored, Action::Create, None)?;
            Ok(seen(self.users(), stored, Vec::new(), Level::Own))
        })
    }

    /// Gives an object another content.
    pub fn change(
        &self,
        request: &Request<'_>,
        target: &Target,
        content: Content,
        comment: &str,
    ) -> Result<Object, StoreError> {
        checked(comment)?;
        self.update(request, target, Level::Edit, |_, mut stored, acl, level| {
            if stored.deleted_us.is_some() {
                return Err(StoreError::Deleted);
            }
            if stored.content.kind != content.kind {
                return Err(StoreError::Kind);
            }
            stored.content = content;
            Ok(Next { stored, acl, level, stamp: Stamp { action: Action::Change, comment } })
        })
    }

    /// Deletes an object; it can be restored for [`limits::DELETED_KEPT_US`]. Objects that were deleted earlier than that
    /// are removed for good.
    pub fn delete(&self, request: &Request<'_>, target: &Target) -> Result<Object, StoreError> {
        self.update(request, target, Level::Edit, |transaction, mut stored, acl, level| {
            if stored.deleted_us.is_some() {
                return Err(StoreError::Deleted);
            }
            stored.deleted_us = Some(request.now_us);
            purge(transaction, request)?;
            Ok(Next { stored, acl, level, stamp: Stamp { action: Action::Delete, comment: "" } })
        })
    }

    /// Brings a deleted object back; with a revision, the content that the object had then.
    pub fn restore(
        &self,
        request: &Request<'_>,
        target: &Target,
        revision: Option<u64>,
    ) -> Result<Object, StoreError> {
        self.update(request, target, Level::Edit, |transaction, mut stored, acl, level| {
            if let Some(revision) = revision {
                let earlier = rows::at_revision(transaction, &target.id, revision).map_err(StoreError::of)?;
                stored.content = earlier.ok_or(StoreError::NotFound)?.content;
            }
            if stored.deleted_us.is_some() {
                one_more(transaction, stored.content.kind, &stored.owner)?;
            }
            stored.deleted_us = None;
            Ok(Next { stored, acl, level, stamp: Stamp { action: Action::Restore, comment: "" } })
        })
    }

    /// Shares an object with people, and gives it to another owner.
    pub fn share(
        &self,
        request: &Request<'_>,
        target: &Target,
        acl: Vec<AclEntry>,
        owner: Option<UserId>,
    ) -> Result<Object, StoreError> {
        let acl = sorted(acl).ok_or(StoreError::People)?;
        self.update(request, target, Level::Own, |transaction, mut stored, _, level| {
            if stored.deleted_us.is_some() {
                return Err(StoreError::Deleted);
            }
            if let Some(owner) = owner.filter(|owner| *owner != stored.owner) {
                if owner.is_nobody() {
                    return Err(StoreError::People);
                }
                if rows::count(transaction, &owner).map_err(StoreError::of)? >= limits::OBJECTS_PER_OWNER_MAX
                {
                    return Err(StoreError::TooMany);
                }
                if rows::count_of_kind(transaction, stored.content.kind, &owner).map_err(StoreError::of)?.0
                    >= stored.content.kind.owner_max
                {
                    return Err(StoreError::TooManyOfKind(stored.content.kind));
                }
                stored.owner = owner;
            }
            writes::share(transaction, &stored.id, &acl).map_err(StoreError::of)?;
            Ok(Next { stored, acl, level, stamp: Stamp { action: Action::Share, comment: "" } })
        })
    }

    /// Changes an object of the database, if the caller has the level and has seen its present state.
    fn update<'c>(
        &self,
        request: &Request<'_>,
        target: &Target,
        needs: Level,
        change: impl FnOnce(&Transaction<'_>, StoredObject, Vec<AclEntry>, Level) -> Result<Next<'c>, StoreError>,
    ) -> Result<Object, StoreError> {
        if let Some((path, _)) = self.provisioned().objects.get(&target.id) {
            let path = path.clone();
            return self.object(request.caller, &target.id).and(Err(StoreError::ReadOnly { path }));
        }
        self.write(|transaction| {
            let (stored, acl, level) = visible(transaction, request.caller, &target.id)?;
            if level < needs {
                return Err(StoreError::Forbidden { needs });
            }
            if let Expected::Revision(revision) = target.expected
                && revision != stored.revision
            {
                let base = rows::at_revision(transaction, &target.id, revision).map_err(StoreError::of)?;
                let base = base.map(|base| Box::new(seen(self.users(), base, acl.clone(), level)));
                let current = Box::new(seen(self.users(), stored, acl, level));
                return Err(StoreError::Changed { current, base });
            }
            let revision = stored.revision + 1;
            let mut next = change(transaction, stored, acl, level)?;
            if matches!(next.stamp.action, Action::Change | Action::Restore) {
                self.refuse_taken(next.stored.content.kind, &target.id)?;
            }
            next.stored.revision = revision;
            next.stored.changed_us = request.now_us;
            next.stored.changed_by = request.caller.user.name().to_owned();
            let Next { stored, acl, level, stamp } = next;
            writes::update(transaction, &stored, &stamp).map_err(|error| taken(error, &stored.content))?;
            let shared = (stamp.action == Action::Share).then(|| (stored.owner.clone(), acl.clone()));
            request.record(&stored, stamp.action, shared)?;
            Ok(seen(self.users(), stored, acl, level))
        })
    }
}

/// The next state of an object.
struct Next<'c> {
    stored: StoredObject,
    acl: Vec<AclEntry>,
    level: Level,
    stamp: Stamp<'c>,
}

impl Request<'_> {
    /// Writes a change into the ledger.
    pub(crate) fn record(
        &self,
        stored: &StoredObject,
        action: Action,
        shared: Option<(UserId, Vec<AclEntry>)>,
    ) -> Result<(), StoreError> {
        let change = Change {
            action,
            id: stored.id.clone(),
            kind: stored.content.kind.name.to_owned(),
            name: stored.content.name.clone(),
            revision: stored.revision,
            shared,
        };
        (self.record)(&change).map_err(StoreError::Record)
    }
}

/// Refuses an object more than the limits of its kind allow.
pub(crate) fn one_more(transaction: &Transaction<'_>, kind: Kind, owner: &UserId) -> Result<(), StoreError> {
    let (of_owner, of_all) = rows::count_of_kind(transaction, kind, owner).map_err(StoreError::of)?;
    let is_room = of_owner < kind.owner_max && of_all < kind.total_max;
    if is_room { Ok(()) } else { Err(StoreError::TooManyOfKind(kind)) }
}

/// Removes the objects that were deleted long ago.
fn purge(transaction: &Transaction<'_>, request: &Request<'_>) -> Result<(), StoreError> {
    let before_us = request.now_us.saturating_sub(limits::DELETED_KEPT_US);
    for (id, gone) in rows::deleted_before(transaction, before_us).map_err(StoreError::of)? {
        writes::remove(transaction, &id).map_err(StoreError::of)?;
        let rows::Gone { kind, name, revision } = gone;
        let change = Change { action: Action::Purge, id, kind, name, revision, shared: None };
        (request.record)(&change).map_err(StoreError::Record)?;
    }
    Ok(())
}

fn checked(comment: &str) -> Result<(), StoreError> {
    let is_short = comment.chars().count() <= limits::COMMENT_CHARS_MAX;
    if is_short { Ok(()) } else { Err(StoreError::Comment) }
}

/// The meaning of an error while an object is written: the only value that has to be unique is the name.
pub(crate) fn taken(error: rusqlite::Error, content: &Content) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => {
            StoreError::NameTaken { name: content.name.clone(), folder: content.folder.clone() }
        }
        _ => StoreError::of(error),
    }
}

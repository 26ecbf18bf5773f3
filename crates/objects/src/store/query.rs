//! Objects read: lists, single objects, their versions.

use super::{Filter, Ownership, Presence, Store, StoreError, level, seen, seen_file};
use crate::{
    acl::{AclEntry, Caller, Level, Users},
    database::rows::{self, StoredObject},
    id::ObjectId,
    limits::LISTED_MAX,
    object::{Object, Origin, Summary, Version},
};
use rusqlite::Transaction;
use std::collections::HashMap;

impl Store {
    /// Lists objects by folder and name. Without a usable database only those of files; [`Store::troubles`] says why.
    pub fn list(&self, caller: &Caller, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        if filter.ownership == Ownership::All && !caller.is_administrator {
            return Err(StoreError::NotAdministrator);
        }
        let provisioned = self.provisioned();
        let files =
            provisioned.objects.iter().filter_map(|(id, (path, file))| seen_file(caller, id, path, file));
        let is_wanted = |object: &Summary| match filter.ownership {
            // Files name people, the account that has the name now.
            Ownership::Mine => object.owner.name() == caller.user.name(),
            Ownership::Visible | Ownership::All => true,
        };
        let mut found: Vec<Summary> = files.map(|object| object.summary).collect();
        found.retain(|object| is_wanted(object) && filter.fits(object));
        let stored = match self.read(|transaction| stored(self.users(), transaction, caller, filter)) {
            Err(StoreError::Unavailable { .. }) => Vec::new(),
            stored => stored?,
        };
        found.extend(stored.into_iter().filter(|object| !provisioned.objects.contains_key(&object.id)));
        let key =
            |object: &Summary| (object.folder.to_lowercase(), object.name.to_lowercase(), object.id.clone());
        found.sort_by_cached_key(key);
        found.truncate(filter.limit.min(LISTED_MAX));
        Ok(found)
    }

    /// Returns an object. A deleted one is there for those who may restore it.
    pub fn object(&self, caller: &Caller, id: &ObjectId) -> Result<Object, StoreError> {
        if let Some((path, file)) = self.provisioned().objects.get(id) {
            return seen_file(caller, id, path, file).ok_or(StoreError::NotFound);
        }
        self.read(|transaction| {
            let (stored, acl, level) = visible(transaction, caller, id)?;
            Ok(seen(self.users(), stored, acl, level))
        })
    }

    /// Lists the versions of an object, the newest first; the object of a file has none.
    pub fn versions(&self, caller: &Caller, id: &ObjectId) -> Result<Vec<Version>, StoreError> {
        if let Origin::File(_) = self.object(caller, id)?.summary.origin {
            return Ok(Vec::new());
        }
        self.read(|transaction| {
            visible(transaction, caller, id)?;
            rows::versions(transaction, id).map_err(StoreError::of)
        })
    }

    /// Returns an object as it was at a revision.
    pub fn version(&self, caller: &Caller, id: &ObjectId, revision: u64) -> Result<Object, StoreError> {
        if let Origin::File(_) = self.object(caller, id)?.summary.origin {
            return Err(StoreError::NotFound);
        }
        self.read(|transaction| {
            let (_, acl, level) = visible(transaction, caller, id)?;
            let earlier = rows::at_revision(transaction, id, revision).map_err(StoreError::of)?;
            Ok(seen(self.users(), earlier.ok_or(StoreError::NotFound)?, acl, level))
        })
    }
}

/// Lists objects of the database.
fn stored(
    users: &dyn Users,
    transaction: &Transaction<'_>,
    caller: &Caller,
    filter: &Filter,
) -> Result<Vec<Summary>, StoreError> {
    let mut acl: HashMap<String, Vec<AclEntry>> = HashMap::new();
    for (id, entry) in rows::all_acl(transaction).map_err(StoreError::of)? {
        acl.entry(id).or_default().push(entry);
    }
    let owner = (filter.ownership == Ownership::Mine).then_some(&caller.user);
    let mut found = Vec::new();
    let take = |object: StoredObject| {
        let acl = acl.remove(object.id.as_str()).unwrap_or_default();
        let shared = caller.own_level(&object.owner, &acl);
        // Other people's private objects are in no list of an administrator who has not asked for them.
        let level = match filter.ownership {
            Ownership::All => Some(Level::Own),
            Ownership::Visible | Ownership::Mine => {
                shared.map(|shared| if caller.is_administrator { Level::Own } else { shared })
            }
        };
        let Some(level) = level else { return };
        let object = seen(users, object, acl, level).summary;
        if filter.fits(&object) && (filter.presence == Presence::Present || level >= Level::Edit) {
            found.push(object);
        }
    };
    rows::each(transaction, owner, take).map_err(StoreError::of)?;
    Ok(found)
}

/// Returns an object that the caller may see, its people, and the caller's level.
pub(super) fn visible(
    transaction: &Transaction<'_>,
    caller: &Caller,
    id: &ObjectId,
) -> Result<(StoredObject, Vec<AclEntry>, Level), StoreError> {
    let stored = rows::by_id(transaction, id).map_err(StoreError::of)?.ok_or(StoreError::NotFound)?;
    let acl = rows::acl(transaction, id).map_err(StoreError::of)?;
    let own = caller.own_level(&stored.owner, &acl);
    let level = level(caller, own).ok_or(StoreError::NotFound)?;
    if stored.deleted_us.is_some() && level < Level::Edit {
        return Err(StoreError::NotFound);
    }
    Ok((stored, acl, level))
}

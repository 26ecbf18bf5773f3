//! Rows of the tables, written; inside a transaction of the caller.
//!
//! In: a connection, objects. Out: changed tables. Holds nothing. Versions are only added, and the oldest ones beyond
//! [`VERSIONS_MAX`] removed.

use super::rows::{StoredObject, number};
use crate::{acl::AclEntry, id::ObjectId, limits::VERSIONS_MAX, object::Action};
use rusqlite::{Connection, params};

/// A change, as its version names it.
pub(crate) struct Stamp<'a> {
    pub(crate) action: Action,
    pub(crate) comment: &'a str,
}

/// Adds an object, with its first version.
pub(crate) fn insert(
    connection: &Connection,
    object: &StoredObject,
    stamp: &Stamp<'_>,
) -> rusqlite::Result<()> {
    let content = &object.content;
    let text = "INSERT INTO object (id, kind, folder, name, owner, revision, created_us, created_by, deleted_us) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)";
    connection.prepare_cached(text)?.execute(params![
        object.id.as_str(),
        content.kind.name,
        content.folder,
        content.name,
        object.owner.as_str(),
        number(object.revision),
        object.created_us,
        object.created_by
    ])?;
    version(connection, object, stamp)
}

/// Writes an object over its earlier state, with a version.
pub(crate) fn update(
    connection: &Connection,
    object: &StoredObject,
    stamp: &Stamp<'_>,
) -> rusqlite::Result<()> {
    let content = &object.content;
    let text =
        "UPDATE object SET folder = $1, name = $2, owner = $3, revision = $4, deleted_us = $5 WHERE id = $6";
    connection.prepare_cached(text)?.execute(params![
        content.folder,
        content.name,
        object.owner.as_str(),
        number(object.revision),
        object.deleted_us,
        object.id.as_str()
    ])?;
    version(connection, object, stamp)
}

fn version(connection: &Connection, object: &StoredObject, stamp: &Stamp<'_>) -> rusqlite::Result<()> {
    let content = &object.content;
    let text = "INSERT INTO object_version (object_id, revision, action, folder, name, description, tags, summary, \
        spec, spec_version, changed_us, changed_by, remark) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    connection.prepare_cached(text)?.execute(params![
        object.id.as_str(),
        number(object.revision),
        stamp.action.name(),
        content.folder,
        content.name,
        content.description,
        serde_json::Value::from(content.tags.clone()).to_string(),
        content.summary,
        content.spec.to_string(),
        content.spec_version,
        object.changed_us,
        object.changed_by,
        stamp.comment
    ])?;
    let oldest = object.revision.saturating_sub(VERSIONS_MAX);
    let text = "DELETE FROM object_version WHERE object_id = $1 AND revision <= $2";
    connection.prepare_cached(text)?.execute(params![object.id.as_str(), number(oldest)])?;
    Ok(())
}

/// Replaces the people that an object is shared with.
pub(crate) fn share(connection: &Connection, id: &ObjectId, acl: &[AclEntry]) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM acl WHERE object_id = $1")?.execute([id.as_str()])?;
    let text = "INSERT INTO acl (object_id, principal, level) VALUES ($1, $2, $3)";
    let mut insert = connection.prepare_cached(text)?;
    for entry in acl {
        insert.execute(params![id.as_str(), entry.principal.row(), entry.level.number()])?;
    }
    Ok(())
}

/// Removes an object for good, with its versions and people.
pub(crate) fn remove(connection: &Connection, id: &ObjectId) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM object WHERE id = $1")?.execute([id.as_str()])?;
    Ok(())
}

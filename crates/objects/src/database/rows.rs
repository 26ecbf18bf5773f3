//! Rows of the tables, read.
//!
//! In: a connection, an id or a filter. Out: objects as stored, without the rights of a caller. Holds nothing.

use crate::{
    acl::{AclEntry, Level, Principal, UserId},
    content::Content,
    id::ObjectId,
    kind::Kind,
    object::{Action, Version},
};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};
use std::str::FromStr;

/// An object as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject {
    pub(crate) id: ObjectId,
    pub(crate) owner: UserId,
    /// The content; its specification is null in lists.
    pub(crate) content: Content,
    pub(crate) revision: u64,
    pub(crate) created_us: i64,
    pub(crate) created_by: String,
    pub(crate) changed_us: i64,
    pub(crate) changed_by: String,
    pub(crate) deleted_us: Option<i64>,
}

/// The columns of an object's head, but its specification.
const HEAD: &str = "o.id, o.owner, o.kind, o.revision, o.created_us, o.created_by, o.deleted_us, \
    v.name, v.folder, v.description, v.tags, v.summary, v.spec_version, v.changed_us, v.changed_by";

/// A value of the database that no program of ours writes.
fn unreadable<E: std::error::Error + Send + Sync + 'static>(column: usize, error: E) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

/// Parses a text of a row.
fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    row.get::<_, String>(column)?.parse().map_err(|error| unreadable(column, error))
}

/// Reads a row of [`HEAD`] with the specification behind it.
fn object(row: &Row<'_>) -> rusqlite::Result<StoredObject> {
    let kind: Kind = parsed(row, 2)?;
    let tags: String = row.get(10)?;
    let spec: Option<String> = row.get(15)?;
    let json = |column, text: &str| serde_json::from_str(text).map_err(|error| unreadable(column, error));
    let content = Content {
        kind,
        name: row.get(7)?,
        folder: row.get(8)?,
        description: row.get(9)?,
        tags: serde_json::from_str(&tags).map_err(|error| unreadable(10, error))?,
        spec: spec.map_or(Ok(serde_json::Value::Null), |text| json(15, &text))?,
        spec_version: row.get(12)?,
        summary: row.get(11)?,
    };
    Ok(StoredObject {
        id: parsed(row, 0)?,
        owner: parsed(row, 1)?,
        content,
        revision: row.get::<_, i64>(3)?.unsigned_abs(),
        created_us: row.get(4)?,
        created_by: row.get(5)?,
        changed_us: row.get(13)?,
        changed_by: row.get(14)?,
        deleted_us: row.get(6)?,
    })
}

/// Returns an object with its specification, as its newest version has it.
pub(crate) fn by_id(connection: &Connection, id: &ObjectId) -> rusqlite::Result<Option<StoredObject>> {
    let text = format!(
        "SELECT {HEAD}, v.spec FROM object o \
         JOIN object_version v ON v.object_id = o.id AND v.revision = o.revision WHERE o.id = $1"
    );
    connection.prepare_cached(&text)?.query_row([id.as_str()], object).optional()
}

/// Returns an object as an earlier version of it was. Its owner is the present one.
pub(crate) fn at_revision(
    connection: &Connection,
    id: &ObjectId,
    revision: u64,
) -> rusqlite::Result<Option<StoredObject>> {
    let text = format!(
        "SELECT {HEAD}, v.spec FROM object o JOIN object_version v ON v.object_id = o.id \
         WHERE o.id = $1 AND v.revision = $2"
    );
    let found = connection.prepare_cached(&text)?.query_row(params![id.as_str(), number(revision)], object);
    Ok(found.optional()?.map(|found| StoredObject { revision, ..found }))
}

/// Calls `each` with every object of known kinds, without specifications; deleted ones as well.
pub(crate) fn each(
    connection: &Connection,
    owner: Option<&UserId>,
    mut each: impl FnMut(StoredObject),
) -> rusqlite::Result<()> {
    let condition = if owner.is_some() { "o.owner = $1" } else { "$1 = ''" };
    let text = format!(
        "SELECT {HEAD}, NULL FROM object o \
         JOIN object_version v ON v.object_id = o.id AND v.revision = o.revision WHERE {condition}"
    );
    let mut select = connection.prepare_cached(&text)?;
    let mut rows = select.query([owner.map_or("", UserId::as_str)])?;
    while let Some(row) = rows.next()? {
        // A newer program may have written kinds that are not known here.
        if row.get::<_, String>(2)?.parse::<Kind>().is_ok() {
            each(object(row)?);
        }
    }
    Ok(())
}

/// Returns the people that an object is shared with, sorted.
pub(crate) fn acl(connection: &Connection, id: &ObjectId) -> rusqlite::Result<Vec<AclEntry>> {
    let text = "SELECT principal, level FROM acl WHERE object_id = $1 ORDER BY principal";
    let mut select = connection.prepare_cached(text)?;
    let rows = select.query_map([id.as_str()], entry)?;
    rows.collect()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AclEntry> {
    let level = Level::of_number(row.get(1)?);
    let level = level.ok_or(rusqlite::Error::IntegralValueOutOfRange(1, row.get(1)?))?;
    let principal = Principal::of_row(&row.get::<_, String>(0)?).map_err(|error| unreadable(0, error))?;
    Ok(AclEntry { principal, level })
}

/// Returns all entries of all objects, by the id of the object.
pub(crate) fn all_acl(connection: &Connection) -> rusqlite::Result<Vec<(String, AclEntry)>> {
    let mut select =
        connection.prepare_cached("SELECT principal, level, object_id FROM acl ORDER BY object_id")?;
    let rows = select.query_map([], |row| Ok((row.get(2)?, entry(row)?)))?;
    rows.collect()
}

/// Lists the versions of an object, the newest first.
pub(crate) fn versions(connection: &Connection, id: &ObjectId) -> rusqlite::Result<Vec<Version>> {
    let text = "SELECT revision, action, changed_us, changed_by, remark, name, folder FROM object_version \
        WHERE object_id = $1 ORDER BY revision DESC";
    let mut select = connection.prepare_cached(text)?;
    let rows = select.query_map([id.as_str()], |row| {
        let action: String = row.get(1)?;
        let known = Action::ALL.into_iter().find(|known| known.name() == action);
        Ok(Version {
            revision: row.get::<_, i64>(0)?.unsigned_abs(),
            action: known.unwrap_or(Action::Change),
            changed_us: row.get(2)?,
            changed_by: row.get(3)?,
            comment: row.get(4)?,
            name: row.get(5)?,
            folder: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Returns the number of objects of an owner, with deleted ones.
pub(crate) fn count(connection: &Connection, owner: &UserId) -> rusqlite::Result<u64> {
    let count: i64 = connection
        .prepare_cached("SELECT COUNT(*) FROM object WHERE owner = $1")?
        .query_row([owner.as_str()], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Returns the number of objects of a kind that are there, of one owner and of all.
pub(crate) fn count_of_kind(
    connection: &Connection,
    kind: Kind,
    owner: &UserId,
) -> rusqlite::Result<(u64, u64)> {
    let text = "SELECT COUNT(CASE WHEN owner = $1 THEN 1 END), COUNT(*) FROM object \
        WHERE kind = $2 AND deleted_us IS NULL";
    let counts = connection.prepare_cached(text)?.query_row(params![owner.as_str(), kind.name], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    })?;
    Ok((counts.0.unsigned_abs(), counts.1.unsigned_abs()))
}

/// Returns the objects of a kind that are there, with their specifications, by id.
pub(crate) fn of_kind(connection: &Connection, kind: Kind) -> rusqlite::Result<Vec<StoredObject>> {
    let text = format!(
        "SELECT {HEAD}, v.spec FROM object o \
         JOIN object_version v ON v.object_id = o.id AND v.revision = o.revision \
         WHERE o.kind = $1 AND o.deleted_us IS NULL ORDER BY o.id"
    );
    let mut select = connection.prepare_cached(&text)?;
    select.query_map([kind.name], object)?.collect()
}

/// Lists the objects that were deleted before a time.
pub(crate) fn deleted_before(
    connection: &Connection,
    time_us: i64,
) -> rusqlite::Result<Vec<(ObjectId, Gone)>> {
    let text = "SELECT id, kind, name, revision FROM object WHERE deleted_us < $1";
    let mut select = connection.prepare_cached(text)?;
    let rows = select.query_map([time_us], |row| {
        let gone =
            Gone { kind: row.get(1)?, name: row.get(2)?, revision: row.get::<_, i64>(3)?.unsigned_abs() };
        Ok((parsed(row, 0)?, gone))
    })?;
    rows.collect()
}

/// An object that is about to be removed for good.
pub(crate) struct Gone {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) revision: u64,
}

/// A number as SQL has it.
pub(crate) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

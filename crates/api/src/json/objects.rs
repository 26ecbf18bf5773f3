//! Saved objects as JSON.
//!
//! In: objects of the store. Out: answers. Holds nothing. People and owner are in the answers for owners only.

pub(crate) mod files;

use objects::{AclEntry, Level, Object, Origin, Summary, Version};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// An object in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ObjectSummary {
    /// The id, a part of the permalink `/o/{id}`.
    id: String,
    /// The kind, `search`, `dashboard` or `rule`.
    kind: &'static str,
    /// The name.
    name: String,
    /// The folder, with `/` between the names; empty for none.
    folder: String,
    /// A text about it.
    description: String,
    /// Tags.
    tags: Vec<String>,
    /// One line that tells it apart; for a search, its query.
    summary: String,
    /// The user who owns it; empty for a file that names none.
    owner: String,
    /// True when the account of the owner was removed; another one of that name owns nothing of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    owner_removed: bool,
    /// Counts the changes; 0 for a file. `If-Match` takes it in quotes.
    revision: u64,
    /// The time it was made, microseconds since 1970; 0 for a file.
    created_us: i64,
    /// The user who made it.
    created_by: String,
    /// The time of the last change; 0 for a file.
    changed_us: i64,
    /// The user of the last change.
    changed_by: String,
    /// The time it was deleted; absent when it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_us: Option<i64>,
    /// The file that it is kept in; absent for others. It can only be read here.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The level of the caller: `view`, `edit` or `own`.
    level: &'static str,
    /// True when others may see it, too.
    shared: bool,
}

/// An object.
#[derive(Serialize, ToSchema)]
pub(crate) struct ObjectAnswer {
    #[serde(flatten)]
    summary: ObjectSummary,
    /// The specification, as its kind has it.
    #[schema(value_type = Object)]
    spec: Value,
    /// The version of the form of the specification.
    spec_version: u32,
    /// The people that it is shared with; for those who own it.
    #[serde(skip_serializing_if = "Option::is_none")]
    acl: Option<Vec<AclItem>>,
}

/// One of the people that an object is shared with.
#[derive(Serialize, Deserialize, ToSchema, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct AclItem {
    /// `everyone`, or `user:` and a name.
    pub(crate) principal: String,
    /// `view`, `edit` or `own`.
    #[schema(value_type = String)]
    pub(crate) level: Level,
}

/// A list of objects.
#[derive(Serialize, ToSchema)]
pub(crate) struct ObjectList {
    /// The objects, by folder and name.
    pub(crate) objects: Vec<ObjectSummary>,
    /// True when there are more than were asked for.
    pub(crate) more: bool,
}

/// The content of an object.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObjectRequest {
    /// The kind, `search`, `dashboard` or `rule`.
    pub(crate) kind: String,
    /// The name.
    pub(crate) name: String,
    /// The folder.
    #[serde(default)]
    pub(crate) folder: String,
    /// A text about it.
    #[serde(default)]
    pub(crate) description: String,
    /// Tags.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// The specification.
    #[schema(value_type = Object)]
    pub(crate) spec: Value,
    /// A remark about the change, for the list of versions.
    #[serde(default)]
    pub(crate) comment: String,
}

/// The people that an object is to be shared with.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AclDocument {
    /// The people.
    pub(crate) acl: Vec<AclItem>,
    /// The owner; left out in a request: the present one.
    pub(crate) owner: Option<String>,
}

/// The version to bring back.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreRequest {
    /// The revision whose content comes back; left out: the last one, of a deleted object.
    pub(crate) revision: Option<u64>,
}

/// A version of an object.
#[derive(Serialize, ToSchema)]
pub(crate) struct VersionAnswer {
    /// The revision that the change made.
    revision: u64,
    /// `create`, `change`, `share`, `delete`, `restore`.
    action: &'static str,
    /// The time, microseconds since 1970.
    changed_us: i64,
    /// The user.
    changed_by: String,
    /// The user's remark.
    comment: String,
    /// The name that the object had.
    name: String,
    /// The folder that it was in.
    folder: String,
}

/// The answer when somebody else was faster: both states.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedAnswer {
    /// The error, `changed`.
    pub(crate) error: crate::error::ErrorDetail,
    /// The object as it is now.
    pub(crate) current: ObjectAnswer,
    /// The object as it was at the revision of `If-Match`; absent when that version is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<ObjectAnswer>,
}

impl From<Summary> for ObjectSummary {
    fn from(object: Summary) -> ObjectSummary {
        ObjectSummary {
            id: object.id.to_string(),
            kind: object.kind,
            name: object.name,
            folder: object.folder,
            description: object.description,
            tags: object.tags,
            summary: object.summary,
            owner: object.owner.name().to_owned(),
            owner_removed: !object.is_owner_present,
            revision: object.revision,
            created_us: object.created_us,
            created_by: object.created_by,
            changed_us: object.changed_us,
            changed_by: object.changed_by,
            deleted_us: object.deleted_us,
            file: match object.origin {
                Origin::Page => None,
                Origin::File(path) => Some(path.display().to_string()),
            },
            level: object.level.name(),
            shared: object.is_shared,
        }
    }
}

impl From<Object> for ObjectAnswer {
    fn from(object: Object) -> ObjectAnswer {
        let is_owner = object.summary.level == Level::Own;
        ObjectAnswer {
            acl: is_owner.then(|| object.acl.iter().map(AclItem::from).collect()),
            summary: object.summary.into(),
            spec: object.content.spec,
            spec_version: object.content.spec_version,
        }
    }
}

impl From<&AclEntry> for AclItem {
    fn from(entry: &AclEntry) -> AclItem {
        AclItem { principal: entry.principal.to_string(), level: entry.level }
    }
}

impl From<Version> for VersionAnswer {
    fn from(version: Version) -> VersionAnswer {
        VersionAnswer {
            revision: version.revision,
            action: version.action.name(),
            changed_us: version.changed_us,
            changed_by: version.changed_by,
            comment: version.comment,
            name: version.name,
            folder: version.folder,
        }
    }
}

//! `/objects`: what people keep on the server, such as searches.
//!
//! In: contents, people, the revision that the caller has seen (`If-Match`). Out: objects with their `ETag`. Holds nothing:
//! the store applies the rights, and each change is in the ledger before it is made. Limits: those of the store.

mod condition;
mod content;
mod files;
mod history;
mod link;
mod list;
mod people;
mod rule;
pub(crate) mod work;

pub(crate) use content::{
    __path_change, __path_delete, __path_object, change, delete, object, visible_object,
};
pub(crate) use files::{__path_apply, __path_export, __path_plan, FILES_BODY_BYTES_MAX, apply, export, plan};
pub(crate) use history::{__path_restore, __path_version, __path_versions, restore, version, versions};
pub(crate) use link::link;
pub(crate) use list::{__path_create, __path_list, create, list};
pub(crate) use people::{__path_people, __path_share, people, share};
pub(crate) use work::ObjectError;

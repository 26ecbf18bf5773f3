//! Saved objects: what people keep on the server, such as searches, with versions, rights and history.
//!
//! In: contents with the person who sends them and the time, files of a folder. Out: objects as far as a person may see
//! them, files. Holds: a SQLite database with one writer, and the objects of the folder, which are only read.
//! Limits: see [`limits`] and [`DATABASE_BYTES_MAX`]. Reads no clock: the time is an argument.
//!
//! In reading order: `id`, `acl`, `content` and `kind` are values that cannot be invalid; `file` is their form in files and
//! `provisioned` a folder of those; `database` is the tables; `store` puts both together and applies the rights; `transfer`
//! compares files with the store.

mod acl;
mod content;
mod database;
mod file;
mod id;
mod kind;
pub mod limits;
mod object;
mod provisioned;
mod store;
#[cfg(test)]
mod tests;
mod transfer;

pub use acl::{AclEntry, Caller, Level, Principal, PrincipalError, UserId, Users};
pub use content::{Content, ContentError};
pub use database::migrations::Migration;
pub use database::{DATABASE_BYTES_MAX, OpenError, open_with as open_database};
pub use file::{FileError, FileFault, ObjectFile};
pub use id::{IdError, ObjectId};
pub use kind::{
    Kind, SpecError, UnknownKind,
    dashboard::{
        Dashboard, DashboardParameter, GRID_COLUMNS, PANELS_MAX, PARAMETERS_MAX, Panel, PanelKind,
        PanelOptions, PanelTime, ParameterError, ParameterType, ROWS_MAX, Values,
    },
    search::{SearchClock, SearchTime},
};
pub use object::{Action, Change, Object, Origin, Summary, Version};
pub use provisioned::{Problem, ProblemReason};
pub use store::{Expected, Filter, Kept, KeptRule, Ownership, Presence, Request, Store, StoreError, Target};
pub use transfer::{FolderError, Outcome, PlanError, Step, apply, export, plan, read_folder, write_folder};

//! Requests to the store.

use crate::{
    acl::Caller,
    id::ObjectId,
    kind::Kind,
    limits::LISTED_MAX,
    object::{Change, Summary},
};
use std::io;

/// A request for a change: who, when, and the ledger.
pub struct Request<'a> {
    /// The person.
    pub caller: &'a Caller,
    /// The time, in microseconds since 1970.
    pub now_us: i64,
    /// Writes a change into the ledger, before it is committed.
    pub record: &'a dyn Fn(&Change) -> io::Result<()>,
}

/// The object of a change, and the state that the caller has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The object.
    pub id: ObjectId,
    /// The state.
    pub expected: Expected,
}

/// The state of an object before a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Any state.
    Any,
    /// A revision; if the object has another one by now, nothing is changed.
    Revision(u64),
}

/// The objects to list, by their owner.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ownership {
    /// Those of the caller, those shared with the caller, those of files.
    #[default]
    Visible,
    /// Those of the caller.
    Mine,
    /// Those of all users; for administrators.
    All,
}

/// The objects to list, by whether they were deleted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Presence {
    /// Those that are there.
    #[default]
    Present,
    /// Those that were deleted and that the caller can restore.
    Deleted,
}

/// The objects to list.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only in this folder and those inside of it.
    pub folder: String,
    /// Words that the name, the folder, the description, the tags or the summary must have, in any case.
    pub text: String,
    /// Only with this tag; empty for all.
    pub tag: String,
    /// Owners.
    pub ownership: Ownership,
    /// Deleted ones, or the others.
    pub presence: Presence,
    /// Most objects, up to [`LISTED_MAX`].
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            kind: None,
            folder: String::new(),
            text: String::new(),
            tag: String::new(),
            ownership: Ownership::default(),
            presence: Presence::default(),
            limit: LISTED_MAX,
        }
    }
}

impl Filter {
    /// Returns true if an object fits, for any owner.
    pub(super) fn fits(&self, object: &Summary) -> bool {
        let is_kind = self.kind.is_none_or(|kind| kind.name == object.kind);
        let inside = object.folder.strip_prefix(self.folder.as_str());
        let is_inside =
            self.folder.is_empty() || inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_tagged = self.tag.is_empty() || object.tags.contains(&self.tag);
        let is_there = object.deleted_us.is_some() == (self.presence == Presence::Deleted);
        is_kind && is_inside && is_tagged && is_there && self.has_words(object)
    }

    fn has_words(&self, object: &Summary) -> bool {
        if self.text.trim().is_empty() {
            return true;
        }
        let Summary { name, folder, description, summary, tags, .. } = object;
        let all = [name, folder, description, summary, &tags.join("\n")].map(|text| text.to_lowercase());
        let text = self.text.to_lowercase();
        text.split_whitespace().all(|word| all.iter().any(|text| text.contains(word)))
    }
}

//! Objects that the server uses itself, such as rules, and how it learns of changes.
//!
//! In: a kind. Out: all its objects, regardless of who may see them; the number of changes. Holds nothing.
//! Limits: those of the kind.

use super::{Store, StoreError};
use crate::{
    acl::UserId,
    content::Content,
    database::rows,
    id::ObjectId,
    kind::{Kind, rule},
    object::Origin,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, PoisonError},
    time::Duration,
};
use watch::Rule;

/// An object as the server uses it.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The id.
    pub id: ObjectId,
    /// The account that owns it; nobody for a file that names none.
    pub owner: UserId,
    /// The content.
    pub content: Content,
    /// Its origin.
    pub origin: Origin,
}

/// A rule of an object.
#[derive(Clone, Debug)]
pub struct KeptRule {
    /// The rule, with the id and the name of the object.
    pub rule: Arc<Rule>,
    /// The same as the text of a file of rules.
    pub text: String,
    /// False for a rule that is switched off.
    pub is_enabled: bool,
}

impl Content {
    /// Returns the rule of an object of that kind; none for other kinds, and for one that this program does not read any more.
    pub fn rule(&self, id: &ObjectId) -> Option<KeptRule> {
        let Value::Object(spec) = &self.spec else { return None };
        if self.kind.name != Kind::RULE {
            return None;
        }
        let rule = rule::read(id.as_str(), &self.name, &self.description, spec).ok()?;
        let text = rule::text(id.as_str(), &self.name, &self.description, spec);
        let is_enabled = spec.get("enabled") != Some(&Value::Bool(false));
        Some(KeptRule { rule, text, is_enabled })
    }
}

impl Store {
    /// Returns all objects of a kind that are there, those of files and those of the database, by id.
    pub fn kept(&self, kind: Kind) -> Result<Vec<Kept>, StoreError> {
        let mut found = BTreeMap::new();
        for object in self.read(|transaction| rows::of_kind(transaction, kind).map_err(StoreError::of))? {
            let (id, owner, content) = (object.id, object.owner, object.content);
            found.insert(id.clone(), Kept { id, owner, content, origin: Origin::Page });
        }
        for (id, (path, file)) in &self.provisioned().objects {
            if file.content.kind != kind {
                found.remove(id);
                continue;
            }
            // Files name people: the account that has the name now.
            let owner = self.users().id_of(file.owner.name()).unwrap_or_else(|| file.owner.clone());
            let (content, origin) = (file.content.clone(), Origin::File(path.clone()));
            found.insert(id.clone(), Kept { id: id.clone(), owner, content, origin });
        }
        Ok(found.into_values().collect())
    }

    /// Returns the number of changes since the start; a state that is read after it has them all.
    pub fn change_count(&self) -> u64 {
        self.changes.now()
    }

    /// Waits until there were other changes than `seen`, at most a time; returns their number.
    pub fn wait_for_change(&self, seen: u64, time: Duration) -> u64 {
        self.changes.wait(seen, time)
    }

    /// Ends all waits for a change.
    pub fn wake(&self) {
        self.changes.add();
    }

    /// Names the rules that files of another folder have: objects with their ids are not written.
    pub fn set_taken(&self, taken: BTreeMap<String, PathBuf>) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = taken;
    }

    /// Refuses an object whose id is that of a rule in a file.
    pub(crate) fn refuse_taken(&self, kind: Kind, id: &ObjectId) -> Result<(), StoreError> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get(id.as_str()).filter(|_| kind.name == Kind::RULE) {
            Some(path) => Err(StoreError::IdTaken { path: path.clone() }),
            None => Ok(()),
        }
    }
}

//! Parts of the server that are not log paths: saved objects, rules, the directory of people.
//!
//! In: the folders, options. Out: the parts of the server that use them. Holds nothing.

mod directory;
mod rules;
mod saved_objects;
mod saved_rules;

pub(super) use directory::DirectoryInUse;
pub(super) use rules::Rules;
pub(super) use saved_objects::SavedObjects;

//! What stands in folders beside the configuration: saved objects and rules.
//!
//! In: the folders. Out: the parts of the server that use them. Holds nothing.

mod rules;
mod saved_objects;
mod saved_rules;

pub(super) use rules::Rules;
pub(super) use saved_objects::SavedObjects;

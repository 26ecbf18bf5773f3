//! Probable mistakes in a configuration: names that nothing uses, paths that no message enters,
//! acknowledgements that promise more than the path guarantees.
//!
//! In: a tree without errors. Out: warnings. Holds: nothing. Runs on demand: a start does not repeat them.
//! Limits: it reports only what is certain.

mod names;
mod promises;
mod reach;
mod walk;

#[cfg(test)]
mod tests;

use crate::diagnostic::Report;
use crate::tree::Tree;

/// Warns of probable mistakes.
pub fn advise(tree: &Tree, report: &mut Report) {
    names::advise(tree, report);
    reach::advise(tree, report);
    promises::advise(tree, report);
}

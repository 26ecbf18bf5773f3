//! Probable mistakes in a configuration: names that nothing uses, paths that no message enters,
//! acknowledgements that promise more than the path keeps.
//!
//! In: a tree without errors. Out: warnings. Holds: nothing. Runs on demand: a start does not repeat them.
//! Limits: it reports only what is certain.

mod names;
mod promises;
mod reach;

#[cfg(test)]
mod tests;

use crate::diagnostic::Report;
use crate::text::{Origin, Span};
use crate::tree::{Kind, Object, Path, Reference, Step, Tree};

/// Warns of probable mistakes.
pub fn advise(tree: &Tree, report: &mut Report) {
    names::advise(tree, report);
    reach::advise(tree, report);
    promises::advise(tree, report);
}

/// Returns true when a span is in a file of the user, and not in a block that was expanded.
fn is_written(tree: &Tree, span: Span) -> bool {
    matches!(tree.texts.origin(span.text), Origin::Root | Origin::Include(_))
}

/// Returns the object of a name. The last definition counts.
fn object<'t>(tree: &'t Tree, kind: Kind, name: &str) -> Option<&'t Object> {
    let objects = tree.statements.iter().rev().filter_map(|statement| match statement {
        crate::tree::Statement::Object(object) => Some(object),
        _ => None,
    });
    objects.into_iter().find(|object| object.kind == kind && object.name.text == name)
}

/// Returns the top-level paths.
fn paths(tree: &Tree) -> impl Iterator<Item = &Path> {
    tree.statements.iter().filter_map(|statement| match statement {
        crate::tree::Statement::Log(path) => Some(path),
        _ => None,
    })
}

/// Collects every object that a path uses, at any depth.
fn references<'t>(path: &'t Path, found: &mut Vec<&'t Reference>) {
    for step in &path.steps {
        match step {
            Step::Use(reference) => found.push(reference),
            Step::Junction(junction) => {
                junction.branches.iter().for_each(|branch| references(&branch.path, found));
            }
            Step::Channel(path) | Step::Log(path) => references(path, found),
            Step::If(condition) => {
                condition.arms.iter().for_each(|arm| references(&arm.path, found));
                condition.otherwise.iter().for_each(|path| references(path, found));
            }
            Step::Filter(_) | Step::Parallelize(_) | Step::Later(_, _) => {}
        }
    }
}

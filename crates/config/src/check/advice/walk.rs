//! Walks through a tree, to find objects and paths.
//!
//! In: a tree. Out: parts of it. Holds: nothing.

use crate::text::{Origin, Span};
use crate::tree::{Kind, Object, Path, Reference, Statement, Step, Tree};

/// Returns true when a span is in a file of the user, and not in a block that was expanded.
pub(super) fn is_written(tree: &Tree, span: Span) -> bool {
    matches!(tree.texts.origin(span.text), Origin::Root | Origin::Include(_))
}

/// Returns the object of a name. The last definition counts.
pub(super) fn object<'t>(tree: &'t Tree, kind: Kind, name: &str) -> Option<&'t Object> {
    let objects = tree.statements.iter().rev().filter_map(|statement| match statement {
        Statement::Object(object) => Some(object),
        _ => None,
    });
    objects.into_iter().find(|object| object.kind == kind && object.name.text == name)
}

/// Returns the top-level paths.
pub(super) fn paths(tree: &Tree) -> impl Iterator<Item = &Path> {
    tree.statements.iter().filter_map(|statement| match statement {
        Statement::Log(path) => Some(path),
        _ => None,
    })
}

/// Collects every object that a path uses, at any depth.
pub(super) fn references<'t>(path: &'t Path, found: &mut Vec<&'t Reference>) {
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

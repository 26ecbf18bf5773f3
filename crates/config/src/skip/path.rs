//! Removes the part of a log path that an error concerns.
//!
//! In: a path and an error. Out: the path without the sources or destinations that the error concerns, or the answer
//! that the whole path must be left out.

use super::{inside::holds, walk};
use crate::{
    diagnostic::Diagnostic,
    text::Texts,
    tree::{Condition, Item, Kind, Path, Reference, Step},
};

/// The effect of an error on a path.
pub(super) enum PathCut {
    /// The error is not about this path.
    Elsewhere,
    /// A source or a destination was taken out.
    Part(String),
    /// The whole path: messages must not pass without the faulty part.
    Whole,
}

/// Removes from a path the part that an error concerns.
pub(super) fn cut(path: &mut Path, texts: &Texts, error: &Diagnostic) -> PathCut {
    let mut index = 0;
    while let Some(step) = path.steps.get_mut(index) {
        let ended = matches!(step, Step::Log(inner) if has_destination(inner));
        match cut_step(step, texts, error) {
            PathCut::Elsewhere => index += 1,
            PathCut::Whole => return PathCut::Whole,
            PathCut::Part(what) => {
                let is_empty = match step {
                    Step::Use(Reference::Named(_, _)) => true,
                    Step::Use(Reference::InPlace(_, items, _)) => items.is_empty(),
                    // It would take messages and deliver them nowhere.
                    Step::Log(inner) => ended && !has_destination(inner),
                    _ => false,
                };
                if is_empty {
                    path.steps.remove(index);
                }
                return PathCut::Part(what);
            }
        }
    }
    PathCut::Elsewhere
}

fn cut_step(step: &mut Step, texts: &Texts, error: &Diagnostic) -> PathCut {
    let whole_if = |found: bool| if found { PathCut::Whole } else { PathCut::Elsewhere };
    match step {
        Step::Use(Reference::Named(kind, name)) => match (*kind, name.span == error.span) {
            (_, false) => PathCut::Elsewhere,
            (Kind::Source | Kind::Destination, true) => {
                PathCut::Part(format!("{} `{}`", kind.word(), name.text))
            }
            (_, true) => PathCut::Whole,
        },
        Step::Use(Reference::InPlace(kind, items, _)) => {
            let found = items.iter().position(|item| walk::item_holds(item, texts, error.span));
            match found.map(|at| (at, items.get(at))) {
                None => PathCut::Elsewhere,
                Some((at, Some(Item::Call(call)))) if matches!(kind, Kind::Source | Kind::Destination) => {
                    let what = format!("{} driver `{}()`", kind.word(), call.name.text);
                    items.remove(at);
                    PathCut::Part(what)
                }
                Some(_) => PathCut::Whole,
            }
        }
        Step::Filter(filter) => {
            whole_if(walk::filter_spans(filter).into_iter().any(|span| holds(texts, span, error.span)))
        }
        Step::Junction(junction) => {
            first(junction.branches.iter_mut().map(|branch| cut(&mut branch.path, texts, error)))
        }
        Step::Channel(path) | Step::Log(path) => cut(path, texts, error),
        Step::If(condition) => cut_condition(condition, texts, error),
        Step::Parallelize(call) => whole_if(holds(texts, call.span, error.span)),
        Step::Later(keyword, _) => whole_if(holds(texts, keyword.span, error.span)),
    }
}

fn cut_condition(condition: &mut Condition, texts: &Texts, error: &Diagnostic) -> PathCut {
    let tests = condition.arms.iter().filter_map(|arm| arm.test.as_ref());
    if tests.flat_map(walk::filter_spans).any(|span| holds(texts, span, error.span)) {
        return PathCut::Whole;
    }
    let arms = condition.arms.iter_mut().map(|arm| &mut arm.path).chain(condition.otherwise.as_mut());
    first(arms.map(|path| cut(path, texts, error)))
}

fn first(cuts: impl Iterator<Item = PathCut>) -> PathCut {
    let mut cuts = cuts;
    cuts.find(|cut| !matches!(cut, PathCut::Elsewhere)).unwrap_or(PathCut::Elsewhere)
}

/// Returns true when the path or one inside it names a source.
pub(super) fn has_source(path: &Path) -> bool {
    has(path, Kind::Source)
}

/// Returns true when the path or one inside it names a destination.
pub(super) fn has_destination(path: &Path) -> bool {
    has(path, Kind::Destination)
}

fn has(path: &Path, kind: Kind) -> bool {
    path.steps.iter().any(|step| match step {
        Step::Use(reference) => reference.kind() == kind,
        Step::Junction(junction) => junction.branches.iter().any(|branch| has(&branch.path, kind)),
        Step::Channel(path) | Step::Log(path) => has(path, kind),
        Step::If(condition) => {
            condition.arms.iter().map(|arm| &arm.path).chain(&condition.otherwise).any(|path| has(path, kind))
        }
        Step::Filter(_) | Step::Parallelize(_) | Step::Later(_, _) => false,
    })
}

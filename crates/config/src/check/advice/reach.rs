//! Log paths that no message enters, because others take them all before.
//!
//! In: a tree. Out: a warning each. Limits: a path counts as taking everything only when it has nothing but sources,
//! rewrites and destinations.

use super::walk::{is_written, paths};
use crate::diagnostic::{Diagnostic, Report};
use crate::tree::{Kind, LogFlag, Path, Reference, Step, Tree};
use std::collections::HashMap;

/// The paths that take every message of a source.
#[derive(Default)]
struct Takers<'t> {
    /// By name of the source.
    sources: HashMap<&'t str, &'t Path>,
    /// A path that takes the messages of all sources.
    all: Option<&'t Path>,
}

pub(super) fn advise(tree: &Tree, report: &mut Report) {
    let mut finals = Takers::default();
    for path in paths(tree) {
        ignored_sources(path, report);
        if let Some(taker) = finals.of(path)
            && is_written(tree, path.span)
        {
            let message = "no message ever enters this path: another one takes them all before";
            report.push(
                Diagnostic::warning(path.span, message)
                    .related(taker.span, "this one has flags(final) and no filter")
                    .help("put the path before that one, or give that one a filter"),
            );
        }
        if has(path, LogFlag::Final) && !has(path, LogFlag::Fallback) {
            finals.add(path);
        }
    }
    let mut takers = Takers::default();
    paths(tree).filter(|path| !has(path, LogFlag::Fallback)).for_each(|path| takers.add(path));
    for path in paths(tree).filter(|path| has(path, LogFlag::Fallback) && finals.of(path).is_none()) {
        if let Some(taker) = takers.of(path) {
            let message =
                "no message ever enters this path: flags(fallback) leaves it what no other path takes";
            report.push(
                Diagnostic::warning(path.span, message)
                    .related(taker.span, "this one takes them all: it has no filter"),
            );
        }
    }
}

/// Warns of sources in a path with `flags(catchall)`, which ignores them.
fn ignored_sources(path: &Path, report: &mut Report) {
    let source = path.steps.iter().find_map(|step| match step {
        Step::Use(reference) if reference.kind() == Kind::Source => Some(reference.span()),
        _ => None,
    });
    if let Some(span) = source.filter(|_| has(path, LogFlag::Catchall)) {
        let message = "flags(catchall) takes the messages of all sources, not only of this one";
        report.push(Diagnostic::warning(span, message));
    }
}

impl<'t> Takers<'t> {
    /// Notes a path that takes every message of its sources.
    fn add(&mut self, path: &'t Path) {
        let Some(sources) = unconditional(path) else { return };
        if has(path, LogFlag::Catchall) {
            self.all.get_or_insert(path);
        }
        for source in sources {
            self.sources.entry(source).or_insert(path);
        }
    }

    /// Returns the earlier path that leaves no message to this one.
    fn of(&self, path: &Path) -> Option<&'t Path> {
        if self.all.is_some() || has(path, LogFlag::Catchall) {
            return self.all;
        }
        let mut taker = None;
        for step in &path.steps {
            match step {
                Step::Use(Reference::Named(Kind::Source, name)) => {
                    taker = Some(*self.sources.get(name.text.as_str())?);
                }
                Step::Use(reference) if reference.kind() != Kind::Source => {}
                Step::Filter(_) | Step::If(_) => {}
                // A source in place, or one inside of a junction: others cannot take its messages.
                _ => return None,
            }
        }
        taker
    }
}

/// Returns the named sources of a path that stops nothing.
fn unconditional(path: &Path) -> Option<Vec<&str>> {
    let mut sources = Vec::new();
    for step in &path.steps {
        match step {
            Step::Use(Reference::Named(Kind::Source, name)) => sources.push(name.text.as_str()),
            Step::Use(reference)
                if matches!(reference.kind(), Kind::Source | Kind::Destination | Kind::Rewrite) => {}
            _ => return None,
        }
    }
    Some(sources)
}

fn has(path: &Path, wanted: LogFlag) -> bool {
    path.flags.iter().any(|flag| flag.flag == wanted)
}

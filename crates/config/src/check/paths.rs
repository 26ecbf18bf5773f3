//! Log paths and filters: every name they use exists, every step runs.
//!
//! In: paths and filter expressions. Out: findings.

use super::calls::Calls;
use crate::diagnostic::Diagnostic;
use crate::text::Span;
use crate::tree::{Arg, Filter, FilterLeaf, Item, Kind, LogFlag, Name, Path, Reference, Step};

impl Calls<'_> {
    pub(super) fn items(&mut self, kind: Kind, items: &[Item]) {
        for item in items {
            match item {
                Item::Call(call) => self.driver(kind, call),
                Item::Step(step) => self.step(step),
            }
        }
    }

    /// Checks a path at the top of a configuration, which needs a source, or `flags(catchall)`.
    pub(super) fn top_path(&mut self, path: &Path) {
        self.path(path);
        if !has_source(path) && !path.flags.iter().any(|flag| flag.flag == LogFlag::Catchall) {
            self.report.push(
                Diagnostic::warning(path.span, "this path has no source; no message ever enters it")
                    .help("add source(...), or flags(catchall) for the messages of all sources"),
            );
        }
    }

    fn path(&mut self, path: &Path) {
        for step in &path.steps {
            self.step(step);
        }
        let find = |wanted: LogFlag| path.flags.iter().find(|flag| flag.flag == wanted);
        if let (Some(first), Some(second)) = (find(LogFlag::FlowControl), find(LogFlag::NoFlowControl)) {
            self.report.push(
                Diagnostic::error(second.span, "a path cannot be with and without flow control")
                    .related(first.span, "the opposite is said here"),
            );
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Use(reference) => self.reference(reference),
            Step::Filter(filter) => self.filter(filter),
            Step::Junction(junction) => junction.branches.iter().for_each(|branch| self.path(&branch.path)),
            Step::Channel(path) | Step::Log(path) => self.path(path),
            Step::If(condition) => {
                for arm in &condition.arms {
                    if let Some(test) = &arm.test {
                        self.filter(test);
                    }
                    self.path(&arm.path);
                }
                if let Some(path) = &condition.otherwise {
                    self.path(path);
                }
            }
            Step::Parallelize(call) => self.parallelize(call),
            Step::Later(keyword, _) => self.not_yet(keyword, "step"),
        }
    }

    fn reference(&mut self, reference: &Reference) {
        match reference {
            Reference::Named(kind, name) => self.name(*kind, name),
            Reference::InPlace(kind, items, _) => self.items(*kind, items),
        }
    }

    fn name(&mut self, kind: Kind, name: &Name) {
        if !self.names.has(kind, &name.text) {
            self.report.push(self.names.unknown(kind, name));
        }
    }

    pub(super) fn filter(&mut self, filter: &Filter) {
        match filter {
            Filter::And(filters, _) | Filter::Or(filters, _) => {
                filters.iter().for_each(|one| self.filter(one))
            }
            Filter::Not(filter, _) => self.filter(filter),
            Filter::Leaf(leaf, span) => self.leaf(leaf, *span),
        }
    }

    fn leaf(&mut self, leaf: &FilterLeaf, span: Span) {
        match leaf {
            FilterLeaf::Named(name) => self.name(Kind::Filter, name),
            FilterLeaf::Source(name) if !self.names.has(Kind::Source, &name.text) => {
                let message = format!("no source is called `{}`: this never holds", name.text);
                self.report.push(Diagnostic::warning(name.span, message));
            }
            FilterLeaf::Later(call) => self.not_yet(&call.name, "filter"),
            FilterLeaf::Compare(sides)
                if is_constant(&sides.left.value) && is_constant(&sides.right.value) =>
            {
                self.report.push(
                    Diagnostic::warning(span, "both sides are constant; this is always the same")
                        .help("a macro is written ${NAME}"),
                );
            }
            _ => {}
        }
    }
}

fn is_constant(value: &Arg) -> bool {
    value.text().is_none_or(|text| !text.contains('$'))
}

/// Returns true when the path or one inside it names a source.
fn has_source(path: &Path) -> bool {
    path.steps.iter().any(|step| match step {
        Step::Use(reference) => reference.kind() == Kind::Source,
        Step::Junction(junction) => junction.branches.iter().any(|branch| has_source(&branch.path)),
        Step::Channel(path) | Step::Log(path) => has_source(path),
        Step::If(_) | Step::Filter(_) | Step::Parallelize(_) | Step::Later(_, _) => false,
    })
}

//! The names that a configuration defines.
//!
//! In: a tree. Out: which names exist, and errors for names given twice.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Report};
use crate::text::Span;
use crate::tree::{Kind, Name, Statement, Tree, Version};
use crate::words::nearest;

/// Every named object, by kind.
pub(super) struct Names {
    known: BTreeMap<(Kind, String), Span>,
}

/// The meaning of a second object with the name of another.
#[derive(Clone, Copy)]
enum Duplicates {
    /// It is an error.
    Refused,
    /// It replaces the first.
    LastCounts,
}

impl Duplicates {
    /// Returns the rule that follows from the version and the defines of a configuration.
    fn of(tree: &Tree) -> Duplicates {
        let is_old = tree.version.is_some_and(|version| version < Version::UNIQUE_NAMES);
        let is_allowed = tree.defines.get("allow-config-dups").is_some_and(|value| value.trim() != "0");
        if is_old || is_allowed { Duplicates::LastCounts } else { Duplicates::Refused }
    }
}

impl Names {
    pub(super) fn collect(tree: &Tree, report: &mut Report) -> Names {
        let mut names = Names { known: BTreeMap::new() };
        let duplicates = Duplicates::of(tree);
        for statement in &tree.statements {
            let (kind, name) = match statement {
                Statement::Object(object) => (object.kind, &object.name),
                Statement::Filter(filter) => (Kind::Filter, &filter.name),
                Statement::Template(template) => (Kind::Template, &template.name),
                _ => continue,
            };
            names.add(kind, name, duplicates, report);
        }
        names
    }

    fn add(&mut self, kind: Kind, name: &Name, duplicates: Duplicates, report: &mut Report) {
        if let Some(first) = self.known.insert((kind, name.text.clone()), name.span) {
            let message = format!("{} `{}` is defined twice", kind.word(), name.text);
            let diagnostic = match duplicates {
                Duplicates::LastCounts => {
                    Diagnostic::warning(name.span, message).label("this definition counts")
                }
                Duplicates::Refused => Diagnostic::error(name.span, message)
                    .help("`@define allow-config-dups 1` lets the last definition count"),
            };
            report.push(diagnostic.related(first, "first defined here"));
        }
    }

    pub(super) fn has(&self, kind: Kind, name: &str) -> bool {
        self.known.contains_key(&(kind, name.to_string()))
    }

    /// Returns the error for a name that nothing has.
    pub(super) fn unknown(&self, kind: Kind, name: &Name) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(name.span, format!("{} `{}` is not defined", kind.word(), name.text))
                .unresolved();
        let same_kind = self.known.keys().filter(|(known, _)| *known == kind).map(|(_, name)| name.as_str());
        if let Some(near) = nearest(&name.text, same_kind) {
            return diagnostic.label(format!("did you mean `{near}`?"));
        }
        match self.known.keys().find(|(_, other)| *other == name.text) {
            Some((other, _)) => diagnostic.help(format!("there is a {} of this name", other.word())),
            None => diagnostic,
        }
    }
}

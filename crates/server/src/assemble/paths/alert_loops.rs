//! Alerts that would cause alerts.
//!
//! In: the log paths of a configuration. Out: an error for each path that brings messages of `alerts()` into a logspace: its rules would
//! see their own alerts. Holds: nothing. Limits: a path counts as a whole, whatever its filters and branches say; what another server
//! sends back is not seen.

use crate::assemble::lowering::Lowering;
use config::{
    Diagnostic, Span,
    tree::{Item, Kind, LogFlag, Path, Reference, Statement, Step},
};
use std::collections::HashSet;

/// The drivers that write into a logspace.
const LOGSPACES: &[&str] = &["logspace", "logstore"];

/// Everything that a path uses.
#[derive(Default)]
struct PathUses {
    has_alerts: bool,
    /// The places where it names destinations with a logspace.
    logspaces: Vec<Span>,
}

/// The statements that a path may name.
struct Named<'t> {
    alerts: HashSet<&'t str>,
    logspaces: HashSet<&'t str>,
}

impl<'t> Named<'t> {
    fn of(statements: &'t [Statement]) -> Named<'t> {
        let with = |kind: Kind, drivers: &[&str]| {
            let objects = statements.iter().filter_map(|statement| match statement {
                Statement::Object(object) if object.kind == kind => Some(object),
                _ => None,
            });
            objects
                .filter(|object| has_driver(&object.items, drivers))
                .map(|object| object.name.text.as_str())
                .collect::<HashSet<_>>()
        };
        Named { alerts: with(Kind::Source, &["alerts"]), logspaces: with(Kind::Destination, LOGSPACES) }
    }

    fn path(&self, path: &Path, found: &mut PathUses) {
        found.has_alerts |=
            !self.alerts.is_empty() && path.flags.iter().any(|flag| flag.flag == LogFlag::Catchall);
        for step in &path.steps {
            match step {
                Step::Use(reference) => self.reference(reference, found),
                Step::Junction(junction) => {
                    junction.branches.iter().for_each(|branch| self.path(&branch.path, found));
                }
                Step::Channel(inner) | Step::Log(inner) => self.path(inner, found),
                Step::If(condition) => {
                    let arms = condition.arms.iter().map(|arm| &arm.path);
                    arms.chain(&condition.otherwise).for_each(|inner| self.path(inner, found));
                }
                Step::Filter(_) | Step::Parallelize(_) | Step::Later(_, _) => {}
            }
        }
    }

    fn reference(&self, reference: &Reference, found: &mut PathUses) {
        let (of_alerts, of_logspace) = match reference {
            Reference::Named(kind, name) => {
                let name = name.text.as_str();
                (
                    *kind == Kind::Source && self.alerts.contains(name),
                    *kind == Kind::Destination && self.logspaces.contains(name),
                )
            }
            Reference::InPlace(kind, items, _) => (
                *kind == Kind::Source && has_driver(items, &["alerts"]),
                *kind == Kind::Destination && has_driver(items, LOGSPACES),
            ),
        };
        found.has_alerts |= of_alerts;
        found.logspaces.extend(of_logspace.then(|| reference.span()));
    }
}

fn has_driver(items: &[Item], drivers: &[&str]) -> bool {
    items.iter().any(|item| matches!(item, Item::Call(call) if drivers.contains(&call.key().as_str())))
}

impl Lowering<'_> {
    /// Refuses paths from `alerts()` into a logspace.
    pub(crate) fn refuse_alert_loops(&mut self) {
        let named = Named::of(&self.tree.statements);
        for statement in &self.tree.statements {
            let Statement::Log(path) = statement else { continue };
            let mut found = PathUses::default();
            named.path(path, &mut found);
            if !found.has_alerts {
                continue;
            }
            for span in found.logspaces {
                let message =
                    "messages of alerts() cannot go into a logspace: its rules would see their own alerts";
                let help = "alerts are kept anyway, `duramen alerts ls` and the page show them; give alerts() a log path of its own";
                self.report.push(Diagnostic::error(span, message).help(help));
            }
        }
    }
}

//! Logspaces defined on others: filtered and multiple ones.
//!
//! In: `logspace` statements, the logspaces that are written to. Out: [`ViewSpec`]s, each with its local
//! logspaces and their visible messages.
//! Limits: as many members as a search can have; a logspace that contains itself is refused.

use super::names::is_logspace_name;
use crate::assemble::{
    lowering::Lowering,
    parts::logspace::{ViewMember, ViewSpec},
};
use config::{
    Diagnostic, Span,
    tree::{Arg, Call, LogspaceView, Name, Statement},
};
use query::{MEMBERS_MAX, ParseOptions, Query};
use std::collections::HashMap;

/// Deepest nesting of logspaces defined on others.
const DEPTH_MAX: usize = 16;

/// The statement of a view.
struct Definition<'t> {
    name: &'t Name,
    is_multiple: bool,
    members: Vec<&'t Arg>,
    filter: Option<&'t Name>,
}

impl<'t> Lowering<'t> {
    /// Returns the views of the configuration. Called when the local logspaces are known.
    pub(crate) fn views(&mut self) -> Vec<ViewSpec> {
        let tree = self.tree;
        let statements = tree.statements.iter().filter_map(|statement| match statement {
            Statement::Logspace(view) => Some(view),
            _ => None,
        });
        let mut definitions: Vec<Definition<'t>> = Vec::new();
        for view in statements {
            if let Some(definition) = self.view(view)
                && self.has_own_name(&definition, &definitions)
            {
                definitions.push(definition);
            }
        }
        let by_name: HashMap<&str, &Definition<'t>> =
            definitions.iter().map(|definition| (definition.name.text.as_str(), definition)).collect();
        let (mut specs, mut resolved) = (Vec::new(), HashMap::new());
        for definition in &definitions {
            let mut open = vec![definition.name.text.as_str()];
            if let Some(members) = self.resolved(definition, &by_name, &mut open, &mut resolved) {
                let (name, is_multiple) = (definition.name.text.clone(), definition.is_multiple);
                specs.push(ViewSpec { name, is_multiple, members });
            }
        }
        specs
    }

    fn view(&mut self, view: &'t LogspaceView) -> Option<Definition<'t>> {
        let help = "write `filtered(\"other\" \"query\");` or `multiple(\"one\", \"other\");`";
        if !is_logspace_name(&view.name.text) {
            let message = format!("`{}` cannot be the name of a logspace", view.name.text);
            let help = "up to 64 letters, digits and -_. that do not start with a dot";
            self.report.push(Diagnostic::error(view.name.span, message).help(help));
            return None;
        }
        let [call] = view.options.as_slice() else {
            let span = view.options.get(1).map_or(view.name.span, |second| second.span);
            let message = format!("logspace `{}` is filtered or multiple, and one of them", view.name.text);
            self.report.push(Diagnostic::error(span, message).help(help));
            return None;
        };
        if let Some(wrong) = call.args.iter().find(|arg| arg.text().is_none()) {
            self.report.push(Diagnostic::error(wrong.span(), "a name or a text is wanted here").help(help));
            return None;
        }
        let members: Vec<&'t Arg> = call.args.iter().collect();
        match (call.key().as_str(), members.as_slice()) {
            ("filtered", [base, Arg::Text(filter) | Arg::Word(filter)]) => {
                self.check_filter(filter)?;
                let filter = Some(filter);
                Some(Definition { name: &view.name, is_multiple: false, members: vec![base], filter })
            }
            ("multiple", [_, ..]) => {
                Some(Definition { name: &view.name, is_multiple: true, members, filter: None })
            }
            _ => {
                self.report.push(unreadable(call, help));
                None
            }
        }
    }

    /// Checks a filter: it must have no pipes and must not depend on the time of the search.
    fn check_filter(&mut self, filter: &Name) -> Option<()> {
        let at = |now_us| Query::parse(&filter.text, &ParseOptions { now_us, ..ParseOptions::default() });
        let (query, later) = match (at(1 << 50), at((1 << 50) + 1)) {
            (Ok(query), Ok(later)) => (query, later),
            (Err(error), _) | (_, Err(error)) => {
                let byte =
                    filter.text.char_indices().nth(error.position).map_or(filter.text.len(), |(at, _)| at);
                let advice = error.suggestion.map(|advice| format!("; {advice}")).unwrap_or_default();
                self.report_inside(filter, byte, format!("{}{advice}", error.message));
                return None;
            }
        };
        let fault = match () {
            () if !query.written_pipes().is_empty() => "a filter has no pipes",
            () if query.explain() != later.explain() => "a filter cannot depend on what time it is now",
            () => return Some(()),
        };
        self.report.push(Diagnostic::error(filter.span, fault));
        None
    }

    fn has_own_name(&mut self, definition: &Definition<'t>, others: &[Definition<'t>]) -> bool {
        let Name { text, span } = definition.name;
        let message = format!("logspace `{text}` is defined twice");
        let finding = Diagnostic::error(*span, message);
        if let Some(other) = others.iter().find(|other| other.name.text == *text) {
            self.report.push(finding.related(other.name.span, "first defined here"));
            return false;
        }
        if self.logspaces.iter().any(|local| local.name == *text)
            || self.families.iter().any(|family| family.combined == *text || family.overflow == *text)
        {
            self.report.push(finding.help("a destination writes to a logspace of this name"));
            return false;
        }
        true
    }

    /// Resolves a view to local logspaces. `open` are the views that led here, `done` those that are known.
    fn resolved<'d>(
        &mut self,
        definition: &'d Definition<'t>,
        by_name: &HashMap<&str, &'d Definition<'t>>,
        open: &mut Vec<&'d str>,
        done: &mut HashMap<&'d str, Option<Vec<ViewMember>>>,
    ) -> Option<Vec<ViewMember>> {
        let name = definition.name.text.as_str();
        if let Some(known) = done.get(name) {
            return known.clone();
        }
        let found = self.members(definition, by_name, open, done);
        done.insert(name, found.clone());
        found
    }

    fn members<'d>(
        &mut self,
        definition: &'d Definition<'t>,
        by_name: &HashMap<&str, &'d Definition<'t>>,
        open: &mut Vec<&'d str>,
        done: &mut HashMap<&'d str, Option<Vec<ViewMember>>>,
    ) -> Option<Vec<ViewMember>> {
        let mut members: Vec<ViewMember> = Vec::new();
        for arg in &definition.members {
            let name = arg.text().unwrap_or_default();
            if open.contains(&name) {
                let message = format!("logspace `{name}` is made of itself through this");
                self.report.push(Diagnostic::error(arg.span(), message));
                return None;
            }
            let found = match by_name.get(name) {
                Some(_) if open.len() >= DEPTH_MAX => {
                    let message = format!("logspaces are made of others more than {DEPTH_MAX} deep");
                    self.report.push(Diagnostic::error(arg.span(), message));
                    return None;
                }
                Some(view) => {
                    open.push(&view.name.text);
                    let found = self.resolved(view, by_name, open, done);
                    open.pop();
                    found?
                }
                None if self.logspaces.iter().any(|local| local.name == name)
                    || self.families.iter().any(|family| family.combined == name) =>
                {
                    vec![ViewMember { shown: name.to_owned(), base: name.to_owned(), ways: None }]
                }
                None => {
                    self.unknown_logspace(name, arg.span(), by_name);
                    return None;
                }
            };
            for mut member in found {
                // Rows are shown under the name by which the view knows them, not under one that it hides.
                member.shown = name.to_owned();
                join(&mut members, member);
            }
        }
        if let Some(filter) = definition.filter {
            for member in &mut members {
                let ways = member.ways.get_or_insert_with(|| vec![Vec::new()]);
                ways.iter_mut().for_each(|way| way.push(filter.text.clone()));
            }
        }
        let most = members.iter().filter_map(|member| member.ways.as_ref()).map(Vec::len).max();
        let count = members.len().max(most.unwrap_or(0));
        if count > MEMBERS_MAX {
            let message = format!("logspace `{}` comes to {count} logspaces", definition.name.text);
            let finding = Diagnostic::error(definition.name.span, message);
            self.report.push(finding.help(format!("{MEMBERS_MAX} can be searched at once")));
            return None;
        }
        Some(members)
    }

    fn unknown_logspace(&mut self, name: &str, span: Span, by_name: &HashMap<&str, &Definition<'t>>) {
        let mut known: Vec<&str> = self.logspaces.iter().map(|local| local.name.as_str()).collect();
        known.extend(self.families.iter().map(|family| family.combined.as_str()));
        known.extend(by_name.keys());
        known.sort_unstable();
        let message = format!("there is no logspace `{name}`");
        let help = match known.is_empty() {
            true => "no log path writes to a logspace".to_owned(),
            false => format!("there are {}", known.join(", ")),
        };
        self.report.push(Diagnostic::error(span, message).help(help).unresolved());
    }
}

/// Adds a member; the messages of a repeated one are visible by either of its filters.
fn join(members: &mut Vec<ViewMember>, member: ViewMember) {
    match members.iter_mut().find(|known| known.base == member.base) {
        None => members.push(member),
        Some(known) => match (&mut known.ways, member.ways) {
            (Some(ways), Some(more)) => {
                ways.extend(more.into_iter().filter(|way| !ways.contains(way)).collect::<Vec<_>>());
            }
            (ways, _) => *ways = None,
        },
    }
}

fn unreadable(call: &Call, help: &str) -> Diagnostic {
    let message = match call.key().as_str() {
        "filtered" => "filtered() takes a logspace and a query".to_owned(),
        "multiple" => "multiple() takes logspaces".to_owned(),
        key => format!("a logspace cannot be `{key}`"),
    };
    Diagnostic::error(call.span, message).help(help)
}

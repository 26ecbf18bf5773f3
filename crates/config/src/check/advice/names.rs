//! Objects that are defined and never used.
//!
//! In: a tree. Out: a warning for each. Limits: an object used only by unused objects counts as used.

use super::walk::is_written;
use crate::diagnostic::{Diagnostic, Report};
use crate::tree::{
    Arg, Call, Filter, FilterLeaf, Item, Kind, LogFlag, Name, Path, Reference, Statement, Step, Tree,
};
use std::collections::HashSet;

/// Names that are used, and texts that may contain names: those of templates.
#[derive(Default)]
struct Uses<'t> {
    names: HashSet<(Kind, &'t str)>,
    texts: Vec<&'t str>,
    /// True if a path takes the messages of all sources.
    has_catchall: bool,
}

pub(super) fn advise(tree: &Tree, report: &mut Report) {
    let mut uses = Uses::default();
    tree.statements.iter().for_each(|statement| uses.statement(statement));
    for statement in &tree.statements {
        let (kind, name) = match statement {
            Statement::Object(object) => (object.kind, &object.name),
            Statement::Filter(filter) => (Kind::Filter, &filter.name),
            Statement::Template(template) => (Kind::Template, &template.name),
            _ => continue,
        };
        if is_written(tree, name.span) && !uses.has(kind, name) {
            let message = format!("{} `{}` is defined and never used", kind.word(), name.text);
            report.push(Diagnostic::warning(name.span, message));
        }
    }
}

impl<'t> Uses<'t> {
    fn has(&self, kind: Kind, name: &Name) -> bool {
        let named = |text: &&str| match kind {
            // `template(t_line)`, `$(template t_line)`.
            Kind::Template => **text == name.text || text.contains("$(template") && text.contains(&name.text),
            // `$(if filter(f_x) ...)`, `$(filter ...)`.
            Kind::Filter => text.contains("$(") && text.contains(&name.text),
            _ => false,
        };
        let is_taken = kind == Kind::Source && self.has_catchall;
        is_taken || self.names.contains(&(kind, name.text.as_str())) || self.texts.iter().any(named)
    }

    fn statement(&mut self, statement: &'t Statement) {
        match statement {
            Statement::Object(object) => self.items(&object.items),
            Statement::Filter(named) => self.filter(&named.filter),
            Statement::Options(options) => options.iter().for_each(|option| self.call(option)),
            Statement::Log(path) => {
                self.has_catchall |= path.flags.iter().any(|flag| flag.flag == LogFlag::Catchall);
                self.path(path);
            }
            Statement::Template(template) | Statement::TemplateFunction(template) => {
                template.options.iter().for_each(|option| self.call(option));
            }
            Statement::Logspace(view) => view.options.iter().for_each(|option| self.call(option)),
            Statement::Block(_) | Statement::Application(_) | Statement::Python(_) | Statement::Later(_) => {}
        }
    }

    fn items(&mut self, items: &'t [Item]) {
        for item in items {
            match item {
                Item::Call(call) => self.call(call),
                Item::Step(step) => self.step(step),
            }
        }
    }

    fn path(&mut self, path: &'t Path) {
        path.steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &'t Step) {
        match step {
            Step::Use(Reference::Named(kind, name)) => {
                self.names.insert((*kind, &name.text));
            }
            Step::Use(Reference::InPlace(_, items, _)) => self.items(items),
            Step::Filter(filter) => self.filter(filter),
            Step::Junction(junction) => junction.branches.iter().for_each(|branch| self.path(&branch.path)),
            Step::Channel(path) | Step::Log(path) => self.path(path),
            Step::If(condition) => {
                for arm in &condition.arms {
                    arm.test.iter().for_each(|test| self.filter(test));
                    self.path(&arm.path);
                }
                condition.otherwise.iter().for_each(|path| self.path(path));
            }
            Step::Parallelize(call) => self.call(call),
            Step::Later(_, _) => {}
        }
    }

    fn call(&mut self, call: &'t Call) {
        call.args.iter().for_each(|arg| self.arg(arg));
    }

    fn arg(&mut self, arg: &'t Arg) {
        match arg {
            Arg::Word(name) | Arg::Text(name) => self.texts.push(&name.text),
            Arg::Call(call) => self.call(call),
            Arg::Pair(_, value) => self.arg(value),
            Arg::Filter(filter) => self.filter(filter),
            Arg::Group(args, _) => args.iter().for_each(|arg| self.arg(arg)),
            Arg::Number(_, _) | Arg::Float(_, _) | Arg::Range(_, _) => {}
        }
    }

    fn filter(&mut self, filter: &'t Filter) {
        match filter {
            Filter::And(filters, _) | Filter::Or(filters, _) => {
                filters.iter().for_each(|filter| self.filter(filter));
            }
            Filter::Not(filter, _) => self.filter(filter),
            Filter::Leaf(FilterLeaf::Named(name), _) => {
                self.names.insert((Kind::Filter, &name.text));
            }
            Filter::Leaf(FilterLeaf::Source(name), _) => {
                self.names.insert((Kind::Source, &name.text));
            }
            Filter::Leaf(FilterLeaf::Match(found), _) => {
                if let crate::tree::MatchTarget::Template(name) = &found.target {
                    self.texts.push(&name.text);
                }
            }
            Filter::Leaf(FilterLeaf::RateLimit { key: Some(key), .. }, _) => self.texts.push(&key.text),
            Filter::Leaf(FilterLeaf::Compare(sides), _) => {
                [&sides.left, &sides.right].into_iter().for_each(|side| self.arg(&side.value));
            }
            Filter::Leaf(_, _) => {}
        }
    }
}

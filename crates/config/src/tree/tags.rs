//! The tags that a configuration names.
//!
//! In: a tree. Out: every mention, in written order. Templates that make up tags only name them when messages come.
//! Limits: none of its own.

use super::{Arg, Call, Filter, FilterLeaf, Item, Kind, Path, Reference, Statement, Step, Tree};

impl Tree {
    /// Returns the tags that sources, rewrite rules, parsers and filters mention, in written order.
    pub fn mentioned_tags(&self) -> Vec<String> {
        let mut names = Vec::new();
        for statement in &self.statements {
            match statement {
                Statement::Object(object) => items(object.kind, &object.items, &mut names),
                Statement::Filter(named) => filter(&named.filter, &mut names),
                Statement::Log(content) => path(content, &mut names),
                _ => {}
            }
        }
        names
    }
}

fn items(kind: Kind, items: &[Item], names: &mut Vec<String>) {
    // An option tags() of a destination names labels at its receiver, not tags of messages.
    if kind == Kind::Destination {
        return;
    }
    for item in items {
        match item {
            Item::Call(driver) => call(driver, names),
            Item::Step(inner) => step(inner, names),
        }
    }
}

fn call(call: &Call, names: &mut Vec<String>) {
    let key = call.key();
    if key == "set-tag" || key == "clear-tag" {
        let text = call.plain().next().and_then(Arg::text);
        names.extend(text.filter(|text| !text.contains('$')).map(str::to_owned));
    }
    if key == "tags" {
        names.extend(call.args.iter().filter_map(Arg::text).map(str::to_owned));
    }
    call.args.iter().for_each(|argument| arg(argument, names));
}

fn arg(arg: &Arg, names: &mut Vec<String>) {
    match arg {
        Arg::Call(option) => call(option, names),
        Arg::Filter(condition) => filter(condition, names),
        Arg::Group(args, _) => args.iter().for_each(|inner| self::arg(inner, names)),
        _ => {}
    }
}

fn path(path: &Path, names: &mut Vec<String>) {
    path.steps.iter().for_each(|inner| step(inner, names));
}

fn step(step: &Step, names: &mut Vec<String>) {
    match step {
        Step::Use(Reference::InPlace(kind, content, _)) => items(*kind, content, names),
        Step::Filter(condition) => filter(condition, names),
        Step::Junction(junction) => junction.branches.iter().for_each(|branch| path(&branch.path, names)),
        Step::Channel(inner) | Step::Log(inner) => path(inner, names),
        Step::If(condition) => {
            for arm in &condition.arms {
                arm.test.iter().for_each(|test| filter(test, names));
                path(&arm.path, names);
            }
            condition.otherwise.iter().for_each(|otherwise| path(otherwise, names));
        }
        Step::Use(Reference::Named(..)) | Step::Parallelize(_) | Step::Later(..) => {}
    }
}

fn filter(filter: &Filter, names: &mut Vec<String>) {
    match filter {
        Filter::And(parts, _) | Filter::Or(parts, _) => {
            parts.iter().for_each(|part| self::filter(part, names));
        }
        Filter::Not(inner, _) => self::filter(inner, names),
        Filter::Leaf(FilterLeaf::Tags(tags), _) => names.extend(tags.iter().map(|name| name.text.clone())),
        Filter::Leaf(..) => {}
    }
}

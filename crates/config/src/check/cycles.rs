//! Filters that use each other in a circle.
//!
//! In: the filters of a tree. Out: an error for every circle, at the use that closes it.
//! Limits: no recursion over names; expressions are as deep as the parser lets them be.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Report};
use crate::tree::{Filter, FilterLeaf, Name, Statement, Tree};

/// The state of a filter in the search: on the current chain of uses, or finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Done,
}

/// Reports every filter that, through others, uses itself.
pub(super) fn cycles(tree: &Tree, report: &mut Report) {
    let mut uses: BTreeMap<&str, Vec<&Name>> = BTreeMap::new();
    for statement in &tree.statements {
        if let Statement::Filter(named) = statement {
            let mut names = Vec::new();
            collect(&named.filter, &mut names);
            uses.insert(&named.name.text, names);
        }
    }
    let mut marks: BTreeMap<&str, Mark> = BTreeMap::new();
    for start in uses.keys() {
        let mut stack: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((filter, next)) = stack.pop() {
            if next == 0 && marks.contains_key(filter) {
                continue;
            }
            marks.insert(filter, Mark::Open);
            match uses.get(filter).and_then(|names| names.get(next)) {
                Some(name) => {
                    stack.push((filter, next + 1));
                    if marks.get(name.text.as_str()) == Some(&Mark::Open) {
                        let message = format!("filter `{}` uses itself through this", name.text);
                        report.push(Diagnostic::error(name.span, message));
                    } else {
                        stack.push((&name.text, 0));
                    }
                }
                None => {
                    marks.insert(filter, Mark::Done);
                }
            }
        }
    }
}

fn collect<'t>(filter: &'t Filter, names: &mut Vec<&'t Name>) {
    match filter {
        Filter::And(filters, _) | Filter::Or(filters, _) => {
            filters.iter().for_each(|one| collect(one, names))
        }
        Filter::Not(filter, _) => collect(filter, names),
        Filter::Leaf(FilterLeaf::Named(name), _) => names.push(name),
        Filter::Leaf(_, _) => {}
    }
}

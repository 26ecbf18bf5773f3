//! The check of a whole tree.
//!
//! In: a [`Tree`]. Out: findings, added to the report of the parser.
//! Holds: nothing between calls.

use std::collections::BTreeMap;

use super::calls::Calls;
use super::cycles;
use super::names::Names;
use crate::diagnostic::Report;
use crate::tree::{Statement, Tree};

/// Checks a tree: every name, every driver, every option, every statement that does not run yet.
pub fn check(tree: &Tree, report: &mut Report) {
    let names = Names::collect(tree, report);
    let mut calls = Calls { names: &names, includes: &tree.includes, report, persist_names: BTreeMap::new() };
    for statement in &tree.statements {
        calls.statement(statement);
    }
    cycles::cycles(tree, report);
}

impl Calls<'_> {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Object(object) => self.items(object.kind, &object.items),
            Statement::Filter(named) => self.filter(&named.filter),
            Statement::Template(template) | Statement::TemplateFunction(template) => self.template(template),
            Statement::Options(options) => self.global(options),
            Statement::Log(path) => self.top_path(path),
            // Their names are known only where logspaces are.
            Statement::Logspace(_) => {}
            Statement::Block(_) | Statement::Application(_) | Statement::Python(_) => {}
            Statement::Later(later) => self.not_yet(&later.keyword, "statement"),
        }
    }
}
